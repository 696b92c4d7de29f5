package source

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
)

// Reason says what kind of failure an Error is.
type Reason string

// The reasons.
const (
	Access    Reason = "access"    // the site does not give out such a file
	Rejected  Reason = "rejected"  // what the site sends is refused
	Transient Reason = "transient" // the site cannot be read now
)

// Error is a failure to resolve a link or to read its file. It unwraps to an *atelier.Error:
// CodeUnavailable when it is transient, otherwise CodeInvalidRequest with the field url.
type Error struct {
	Reason  Reason
	Verdict *atelier.Error
}

// Error implements the error interface.
func (e *Error) Error() string { return e.Verdict.Error() }

// Unwrap returns the verdict.
func (e *Error) Unwrap() error { return e.Verdict }

// IsTransient reports whether a later attempt may succeed.
func IsTransient(err error) bool { return hasReason(err, Transient) }

// IsAccess reports whether the site does not give out the file: it is absent, private,
// gated, too large or not a LoRA file.
func IsAccess(err error) bool { return hasReason(err, Access) }

// IsRejected reports whether what the site sent is refused.
func IsRejected(err error) bool { return hasReason(err, Rejected) }

func hasReason(err error, r Reason) bool {
	var e *Error
	return errors.As(err, &e) && e.Reason == r
}

func fail(r Reason, format string, args ...any) *Error {
	code := atelier.CodeInvalidRequest
	if r == Transient {
		code = atelier.CodeUnavailable
	}
	e := atelier.Errorf(code, format, args...)
	if r != Transient {
		e.Field = "url"
	}
	return &Error{Reason: r, Verdict: e}
}

// explain turns a failure of internal/fetch into one of a site. The errors of the caller's
// context stay as they are.
func (s *site) explain(err error) error {
	var e *atelier.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code.Kind {
	case atelier.KindUpstreamTimeout:
		return fail(Transient, "%s did not answer in time. Try again later.", s.Host)
	case atelier.KindInvalid:
		return fail(Rejected, "The download from %s was refused: %s", s.Host, e.Message)
	case atelier.KindTooLarge:
		return s.tooLarge()
	}
	return fail(Transient, "%s cannot be read now: the connection failed. Try again later.", s.Host)
}

func (s *site) tooLarge() *Error {
	return fail(Access, "The file is larger than %d bytes, the largest size that can be imported.", s.opts.MaxBytes)
}

func (s *site) unreadable() *Error {
	return fail(Transient, "%s gave an answer that cannot be read. Try again later.", s.Host)
}

// maxRetryAfter is the longest time that a site can ask us to wait.
const maxRetryAfter = time.Hour

// refuseStatus is the failure that a status other than success stands for.
func (s *site) refuseStatus(status int, h http.Header) *Error {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fail(Access, "%s does not give this file out to the public: it is private or gated, needs a login, or does not exist.", s.Host)
	case status == http.StatusNotFound || status == http.StatusGone:
		return fail(Access, "%s has no such model or file. Check the link.", s.Host)
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= 500:
		e := fail(Transient, "%s cannot be read now: it answered with status %d. Try again later.", s.Host, status)
		if n, err := strconv.Atoi(h.Get("Retry-After")); err == nil && n > 0 {
			e.Verdict.RetryAfter = min(time.Duration(n)*time.Second, maxRetryAfter)
		}
		return e
	case status >= 400:
		return fail(Access, "%s refused to give this file out: it answered with status %d.", s.Host, status)
	}
	return fail(Rejected, "%s answered with status %d in the place of the file.", s.Host, status)
}
