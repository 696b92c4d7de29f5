package replicate

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/prose"
	"github.com/atelier-project/atelier/internal/wire"
)

// Body is the body of a request for a prediction.
type Body struct {
	Input   wire.Raw `wire:"input,required,maxbytes=67108864" doc:"The input, as the schema of the model's version says."`
	Webhook string   `wire:"webhook,maxlen=2048" doc:"An address that gets the prediction when it begins and when it is over."`
	Events  []string `wire:"webhook_events_filter,maxlen=4" doc:"When the webhook is called: start, output, logs, completed. Always when omitted."`
	Stream  bool     `wire:"stream" doc:"Not needed: every prediction can be streamed."`
}

// BodyBounds bounds a body, with the files in it.
var BodyBounds = wire.Bounds{Text: 64 << 20}

// Note is what a prediction keeps of its request, with the workflow or the run that it is.
type Note struct {
	Prediction *Noted `json:"prediction"`
}

// Noted is a request for a prediction.
type Noted struct {
	Model   string   `json:"model"`
	Version string   `json:"version"`
	Input   wire.Raw `json:"input"`
	IsList  bool     `json:"isList,omitzero"` // its output is a list
	Webhook string   `json:"webhook,omitzero"`
	Events  []string `json:"events,omitzero"`
}

// maxNote bounds the note of a workflow, and of a run with a webhook, whose deliveries repeat it.
const maxNote = 256 << 10

// hooks are the events that clients filter webhooks by.
var hooks = map[string][]atelier.WebhookEvent{
	"start":  {atelier.HookStarted},
	"output": {atelier.HookWorkflowCompleted, atelier.HookRunCompleted},
	"logs":   {},
	"completed": {
		atelier.HookWorkflowCompleted, atelier.HookWorkflowFailed, atelier.HookWorkflowCancelled,
		atelier.HookRunCompleted, atelier.HookRunFailed, atelier.HookRunCancelled,
	},
}

// Hook is the webhook that the request names; nil without one.
func (b Body) Hook() (*atelier.RequestWebhook, error) {
	wanted := b.Events
	if len(wanted) == 0 {
		wanted = []string{"start", "completed"}
	}
	hook := &atelier.RequestWebhook{URL: b.Webhook, Events: []atelier.WebhookEvent{}, Protocol: Protocol}
	for i, name := range wanted {
		events, ok := hooks[name]
		if !ok {
			return nil, atelier.Refuse(fmt.Sprintf("webhook_events_filter[%d]", i), "must be start, output, logs or completed.")
		}
		hook.Events = append(hook.Events, events...)
	}
	if b.Webhook == "" {
		return nil, nil
	}
	return hook, nil
}

// note is the note of a prediction with an input.
func (b Body) note(m *Model, in any) (wire.Raw, error) {
	text, err := wire.Marshal(in)
	if err != nil {
		return nil, err
	}
	if (!m.IsLanguage() || b.Webhook != "") && len(text) > maxNote {
		return nil, atelier.Refuse("input", "has %d bytes; the limit is %d.", len(text), maxNote)
	}
	return wire.Marshal(Note{&Noted{Model: m.Ref(), Version: m.LatestVersion.ID, Input: text, IsList: m.isList, Webhook: b.Webhook, Events: b.Events}})
}

// Media finds what a client means by the address of media: a file that it has uploaded, one that is inline, or one
// anywhere else.
type Media func(kind catalog.Kind, address string) (atelier.MediaReference, error)

// Steps are those of the workflow that a model of the catalog is, and its note. Its arguments are checked where the
// workflow is started.
func (b Body) Steps(m *Model, find Media) ([]atelier.StepInput, wire.Raw, error) {
	var in map[string]wire.Raw
	if err := wire.Unmarshal(b.Input, &in); err != nil || in == nil {
		return nil, nil, errNoInput()
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if !slices.ContainsFunc(m.inputs, func(f input) bool { return f.name == name }) {
			return nil, nil, atelier.Refuse("input."+prose.Cut(name, 100), "is no input of %s.", m.Ref())
		}
	}
	args, shown := map[string]any{}, map[string]any{}
	for _, f := range m.inputs {
		raw, at := in[f.name], "input."+f.name
		if len(raw) == 0 || string(raw) == "null" {
			if f.required {
				return nil, nil, atelier.Refuse(at, "is required.")
			}
			continue
		}
		if f.media != "" {
			var err error
			if args[f.argument], shown[f.name], err = f.addresses(at, raw, find); err != nil {
				return nil, nil, err
			}
			continue
		}
		var value any // of any shape: the plan is checked later, and its size before it is read
		if len(raw) > maxNote {
			return nil, nil, atelier.Refuse(at, "has %d bytes; the limit is %d.", len(raw), maxNote)
		}
		if err := wire.Unmarshal(raw, &value); err != nil {
			return nil, nil, atelier.Refuse(at, "holds a number that is too large.")
		}
		args[f.argument], shown[f.name] = value, value
	}
	if m.chooses != "" {
		args[m.tool.Models.Argument] = m.chooses
	}
	note, err := b.note(m, shown)
	return []atelier.StepInput{{ID: "prediction", ToolName: m.tool.Name, Arguments: args}}, note, err
}

