package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// freeTimeout is the longest that a free tool may take: an account without money
// must not occupy a worker for as long as a paying one.
const freeTimeout = 2 * time.Minute

// Timeouts is the longest that the render of a job may take: the limit given, or
// less for tools that are free.
func Timeouts(limit time.Duration, free func(tool string) bool) func(apitype.Assignment) time.Duration {
	return func(job apitype.Assignment) time.Duration {
		if free(job.ToolName) {
			return min(limit, freeTimeout)
		}
		return limit
	}
}

// renderInTime renders a job within the time that it may take.
func (w *Worker) renderInTime(ctx context.Context, t Task, hasReceipt func() bool) ([]Output, error) {
	limit := time.Duration(0)
	if w.Timeout != nil {
		limit = w.Timeout(t.Assignment)
	}
	if limit <= 0 {
		return w.Renderer.Render(ctx, t)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errOverdue)
	defer cancel()
	outputs, err := w.Renderer.Render(ctx, t)
	if err != nil && context.Cause(ctx) == errOverdue {
		return nil, overdue(err, limit, hasReceipt())
	}
	return outputs, err
}

// errOverdue ends the context of a render that takes too long.
var errOverdue = errors.New("the render took too long")

// overdue is the error of a render that was ended because it took too long. A
// failure that the renderer reports stays. The outcome of work that a vendor may
// have begun is unknown.
func overdue(err error, limit time.Duration, receipt bool) error {
	var f *Failure
	isFailure := errors.As(err, &f)
	if isFailure && f.Code != atelier.FailUnknown && f.Code != atelier.FailDropped {
		return err
	}
	message := fmt.Sprintf("The render took longer than the limit of %s for this job", shortDuration(limit))
	if receipt && !(isFailure && f.Code == atelier.FailDropped) {
		return &Failure{Code: atelier.FailUnknown, Message: message + ". The outcome is not known yet.", Retryable: true}
	}
	return &Failure{Code: atelier.FailError, Message: message + ": ask for something smaller or shorter."}
}

// shortDuration is a duration without the zeros at its end.
func shortDuration(d time.Duration) string {
	text := d.String()
	if before, ok := strings.CutSuffix(text, "m0s"); ok {
		text = before + "m"
	}
	if before, ok := strings.CutSuffix(text, "h0m"); ok {
		text = before + "h"
	}
	return text
}
