package worker

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// Renderer makes media.
type Renderer interface {
	// Name identifies the renderer in the metadata of artifacts.
	Name() string

	// Render makes the files of a job in the folder given, which is removed
	// afterwards. It reports progress between 0 and 1 and stops when ctx ends;
	// Cancelled then reports whether the job was cancelled. Results that it returns
	// are delivered in any case, and the service decides.
	Render(ctx context.Context, t Task) ([]Output, error)
}

// Task is a job to render.
type Task struct {
	apitype.Assignment
	Folder string            // for the files it writes
	Files  map[string]string // argument to the path of the input file it names, in the order of Inputs: argument, argument#1, …
	Report func(progress float64, message string)

	// Preview sends an intermediate picture of an artifact. It never blocks the
	// renderer; previews that come too fast are skipped. It may be nil.
	Preview func(artifactID, contentType string, picture []byte)

	// Alternatives is how many other workers could take the job now, as the service said last. It
	// may be nil.
	Alternatives func() int

	// Switched records that another model had to be loaded, and how long that took. It
	// may be nil.
	Switched func(time.Duration)

	// Begun records that the render begins now: until then the renderer was at work on another
	// job. It may be nil.
	Begun func()

	// Ending says that the renderer will soon be able to begin another job, so that the worker
	// claims one and fetches its inputs meanwhile. It does not block, and may be nil.
	Ending func()

	// Keep stores a receipt in the service; a later attempt finds it in Receipt. It
	// is durable when Keep returns nil. A renderer of a vendor stores one before
	// its request and another after the answer. It may be nil.
	Keep func(ctx context.Context, receipt string) error
}

// Output is a file that a render has made.
type Output struct {
	ID              string // of the job's artifact
	Path            string
	Width           int
	Height          int
	DurationSeconds float64
	Seed            int64
	Metadata        map[string]any
}

// Failure is a render that cannot be done, in the terms of the protocol.
type Failure struct {
	Code      string
	Message   string
	Retryable bool

	logged string // Message with the addresses and paths that it leaves out; may be empty
}

// Error implements the error interface.
func (f *Failure) Error() string { return f.Message }

// errCancelled ends the context of a cancelled job.
var errCancelled error = &Failure{Code: atelier.FailError, Message: "It was cancelled."}

// Cancelled reports whether the context of a render has ended because the job was
// cancelled. Otherwise the worker stops, or has lost the job.
func Cancelled(ctx context.Context) bool { return context.Cause(ctx) == errCancelled }

// Failf makes a failure that is not retried. Of an error among the arguments it has the
// PublicReason, as Retryf.
func Failf(format string, args ...any) error {
	return newFailure(atelier.FailError, false, format, args)
}

// Retryf makes a failure with a code that is retried.
func Retryf(code, format string, args ...any) error {
	return newFailure(code, true, format, args)
}

func newFailure(code string, retryable bool, format string, args []any) *Failure {
	f := &Failure{Code: code, Retryable: retryable, logged: fmt.Sprintf(format, args...)}
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = PublicReason(err)
		}
	}
	f.Message = fmt.Sprintf(format, args...)
	return f
}

// isDiskFull reports whether the worker's own disk, or its quota, has no space left: other workers
// can do the job.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// FailureOf turns any error of a renderer into one of the protocol.
func FailureOf(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	if isDiskFull(err) {
		return &Failure{Code: atelier.FailUnavailable, Message: "The job went back to the queue: the disk of the worker is full.", Retryable: true, logged: err.Error()}
	}
	return &Failure{Code: atelier.FailError, Message: PublicReason(err), logged: err.Error()}
}
