package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/config"
)

// doctorCommand examines an installation.
type doctorCommand struct {
	installation
	JSON bool `help:"Print JSON." name:"json"`
}

// The states of a finding.
const (
	findingOK      = "ok"
	findingWarning = "warning"
	findingFailed  = "failed"
)

// finding is what one check has found.
type finding struct {
	Check   string `json:"check"`
	State   string `json:"state"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitzero"` // what to do about it
}

func fine(format string, args ...any) finding {
	return finding{State: findingOK, Message: fmt.Sprintf(format, args...)}
}

func warning(remedy, format string, args ...any) finding {
	return finding{State: findingWarning, Message: fmt.Sprintf(format, args...), Remedy: remedy}
}

func failed(remedy, format string, args ...any) finding {
	return finding{State: findingFailed, Message: fmt.Sprintf(format, args...), Remedy: remedy}
}

// check is one examination. It may find several things, each with a name.
type check struct {
	name string
	do   func(ctx context.Context, c *config.Config) []finding
}

// checkWithin bounds each check. What does not end by itself then is left.
const (
	checkWithin = 10 * time.Second
	checkGrace  = 2 * time.Second
)

// Run examines the installation. It creates nothing.
func (d *doctorCommand) Run(ctx context.Context, t terminal) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	list := d.examine(ctx)
	if ctx.Err() != nil {
		return interrupted(ctx, "not everything was examined")
	}
	if d.JSON {
		if err := printJSON(t.out, list); err != nil {
			return err
		}
	} else if err := printFindings(t.out, list); err != nil {
		return err
	}
	n := 0
	for _, f := range list {
		if f.State == findingFailed {
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("%d of %d checks failed", n, len(list))
	}
	return nil
}

// examine reads the configuration, and then makes all checks side by side.
func (d *doctorCommand) examine(ctx context.Context) []finding {
	c, err := d.load()
	if err != nil {
		f := failed("correct the key that is named; docs/configuration.md lists them all", "%s", oneLine(err))
		f.Check = "configuration"
		return []finding{f}
	}
	f := fine("%s", cmp.Or(d.file(), "the defaults: no file is named"))
	f.Check = "configuration"
	found := make([][]finding, len(checks))
	var running sync.WaitGroup
	for i, one := range checks {
		running.Go(func() { found[i] = one.run(ctx, c) })
	}
	running.Wait()
	return append([]finding{f}, slices.Concat(found...)...)
}

// run makes a check within its time.
func (k check) run(ctx context.Context, c *config.Config) []finding {
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	done := make(chan []finding, 1)
	go func() { done <- k.do(ctx, c) }()
	var list []finding
	select {
	case list = <-done:
	case <-time.After(checkWithin + checkGrace):
		list = []finding{failed("see whether the server answers from this machine", "no answer within %s", checkWithin)}
	}
	for i := range list {
		list[i].Check = cmp.Or(list[i].Check, k.name)
	}
	return list
}

// printFindings prints a line for each finding.
func printFindings(out io.Writer, list []finding) error {
	width := 0
	for _, f := range list {
		width = max(width, len([]rune(f.Check)))
	}
	colours := map[string]string{}
	if isColourful(out) {
		colours = map[string]string{findingOK: "\x1b[32m", findingWarning: "\x1b[33m", findingFailed: "\x1b[31m"}
	}
	var err error
	for _, f := range list {
		end := ""
		if colours[f.State] != "" {
			end = "\x1b[0m"
		}
		line := fmt.Sprintf("%s%-7s%s  %-*s  %s", colours[f.State], f.State, end, width, plainText(f.Check), plainText(f.Message))
		if f.Remedy != "" {
			line = strings.TrimSuffix(line, ".") + "; " + f.Remedy
		}
		_, failure := fmt.Fprintln(out, line)
		err = errors.Join(err, failure)
	}
	return err
}

// isColourful reports whether an output shows colours and its user wants them.
func isColourful(out io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(out)
}
