package remote

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/worker"
)

// unknown is the end of an attempt at a job that the vendor may or may not have
// rendered.
func unknown(format string, args ...any) error {
	return worker.Retryf(atelier.FailUnknown, format, args...)
}

// dropped is the end of a job that the vendor cannot have accepted.
func dropped(format string, args ...any) error {
	return worker.Retryf(atelier.FailDropped, format, args...)
}

// isUnknown reports whether the outcome is unknown after an error.
func isUnknown(err error) bool {
	var f *worker.Failure
	return errors.As(err, &f) && f.Code == atelier.FailUnknown
}

// final reports whether an error is the vendor's answer, or our rejection of its
// result. Others, such as a full disk, say nothing about the render.
func final(err error) bool {
	var f *worker.Failure
	return errors.As(err, &f) && f.Code != atelier.FailUnknown
}

// busyError says that the vendor did not accept a request now.
type busyError struct {
	after time.Duration // how long to wait, if the vendor says it
	why   string
}

func (e *busyError) Error() string { return e.why }

// unresolvedError is a request that the vendor may or may not have accepted.
type unresolvedError struct{ why string }

func (e *unresolvedError) Error() string { return e.why }

// vendorError is a vendor's description of a failure.
type vendorError struct{ code, message string }

// failure is a vendor's report that a render was not made.
func (c vendorError) failure(moderated bool, words []string) error {
	text := c.code + " " + c.message
	moderated = moderated || slices.ContainsFunc(words, func(w string) bool {
		return strings.Contains(strings.ToLower(text), strings.ToLower(w))
	})
	why := toSentence(c.message)
	if moderated {
		if why == "" {
			why = "It did not say why."
		}
		return &worker.Failure{Code: atelier.FailContentFiltered, Message: "The vendor's content filter refused the request: " + why}
	}
	if why == "" && c.code != "" {
		why = toSentence("its code is " + c.code)
	}
	if why == "" {
		why = "It did not say why."
	}
	return &worker.Failure{Code: atelier.FailError, Message: "The vendor failed to render it: " + why}
}

// maxQuoted is how much of a vendor's message is quoted.
const maxQuoted = 300

// toSentence turns a vendor's message into one line with a full stop.
func toSentence(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	s = worker.Shorten(strings.Join(strings.Fields(s), " "), maxQuoted)
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}
