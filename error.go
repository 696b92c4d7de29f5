package atelier

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Error is a refusal or failure whose text the caller may see. The code that knows
// what went wrong makes one; its callers only wrap it with %w. Any other error
// reaches the caller as CodeInternal, without its text.
type Error struct {
	Code       Code
	Message    string         // what happened and what to do next
	Field      string         // path of the offending field, such as input.steps[2].toolName
	Details    map[string]any // machine-readable facts, as the specification names them
	RetryAfter time.Duration  // how long to wait before trying again; zero when unknown
	Issues     []Issue        // everything that is wrong with a template, for errors about templates
}

// Errorf makes an Error of the given code.
func Errorf(c Code, format string, args ...any) *Error {
	return &Error{Code: c, Message: fmt.Sprintf(format, args...)}
}

// Refuse makes an Error about one field of a request. The message begins with
// the field's path, so that it reads well on its own.
func Refuse(field, format string, args ...any) *Error {
	msg := fmt.Sprintf(format, args...)
	if field != "" {
		msg = field + " " + msg
	}
	return &Error{Code: CodeInvalidRequest, Field: field, Message: msg}
}

// At names the field that an Error is about. Other errors stay as they are.
func At(field string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	out.Field = field
	return &out
}

// Missing makes an Error about a parameter that names something the caller cannot
// use. What belongs to another account reads the same as what does not exist.
func Missing(field, value, what string) *Error {
	if runes := []rune(value); len(runes) > 128 {
		value = string(runes[:128]) + "…"
	}
	return &Error{Code: CodeNotFound, Field: field, Message: fmt.Sprintf("%s not found: %s %q does not exist, or it belongs to another account.", capital(what), field, value)}
}

func capital(what string) string { return strings.ToUpper(what[:1]) + what[1:] }

// With adds one detail and returns the same error.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = make(map[string]any)
	}
	e.Details[key] = value
	return e
}

// Error implements the error interface.
func (e *Error) Error() string {
	if e.Message == "" {
		return e.Code.Sentence
	}
	return e.Message
}

// HasCode reports whether err is, or wraps, an Error of the given code.
func HasCode(err error, c Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code.Number == c.Number
}

// UnavailableError says that a part of the service, such as its database, cannot
// be used now, and that a retry later may help. Adapters wrap the errors of their
// libraries in one; the reply names the part and not the cause. It is not an Error:
// those are verdicts about a request, and engines act on them.
type UnavailableError struct {
	Part string // PartDatabase or PartStorage
	Err  error  // for the log
}

// The parts that can be unavailable.
const (
	PartDatabase = "database"
	PartStorage  = "storage"
)

// Error implements the error interface.
func (e *UnavailableError) Error() string { return e.Part + " unavailable: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// IsOutage reports whether an error means that a part of the service did not answer: what was
// tried may be tried again. A verdict is not an outage, and neither is a fault of the program.
func IsOutage(err error) bool {
	var away *UnavailableError
	return errors.As(err, &away)
}

// Issue is one thing that is wrong with a template or a plan.
type Issue struct {
	Severity string `json:"severity"` // error or warning
	Code     string `json:"code"`
	Message  string `json:"message"`
	Path     string `json:"path,omitempty"`
}
