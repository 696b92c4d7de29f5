package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
)

// Renderer makes media.
type Renderer interface {
	// Name is what the metadata of an artifact says made it.
	Name() string

	// Render makes the files of a job in the folder given, which is removed
	// afterwards. It reports progress between 0 and 1 and stops when ctx ends;
	// Cancelled then says whether the job was cancelled. What it has made all the
	// same is delivered, and the service decides.
	Render(ctx context.Context, t Task) ([]Output, error)
}

// Task is a job to render.
type Task struct {
	client.Job
	Folder string            // for whatever it writes
	Files  map[string]string // argument to the path of the input file it names, in the order of Inputs: argument, argument#1, …
	Report func(progress float64, message string)

	// Preview shows how an artifact looks so far. It never blocks the renderer;
	// what comes too fast is skipped. It may be nil.
	Preview func(artifactID, contentType string, picture []byte)

	// Keep has the service remember a receipt, which a later attempt finds in
	// Receipt. It is durable when this returns nil. A renderer that sends the job to a vendor keeps one before it
	// asks and another when the vendor has answered. It may be nil.
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
}

// Error implements the error interface.
func (f *Failure) Error() string { return f.Message }

// errCancelled ends the context of a job that is no longer wanted.
var errCancelled error = &Failure{Code: atelier.FailError, Message: "It was cancelled."}

// Cancelled reports whether the context of a render has ended because the job is
// no longer wanted. Otherwise the worker stops, or has lost the job.
func Cancelled(ctx context.Context) bool { return context.Cause(ctx) == errCancelled }

// Failf makes a plain failure.
func Failf(format string, args ...any) error {
	return &Failure{Code: atelier.FailError, Message: fmt.Sprintf(format, args...)}
}

// failureOf turns any error of a renderer into one of the protocol.
func failureOf(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Code: atelier.FailError, Message: err.Error()}
}
