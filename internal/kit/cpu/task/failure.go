package task

import (
	"context"
	"errors"
	"strings"

	"github.com/atelier-project/atelier/internal/worker"
)

// Failure turns an error of the studio into the failure of a job. It returns a
// failure, a cancellation and a timeout unchanged.
func Failure(err error) error {
	var f *worker.Failure
	if err == nil || errors.As(err, &f) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return worker.Failf("%s", Sentence(worker.PublicReason(err)))
}

// Sentence removes the package prefix from the text of an error and adds a
// capital and a full stop.
func Sentence(text string) string {
	if prefix, rest, ok := strings.Cut(text, ": "); ok && !strings.Contains(prefix, " ") {
		text = rest
	}
	if text != "" && text[0] >= 'a' && text[0] <= 'z' {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}
