package compose

import (
	"context"
	"errors"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
)

// Writer is the language model that composes. Without a Speaker, and for the
// built-in model, the rules do.
type Writer struct {
	Speaker llm.Completer
	Model   llm.Model
}

// rules reports whether there is no model to ask.
func (w Writer) rules() bool { return w.Speaker == nil || w.Model.ID == llm.BuiltinID }

// Engine runs the tools. It is safe for concurrent use.
type Engine struct {
	catalog *catalog.Catalog
	words   *lexicon
	models  map[string][]*catalog.Model // by catalog id and by selector
}

// New makes an engine that plans for the models of a catalog.
func New(c *catalog.Catalog) *Engine {
	e := &Engine{catalog: c, words: loadLexicon(), models: map[string][]*catalog.Model{}}
	for _, m := range c.Models() {
		names := map[string]bool{m.ID: true}
		for _, list := range m.Selectors {
			for _, name := range list {
				names[name] = true
			}
		}
		for _, list := range m.Legacy {
			for _, name := range list {
				names[name] = true
			}
		}
		for name := range names {
			e.models[strings.ToLower(name)] = append(e.models[strings.ToLower(name)], m)
		}
	}
	return e
}

// composer is how one tool is composed.
type composer struct {
	// byRules makes the result from the arguments alone.
	byRules func(*Engine, arguments) Result
	// byModel turns the answer of a language model into the result. The error
	// says what the model should do better.
	byModel func(*Engine, arguments, answer) (Result, error)
}

var composers = map[string]composer{
	"enhance_prompt":            {(*Engine).enhance, (*Engine).enhanced},
	"compose_script":            {(*Engine).script, (*Engine).scripted},
	"compose_lyrics":            {(*Engine).lyrics, (*Engine).sung},
	"compose_instrumental":      {(*Engine).instrumental, (*Engine).arranged},
	"compose_workflow":          {(*Engine).workflow, (*Engine).planned},
	"compose_workflow_template": {(*Engine).template, (*Engine).drafted},
}

// Run runs one synchronous tool. What is wrong with the arguments, or cannot be
// composed, is a Result that says so. The error is that of ctx, tells that
// there is no such tool, or that the language model cannot be paid.
func (e *Engine) Run(ctx context.Context, w Writer, tool string, args map[string]any) (Result, error) {
	c, ok := composers[tool]
	if !ok {
		return Result{}, atelier.Refuse("tool", "is %q, which is not a synchronous tool of this service.", tool)
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	step, err := e.catalog.Step(tool, args, catalog.Facts{})
	if err != nil {
		return badArgument(tool, e.catalog, args, err), nil
	}
	a := arguments(step.Arguments)
	if r, ok := a.readable(step.Tool); !ok {
		return r.named(tool), nil
	}
	if w.rules() {
		return c.byRules(e, a).named(tool), nil
	}
	r, used, err := e.ask(ctx, w, tool, c, a)
	if ctx.Err() != nil {
		return Result{Usage: used}, ctx.Err()
	}
	if unpaid(err) && used == (llm.Usage{}) { // with the first answer paid, the rules do the rest
		return Result{}, err
	}
	if err != nil {
		r = c.byRules(e, a).named(tool)
		if r.OK {
			r.Warnings = append(r.Warnings, "Composed by rules, because the language model could not be used: "+plainly(err))
		} else if r.ErrorType == modelUnavailable {
			r.Retryable = true // the model might do it the next time
		}
	}
	r = r.named(tool)
	r.Usage = used
	return r, nil
}

// unpaid reports whether the language model was not asked because nobody pays.
func unpaid(err error) bool {
	var e *atelier.Error
	return errors.As(err, &e) && e.Code.Kind == atelier.KindPaymentRequired
}

// badArgument is the result for arguments that the tool does not take.
func badArgument(tool string, c *catalog.Catalog, args map[string]any, err error) Result {
	var e *atelier.Error
	if !errors.As(err, &e) {
		return failure(unknownError, "The arguments could not be read.", "correct_arguments").named(tool)
	}
	name := strings.TrimPrefix(e.Field, "arguments.")
	if t, ok := c.Tool(tool); ok {
		if a, ok := t.Argument(name); ok && a.Required && (args[name] == nil || args[name] == "") {
			return failure(inputIncomplete, e.Message, "provide:"+name).named(tool)
		}
	}
	return failure(parameterInvalid, e.Message, "correct:"+name).named(tool)
}

// plainly is an error for a caller: what is not meant for them is not told.
func plainly(err error) string {
	var e *atelier.Error
	var bad *unusable
	switch {
	case errors.As(err, &e):
		return e.Message
	case errors.As(err, &bad):
		return bad.Error()
	}
	return "it did not answer."
}
