package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/worker"
)

// IsChild reports whether the program was started as a child.
func IsChild(args []string) bool { return len(args) == 2 && args[1] == Command }

// Main is the child: it renders one job and returns the exit code. A panic ends the
// process: the parent reports it.
func Main(r worker.Renderer) int {
	// Nothing but reports may go to standard output.
	out := &reporter{to: os.Stdout}
	os.Stdout = os.Stderr
	in := wire.NewDecoder(os.Stdin)
	var o order
	if err := wire.Decode(in, &o); err != nil {
		fmt.Fprintf(os.Stderr, "atelier: %s is an internal command that atelier uses to render a job; do not run it yourself: %v\n", Command, err)
		return 2
	}
	if err := o.prepare(); err != nil {
		out.send(report{Done: true, Failure: &worker.Failure{Code: atelier.FailError, Message: "The render process could not set its limits: " + err.Error() + "."}})
		return 1
	}
	endWithParent(func() { _ = os.RemoveAll(o.Folder) })
	go func() {
		for {
			var g grant
			if err := wire.Decode(in, &g); err != nil { // the parent has ended, or has cancelled
				abandon()
			}
			setMemoryTarget(g.Memory)
		}
	}()
	t := worker.Task{Assignment: o.Job, Folder: o.Folder, Files: o.Files, Report: out.progress}
	if o.Previews {
		t.Preview = out.preview
	}
	outputs, err := r.Render(context.Background(), t)
	if err != nil {
		out.send(report{Done: true, Failure: worker.FailureOf(err)})
		return 0
	}
	out.send(report{Done: true, Outputs: outputs})
	return 0
}

// prepare applies the limits before the job is read.
func (o *order) prepare() error {
	// Temporary files go where the parent removes them.
	if err := errors.Join(os.Setenv("TMPDIR", o.Folder), os.Setenv("TMP", o.Folder), os.Chdir(o.Folder)); err != nil {
		return err
	}
	setMemoryTarget(o.Limits.Memory)
	return o.Limits.apply()
}

// setMemoryTarget makes the garbage collector work harder as the granted memory is
// used up. It leaves some for memory that the collector does not count.
func setMemoryTarget(bytes int64) {
	if bytes > 0 {
		debug.SetMemoryLimit(bytes / 10 * 9)
	}
}

// reporter writes reports to the parent.
type reporter struct {
	mu sync.Mutex
	to io.Writer
}

// send writes a report. A parent that no longer reads is detected elsewhere.
func (r *reporter) send(m report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	writeLine(r.to, m)
}

func (r *reporter) progress(part float64, message string) {
	r.send(report{Progress: &progress{part, message}})
}

func (r *reporter) preview(artifact, contentType string, picture []byte) {
	if len(picture) <= maxPreview {
		r.send(report{Preview: &preview{artifact, contentType, picture}})
	}
}