func errNoInput() error {
	return atelier.Refuse("input", "must be an object with the fields of the model's schema.")
}

// maxAddresses is how many files a field takes.
const maxAddresses = 64

// addresses are the addresses of media as an argument takes them, and as the prediction shows them.
func (f input) addresses(at string, raw wire.Raw, find Media) (argument, shown any, err error) {
	if raw.Kind() != '[' {
		return f.address(at, raw, find)
	}
	arguments, all := []any{}, []any{}
	err = wire.Items(raw, maxAddresses, func(i int, item wire.Raw) error {
		a, s, err := f.address(fmt.Sprintf("%s[%d]", at, i), item, find)
		arguments, all = append(arguments, a), append(all, s)
		return err
	})
	if errors.Is(err, wire.ErrTooMany) {
		err = atelier.Refuse(at, "must hold at most %d addresses.", maxAddresses)
	}
	return arguments, all, err
}

func (f input) address(at string, raw wire.Raw, find Media) (argument, shown any, err error) {
	var text string
	if wire.Unmarshal(raw, &text) != nil || text == "" {
		return nil, nil, atelier.Refuse(at, "must be the address of a file.")
	}
	m, err := find(f.media, text)
	var refused *atelier.Error
	if errors.As(err, &refused) && refused.Code.Kind != atelier.KindTooMany {
		return nil, nil, atelier.Refuse(at, "cannot be used: %s", refused.Error())
	}
	if shown = any(text); strings.HasPrefix(text, "data:") {
		shown = m.URL
	}
	if f.isURL {
		return m.URL, shown, err
	}
	return m, shown, err
}

// Refusal is the error of a start as the client knows it: about the field that it has sent.
func (m *Model) Refusal(err error) error {
	var e *atelier.Error
	if !errors.As(err, &e) || e.Field == "" {
		return err
	}
	own := *e
	_, argument, isArgument := strings.Cut(e.Field, "arguments.")
	switch {
	case e.Field == "webhook.url":
		own.Field = "webhook"
	case isArgument:
		own.Field = "input." + m.inputName(argument)
	case m.IsLanguage(), e.Code == atelier.CodeContentFiltered:
		own.Field = "input.prompt"
	default:
		own.Field = "input"
	}
	own.Message = strings.ReplaceAll(own.Message, e.Field, own.Field)
	for _, f := range m.inputs {
		own.Message = strings.ReplaceAll(own.Message, "arguments."+f.argument, "input."+f.name)
	}
	return &own
}

// inputName is the field that an argument, or a part of it such as boxes[0].x, was sent in.
func (m *Model) inputName(argument string) string {
	name, rest := argument, ""
	if at := strings.IndexAny(argument, ".["); at >= 0 {
		name, rest = argument[:at], argument[at:]
	}
	for _, f := range m.inputs {
		if f.argument == name {
			return f.name + rest
		}
	}
	return argument
}

// languageInput is the input of a language model.
type languageInput struct {
	Prompt      string   `wire:"prompt,required,minlen=1,maxlen=2000000" json:"prompt"`
	System      string   `wire:"system_prompt,maxlen=200000" json:"system_prompt,omitzero"`
	MaxTokens   int      `wire:"max_tokens,min=1" json:"max_tokens,omitzero"`
	Temperature *float64 `wire:"temperature,min=0,max=2" json:"temperature,omitzero"`
	TopP        *float64 `wire:"top_p,min=0,max=1" json:"top_p,omitzero"`
}

var languageShape = wire.ShapeOf(reflect.TypeFor[languageInput](), wire.Strict)

// Chat is the request that a prediction of a language model is, and its note.
func (b Body) Chat(m *Model, caller atelier.Caller, terms atelier.PaymentTerms) (chat.Request, wire.Raw, error) {
	var in languageInput
	r := chat.Request{Caller: caller, Model: m.language, Terms: terms, Profile: chat.General, Filter: true, Params: map[string]wire.Raw{}}
	if b.Input.Kind() != '{' {
		return r, nil, errNoInput()
	}
	if err := languageShape.Body(b.Input, nil, &in); err != nil {
		var e *atelier.Error
		if errors.As(err, &e) && e.Field != "" {
			err = atelier.Refuse("input."+e.Field, "%s", strings.TrimPrefix(e.Message, e.Field+" "))
		}
		return r, nil, err
	}
	r.MaxTokens = in.MaxTokens
	for name, v := range map[string]*float64{"temperature": in.Temperature, "top_p": in.TopP} {
		if v != nil {
			r.Params[name] = wire.Raw(strconv.FormatFloat(*v, 'g', -1, 64))
		}
	}
	if in.System != "" {
		r.Messages = append(r.Messages, llm.Text("system", in.System))
	}
	r.Messages = append(r.Messages, llm.Text("user", in.Prompt))
	note, err := b.note(m, in)
	return r, note, err
}
