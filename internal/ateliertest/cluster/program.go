package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/process"
)

// patience is how long anything awaited may take: far longer than it does on a busy
// machine. It only ends tests that hang.
const patience = 3 * time.Minute

// program is a process of the cluster. It may be ended and started again.
type program struct {
	name    string
	log     string // the file that its output is appended to
	command func() *exec.Cmd
	group   *process.Group // nil while it does not run
}

// start starts it. When the test has failed, the end of its output is printed.
func (p *program) start(t testing.TB) {
	t.Helper()
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	cmd := p.command()
	cmd.Stdout, cmd.Stderr = out, out
	p.group, err = process.Start(cmd, true, func() {})
	out.Close()
	if err != nil {
		t.Fatalf("start %s: %v", p.name, err)
	}
}

// kill ends it at once, as a power cut would.
func (p *program) kill() {
	if p.group == nil {
		return
	}
	_ = p.group.Cmd.Process.Kill()
	<-p.group.Gone
	p.group = nil
}

// stop asks it to end, and reports what it ended with.
func (p *program) stop() error {
	if p.group == nil {
		return nil
	}
	p.group.Terminate()
	select {
	case <-p.group.Gone:
	case <-time.After(patience):
		p.kill()
		return fmt.Errorf("%s does not end", p.name)
	}
	state := p.group.Cmd.ProcessState
	p.group = nil
	if !state.Success() {
		return fmt.Errorf("%s ended with %v", p.name, state)
	}
	return nil
}

// pid is the number of the process.
func (p *program) pid() int { return p.group.Cmd.Process.Pid }

// isGone reports whether it has ended.
func (p *program) isGone() bool {
	if p.group == nil {
		return true
	}
	select {
	case <-p.group.Gone:
		return true
	default:
		return false
	}
}

// program makes a program of the cluster, which ends with the test.
func (c *Cluster) program(name string, command func() *exec.Cmd) *program {
	p := &program{name: name, log: filepath.Join(c.dir, name+".log"), command: command}
	c.t.Cleanup(func() {
		p.kill()
		if c.t.Failed() {
			c.t.Logf("the last lines of %s:\n%s", name, lastLines(p.log))
		}
	})
	return p
}

// lastLines is the end of a file.
func lastLines(name string) []byte {
	text, err := os.ReadFile(name)
	if err != nil {
		return []byte(err.Error())
	}
	const most = 4000
	if len(text) > most {
		text = text[len(text)-most:]
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		}
	}
	return text
}

// await waits until something holds, and fails the test with the last reason why it does not.
func await(t testing.TB, what string, holds func() error) {
	t.Helper()
	err := awaitWithin(patience, holds)
	if err != nil {
		t.Fatalf("%s: not within %s: %v", what, patience, err)
	}
}

// awaitWithin asks again and again until something holds or the time is over.
func awaitWithin(limit time.Duration, holds func() error) error {
	for until := time.Now().Add(limit); ; {
		err := holds()
		if err == nil || time.Now().After(until) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// output runs a command and returns what it prints.
func output(cmd *exec.Cmd) ([]byte, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w %s", filepath.Base(cmd.Path), err, exit.Stderr)
	}
	return out, err
}
