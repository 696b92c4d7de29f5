package compose

import (
	"context"
	"errors"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/llm"
)

// Engine runs the tools. It is safe for concurrent use.
type Engine struct {
	catalog *catalog.Catalog
	rules   Rules
}

// Rules write without a language model. A draft of theirs also says what the tools add to the
// words of a language model: the family of a prompt, the length of a script, the genre of a song.
type Rules interface {
	WritePrompt(draft.Arguments) draft.Prompt
	WriteScript(draft.Arguments) draft.Script
	WriteLyrics(draft.Arguments) draft.Song
	WriteInstrumental(draft.Arguments) draft.Piece
	WriteWorkflow(draft.Arguments, draft.Check) draft.Workflow
	WriteTemplate(draft.Arguments, draft.Inputs, draft.Check) draft.Template
}

// New makes an engine that plans for the models of a catalog.
func New(c *catalog.Catalog, rules Rules) *Engine { return &Engine{catalog: c, rules: rules} }

// composer is how one tool is composed.
type composer struct {
	// byRules makes the result from the arguments alone.
	byRules func(*Engine, arguments) Result
	// byModel turns the answer of a language model into the result. The error
	// says what the model should do better.
	byModel func(*Engine, arguments, answer) (Result, error)
}

var composers = map[string]composer{
	"enhance_prompt":            {(*Engine).promptByRules, (*Engine).promptFromModel},
	"compose_script":            {(*Engine).scriptByRules, (*Engine).scriptFromModel},
	"compose_lyrics":            {(*Engine).lyricsByRules, (*Engine).lyricsFromModel},
	"compose_instrumental":      {(*Engine).instrumentalByRules, (*Engine).instrumentalFromModel},
	"compose_workflow":          {(*Engine).workflowByRules, (*Engine).workflowFromModel},
	"compose_workflow_template": {(*Engine).templateByRules, (*Engine).templateFromModel},
}

// Run runs one synchronous tool, whose arguments the catalog has checked. The
// rules compose for the built-in model, and for a model without a Completer. What
// cannot be composed is a Result with the reason. The error is that of ctx, or says
// that there is no such tool, or that the account cannot pay for the language
// model.
func (e *Engine) Run(ctx context.Context, m llm.Model, step *catalog.Step) (Result, error) {
	tool := step.Tool.Name
	c, ok := composers[tool]
	if !ok {
		return Result{}, atelier.Refuse("tool", "is %q, which is not a synchronous tool of this service.", tool)
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	a := arguments(step.Arguments)
	if r, ok := readable(a, step.Tool); !ok {
		return r.named(tool), nil
	}
	if m.Completer == nil || m.ID == llm.BuiltinID {
		return c.byRules(e, a).named(tool), nil
	}
	r, used, err := e.ask(ctx, m, tool, c, a)
	if ctx.Err() != nil {
		return Result{Usage: used}, ctx.Err()
	}
	if unpaid(err) && used == (llm.Usage{}) { // once the first answer is paid for, the rules compose instead
		return Result{}, err
	}
	if err != nil {
		r = c.byRules(e, a).named(tool)
		if r.OK {
			r.Warnings = append(r.Warnings, "Composed by rules, because the language model could not be used: "+publicMessage(err))
		} else if r.ErrorType == draft.ModelUnavailable {
			r.Retryable = true // the model may succeed the next time
		}
	}
	r = r.named(tool)
	r.Usage = used
	return r, nil
}

// unpaid reports whether the language model was not asked because the account
// cannot pay for it.
func unpaid(err error) bool {
	var e *atelier.Error
	return errors.As(err, &e) && e.Code.Kind == atelier.KindPaymentRequired
}

// publicMessage is an error as the caller may read it: internal errors are not shown.
func publicMessage(err error) string {
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
