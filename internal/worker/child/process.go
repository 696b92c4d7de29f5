package child

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/process"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/worker"
)

// child is a process that renders.
type child struct {
	*process.Group
	group   int // its process group, where there are such
	stdin   io.WriteCloser
	reports *reports
	stderr  *head
	done    <-chan struct{} // closed when the last report has arrived, or an invalid one
	nice    int             // of the service
	level   int             // its priority level, an index of levels
	ending  sync.Once
}

// start starts a child, which waits for its order.
func (r *Renderer) start() (*child, error) {
	cmd := exec.Command(r.opts.Command[0], r.opts.Command[1:]...)
	cmd.Env = environment(os.Environ())
	cmd.Args[0] = os.Args[0] // what process lists show
	done := make(chan struct{})
	p := &child{stderr: &head{}, done: done}
	p.reports = &reports{over: sync.OnceFunc(func() { close(done) })}
	cmd.Stdout, cmd.Stderr = p.reports, p.stderr
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.Group, err = process.Start(cmd, false, func() {}); err != nil {
		return nil, err
	}
	p.group = cmd.Process.Pid
	p.nice, p.level = ownPriority(), -1
	first := 0
	if r.opts.Behind {
		first = 1
	}
	p.yield(levels[first].after)
	return p, nil
}

// environment is the part of the parent's variables that a child gets: where
// programs, their libraries and their data are. It has no keys and addresses.
func environment(all []string) []string {
	out := []string{} // nil would mean all variables
	for _, entry := range all {
		name, _, _ := strings.Cut(entry, "=")
		switch strings.ToUpper(name) {
		case "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "ESPEAK_DATA_PATH", "LANG", "SYSTEMROOT":
			out = append(out, entry)
		}
	}
	return out
}

// hasEnded reports whether the process is gone.
func (p *child) hasEnded() bool {
	select {
	case <-p.Gone:
		return true
	default:
		return false
	}
}

// send writes a line to the child. It ignores errors: a child that no longer reads
// is detected by its end. The pipe buffers what is sent after the order.
func (p *child) send(line any) {
	writeLine(p.stdin, line)
}

// end kills the process and all its descendants, and waits until it has ended.
func (p *child) end() {
	p.ending.Do(func() {
		p.kill()
		_ = p.stdin.Close()
		<-p.Gone
	})
}

// kill kills the process group. While a descendant of an ended process lives, the
// system does not reuse the number of the group.
func (p *child) kill() { p.Kill() }

// levels are the priorities of a child below the service, by the processor time
// that it has used.
var levels = []struct {
	after time.Duration
	nice  int
}{{0, 5}, {5 * time.Second, 10}, {20 * time.Second, 19}}

// levelAfter is the level of a child that has used so much processor time. It never
// falls.
func levelAfter(level int, used time.Duration) int {
	for i, l := range levels {
		if used >= l.after {
			level = max(level, i)
		}
	}
	return level
}

// yield lowers the priority of a child that has used a lot of processor time.
func (p *child) yield(used time.Duration) {
	if next := levelAfter(p.level, used); next != p.level {
		p.level = next
		setPriority(p.group, min(p.nice+levels[next].nice, 19))
	}
}

// state is how the process ended, for the log.
func (p *child) state() string { return p.Cmd.ProcessState.String() }

// verdict explains the failure of a job whose process has sent no final report.
func (p *child) verdict() error {
	if !p.hasEnded() { // its report cannot be read
		return errBroke
	}
	stderr := p.stderr.String()
	switch {
	case strings.Contains(stderr, "out of memory") || strings.Contains(stderr, "cannot allocate memory") || killed(p.Cmd.ProcessState):
		// Only the kernel kills a process like this, when memory runs out.
		return &worker.Failure{Code: atelier.FailOutOfMemory, Message: "The render ran out of memory. Ask for something smaller."}
	case strings.Contains(stderr, "SIGXCPU"):
		return worker.Failf("The render used more processor time than a job may.")
	}
	return errBroke
}

// reports reads what a child writes.
type reports struct {
	over func()

	mu   sync.Mutex
	task worker.Task // that the reports are about

	line []byte // that has not ended yet
	read int64
	last *report // the final one
}

const (
	maxLine    = 4 << 20
	maxReports = 1 << 30 // bytes of all reports of one child
)

// Write implements io.Writer. An error is the end of the child.
func (r *reports) Write(b []byte) (int, error) {
	if err := r.parseReports(b); err != nil {
		r.over()
		return 0, err
	}
	return len(b), nil
}

func (r *reports) parseReports(b []byte) error {
	if r.read += int64(len(b)); r.read > maxReports || len(r.line)+len(b) > maxLine {
		return errors.New("render process sent too many reports")
	}
	r.line = append(r.line, b...)
	for r.last == nil {
		line, rest, found := bytes.Cut(r.line, []byte("\n"))
		if !found {
			break
		}
		var m report
		if err := wire.UnmarshalExact(line, &m); err != nil { // exact: a seed in the metadata must keep its digits
			return fmt.Errorf("render process sent an invalid report: %w", err)
		}
		r.line = rest
		r.forward(m)
	}
	r.line = bytes.Clone(r.line)
	return nil
}

// about sets the task of the reports, before the child gets its order.
func (r *reports) about(t worker.Task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.task = t
}

// forward passes a report on to the task.
func (r *reports) forward(m report) {
	r.mu.Lock()
	task := r.task
	r.mu.Unlock()
	switch {
	case m.Progress != nil && task.Report != nil:
		task.Report(m.Progress.Part, m.Progress.Message)
	case m.Preview != nil && task.Preview != nil:
		task.Preview(m.Preview.Artifact, m.Preview.ContentType, m.Preview.Picture)
	case m.Done:
		r.last = &m
		r.over()
	}
}

// head keeps the beginning of the output of a process, where a panic has its
// reason.
type head struct {
	mu   sync.Mutex
	text []byte
}

const headSize = 4 << 10

// Write implements io.Writer.
func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, b[:min(len(b), headSize-len(h.text))]...)
	return len(b), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.text)
}
