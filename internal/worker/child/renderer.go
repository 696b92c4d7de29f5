package child

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/worker"
)

// Options are the settings of a renderer. Zero values have defaults.
type Options struct {
	Name    string   // of the renderer in the children
	Command []string // starts a child, such as OwnCommand
	Slots   int      // children that may run at once: each has a share of the memory
	Memory  int64    // bytes that all children may have together
	Behind  bool     // they begin a level below others
	Spare   bool     // a child is started in advance for the next job
	Log     *slog.Logger

	SpareStarted func() // a signal for tests: a spare child was started; nil in the program
}

// Renderer renders each job in its own process. It is safe for concurrent
// use.
type Renderer struct {
	opts   Options
	memory *budget
	table  processTable
	spare  spare
}

// OwnCommand starts this program as a child.
func OwnCommand() []string { return []string{ownProgram(), Command} }

// Memory is what all children of a machine may have together: three quarters of
// what there is.
func Memory() int64 { return machineMemory() / 4 * 3 }

// New makes a renderer.
func New(o Options) *Renderer {
	if o.Memory == 0 {
		o.Memory = Memory()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Renderer{opts: o, memory: newBudget(o.Memory, max(1, o.Slots))}
}

// Name implements worker.Renderer.
func (r *Renderer) Name() string { return r.opts.Name }

const (
	maxFile   = 2 << 30 // bytes of one file that a child writes: no result is as large
	maxFolder = 4 << 30 // bytes of all files of a job
	maxFiles  = 256     // files that a child has open at once

	// soon is when the watchdog first checks a child, and often the time between
	// two checks.
	soon  = 100 * time.Millisecond
	often = 250 * time.Millisecond
)

// Render implements worker.Renderer. When it returns, the child and all its
// descendants have ended.
func (r *Renderer) Render(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	quota := r.memory.open()
	defer quota.close()
	p, err := r.nextChild()
	if err != nil {
		return nil, worker.Retryf(atelier.FailDropped, "The render process could not be started: %v.", err)
	}
	defer p.end()
	defer context.AfterFunc(ctx, p.kill)() // also while the order is being sent
	p.reports.about(t)
	p.send(r.newOrder(ctx, t, quota))
	look := time.NewTimer(soon)
	defer look.Stop()
	for {
		select {
		case <-p.done:
			return r.outcome(ctx, t, p)
		case <-p.Gone:
			return r.outcome(ctx, t, p)
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-look.C:
		}
		u := r.table.usage(p.group)
		p.yield(u.cpu)
		if !quota.cover(u.memory) {
			return nil, tooMuchMemory(quota.size)
		}
		if quota.grown() {
			p.send(grant{Memory: quota.size})
		}
		if size := folderSize(t.Folder); size > maxFolder {
			return nil, worker.Failf("The render wrote more than %d MB of temporary files.", maxFolder>>20)
		}
		look.Reset(often)
	}
}

// newOrder makes the order for a child: the job without URLs and receipt, and the
// limits of its process.
func (r *Renderer) newOrder(ctx context.Context, t worker.Task, q *quota) order {
	o := order{Job: t.Assignment, Folder: t.Folder, Files: t.Files, Previews: t.Preview != nil}
	o.Job.Receipt = ""
	o.Job.Inputs = append(o.Job.Inputs[:0:0], t.Inputs...)
	for i := range o.Job.Inputs {
		o.Job.Inputs[i].URL = ""
	}
	o.Job.Loras = append(o.Job.Loras[:0:0], t.Loras...)
	for i := range o.Job.Loras {
		o.Job.Loras[i].URL = ""
	}
	o.Limits = limits{Memory: q.size, MaxMemory: r.memory.most, FileBytes: maxFile, OpenFiles: maxFiles}
	if !measured { // the watchdog cannot grow its quota
		o.Limits.Memory = r.memory.most
	}
	if at, ok := ctx.Deadline(); ok {
		o.Limits.CPU = time.Until(at) * time.Duration(runtime.NumCPU())
	}
	return o
}

// outcome reads the result of a child that has ended or sent its final report.
func (r *Renderer) outcome(ctx context.Context, t worker.Task, p *child) ([]worker.Output, error) {
	broke := p.verdict()
	p.end()
	last := p.reports.last
	switch {
	case last == nil && ctx.Err() != nil: // it was killed
		return nil, ctx.Err()
	case last == nil:
		r.opts.Log.Warn("render process failed", "job", t.JobID, "tool", t.ToolName, "end", p.state(), "stderr", p.stderr.String())
		return nil, broke
	case last.Failure != nil:
		return nil, plainFailure(last.Failure)
	}
	for _, o := range last.Outputs {
		if err := within(t.Folder, o.Path); err != nil {
			r.opts.Log.Warn("render process returned a file outside its directory", "job", t.JobID, "path", o.Path, "error", err)
			return nil, errBroke
		}
	}
	return last.Outputs, nil
}

// plainFailure is a failure that a child reports. A child can report the reason,
// but not that the job may be retried or that its outcome is unknown.
func plainFailure(f *worker.Failure) *worker.Failure {
	switch f.Code {
	case atelier.FailOutOfMemory, atelier.FailContentFiltered, atelier.FailLoraMismatch:
		return &worker.Failure{Code: f.Code, Message: f.Message}
	}
	return &worker.Failure{Code: atelier.FailError, Message: f.Message}
}

// within reports an error unless a path is a plain file below a folder.
func within(folder, path string) error {
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(folder) // follows no link to the outside
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Lstat(rel)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	return err
}

// folderSize adds up the files below a folder, which may change meanwhile.
func folderSize(folder string) (size int64) {
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}

var errBroke = worker.Failf("The renderer crashed on this job. One of its input files may be damaged.")

func tooMuchMemory(bytes int64) error {
	return &worker.Failure{Code: atelier.FailOutOfMemory, Message: fmt.Sprintf(
		"The render needs more than its limit of %d MB of memory. Ask for something smaller, or try again when fewer renders are running.", bytes>>20)}
}

var _ worker.Renderer = (*Renderer)(nil)
