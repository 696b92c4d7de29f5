package template

import (
	"errors"
	"fmt"

	"github.com/atelier-project/atelier"
)

// maxIssues is the most issues in a reply.
const maxIssues = 50

// issues collects everything that is wrong with a template, or with the values it was
// started with.
type issues struct {
	errors   []atelier.Issue
	warnings []atelier.Issue
	seen     map[atelier.Issue]bool

	compiling bool // not only saving
}

// fail adds a mistake for which the template cannot be saved or compiled.
func (s *issues) fail(code, path, format string, args ...any) {
	s.add(&s.errors, atelier.Issue{Severity: "error", Code: code, Message: message(path, format, args), Path: path})
}

// warn adds something that the author should know.
func (s *issues) warn(code, path, format string, args ...any) {
	s.add(&s.warnings, atelier.Issue{Severity: "warning", Code: code, Message: message(path, format, args), Path: path})
}

// cannot adds something that this service does not support. A template with it can be
// saved, because another service may support it, but not started.
func (s *issues) cannot(code, path, format string, args ...any) {
	if s.compiling {
		s.fail(code, path, format, args...)
		return
	}
	s.warn(code, path, format+" The template can be saved, but not started.", args...)
}

// add adds an issue once: the items of a batch may repeat the same mistake.
func (s *issues) add(list *[]atelier.Issue, i atelier.Issue) {
	if s.seen == nil {
		s.seen = map[atelier.Issue]bool{}
	}
	if len(*list) < maxIssues && !s.seen[i] {
		s.seen[i] = true
		*list = append(*list, i)
	}
}

// failed reports whether there is a mistake.
func (s *issues) failed() bool { return len(s.errors) > 0 }

// all lists the errors, then the warnings.
func (s *issues) all() []atelier.Issue {
	return append(append([]atelier.Issue{}, s.errors...), s.warnings...)
}

// message begins with the path, so that it reads well on its own.
func message(path, format string, args []any) string {
	text := fmt.Sprintf(format, args...)
	if path == "" {
		return text
	}
	return shorten(path, 200) + " " + text
}

// shorten cuts a caller's text to a length that can be quoted.
func shorten(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}

// invalid is the refusal of a template that does not validate.
func (s *issues) invalid() error {
	e := atelier.Errorf(atelier.CodeTemplateInvalid, "The template is not valid: %s", s.errors[0].Message)
	e.Issues = s.all()
	return e
}

// uncompiled is the refusal of a template that does not compile.
func (s *issues) uncompiled() error {
	return atelier.Errorf(atelier.CodeTemplateCompile, "The template does not compile: %s", s.errors[0].Message).
		With("compileErrors", s.errors).With("compileWarnings", append([]atelier.Issue{}, s.warnings...))
}

// Refused turns a refusal of the workflow engine about a compiled plan into a
// refusal of its template: the caller knows only the template. It returns other
// errors unchanged.
func Refused(err error, warnings []atelier.Issue) error {
	var e *atelier.Error
	if !errors.As(err, &e) || e.Code.Number != atelier.CodeInvalidRequest.Number {
		return err
	}
	s := issues{warnings: warnings}
	s.errors = []atelier.Issue{{Severity: "error", Code: "invalid_plan", Message: e.Message, Path: e.Field}}
	return s.uncompiled()
}
