package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
)

// readSecret reads a line from standard input. A terminal is asked with a prompt, and does not show what
// is typed, as far as the system has stty.
func readSecret(ctx context.Context, prompt string, t terminal) (string, error) {
	if !isTerminal(t.in) {
		return readLine(t.in)
	}
	echo := func(setting string) error {
		c := exec.Command("stty", setting)
		c.Stdin = t.in
		return c.Run()
	}
	if hidden := echo("-echo") == nil; hidden {
		defer func() {
			_ = echo("echo")
			fmt.Fprintln(t.err) // for the line break that was not shown
		}()
	}
	fmt.Fprint(t.err, prompt)
	type read struct {
		line string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		line, err := readLine(t.in)
		done <- read{line, err}
	}()
	select { // a signal must not leave a terminal that shows nothing
	case r := <-done:
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func readLine(in io.Reader) (string, error) {
	return bufio.NewReader(io.LimitReader(in, 1<<10)).ReadString('\n')
}
