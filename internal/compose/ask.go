package compose

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/schema"
	"github.com/atelier-project/atelier/internal/wire"
)

//go:embed data
var data embed.FS

// instruction is the instructions for a model about a tool, and the schema of its
// answer.
type instruction struct {
	text   string
	raw    wire.Raw // the schema as it is sent
	schema *schema.Schema
}

// instructions are the embedded instructions of each tool.
var instructions = sync.OnceValue(func() map[string]*instruction {
	out := map[string]*instruction{}
	for tool := range composers {
		text, err := data.ReadFile("data/prompt/" + tool + ".md")
		raw, err2 := data.ReadFile("data/prompt/" + tool + ".json")
		in := &instruction{text: strings.TrimSpace(string(text)), raw: raw}
		if err == nil {
			err = err2
		}
		var document any
		if err == nil {
			err = wire.Unmarshal(raw, &document)
		}
		if err == nil {
			in.schema, err = schema.Compile(document)
		}
		if err != nil {
			panic(fmt.Sprintf("compose: %s: %v", tool, err)) // a mistake in the embedded data, which the tests find
		}
		out[tool] = in
	}
	return out
})

// maxAnswer is the longest answer of a model, in tokens.
const maxAnswer = 6000

// ask composes with a language model. The model gets one chance to correct its
// answer.
func (e *Engine) ask(ctx context.Context, m llm.Model, tool string, c composer, a arguments) (Result, llm.Usage, error) {
	in := instructions()[tool]
	format, err := wire.Marshal(map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": tool, "schema": in.raw}})
	if err != nil {
		return Result{}, llm.Usage{}, err
	}
	q := llm.Request{
		Model: m, Messages: []llm.Message{llm.Text("system", in.text), e.brief(m, tool, a)}, MaxTokens: maxAnswer,
		Params: map[string]wire.Raw{"response_format": format, "temperature": wire.Raw("0.7")},
	}
	var used llm.Usage
	for round := 0; ; round++ {
		text, err := complete(ctx, q, &used)
		if err != nil {
			return Result{}, used, err
		}
		r, err := e.accept(in, c, a, text)
		if err == nil {
			if round > 0 {
				if r.Metadata == nil {
					r.Metadata = map[string]any{}
				}
				r.Metadata["repaired"] = true
			}
			return r, used, nil
		}
		if round == 1 {
			return Result{}, used, err
		}
		q.Messages = append(q.Messages, llm.Text("assistant", text),
			llm.Text("user", "That cannot be used: "+err.Error()+". Send the whole JSON object again, corrected, and nothing else."))
	}
}

// accept checks an answer against the schema, and makes the result.
func (e *Engine) accept(in *instruction, c composer, a arguments, text string) (Result, error) {
	x, err := readAnswer(text)
	if err != nil {
		return Result{}, err
	}
	wrong, err := problems(in.schema, x)
	if err != nil {
		return Result{}, err
	}
	if len(wrong) > 0 {
		return Result{}, improve("%s", strings.Join(wrong, "; "))
	}
	return c.byModel(e, a, x)
}

// complete asks the model once, and adds to the usage. It estimates the usage where
// the server does not report it.
func complete(ctx context.Context, q llm.Request, used *llm.Usage) (string, error) {
	var got llm.Answer
	err := q.Model.Completer.Complete(ctx, q, func(d llm.Delta) error {
		got.Add(d)
		return nil
	})
	if got.Usage == (llm.Usage{}) && (err == nil || got.Content != "") {
		got.Usage = llm.Usage{PromptTokens: llm.MessageTokens(q.Messages), CompletionTokens: llm.Tokens(got.Content)}
	}
	used.PromptTokens += got.Usage.PromptTokens
	used.CompletionTokens += got.Usage.CompletionTokens
	used.CachedTokens += got.Usage.CachedTokens
	var thinking llm.Thinking
	return thinking.Filter(got.Content) + thinking.Rest(), err
}

// brief is the message with the arguments for a model. Frames are added as images
// for a model with vision.
func (e *Engine) brief(m llm.Model, tool string, a arguments) llm.Message {
	rest := maps.Clone(map[string]any(a))
	var frames []llm.Part
	for _, name := range []string{"first_frame_data_url", "last_frame_data_url"} {
		url := a.Text(name)
		if delete(rest, name); url == "" || !m.Vision {
			continue
		}
		if image, err := llm.ReadImage(name, []byte(url)); err == nil {
			frames = append(frames, llm.Part{Type: "text", Text: strings.TrimSuffix(name, "_data_url") + ":"}, llm.Part{Type: "image_url", Image: image, Detail: "low"})
		}
	}
	text, err := wire.Marshal(rest)
	if err != nil {
		text = []byte("{}")
	}
	b := "Arguments:\n" + string(text)
	if tool == "compose_workflow" || tool == "compose_workflow_template" {
		b += "\n\nTools that steps may use, with their arguments:\n" + e.describeTools()
	}
	return llm.Message{Role: "user", Content: append([]llm.Part{{Type: "text", Text: b}}, frames...)}
}

// planTools are the tools that a plan is made of.
var planTools = []string{"generate_image", "edit_image", "generate_video", "animate_photo", "generate_music", "generate_speech", "sound_to_video", "stitch_video", "upscale_image", "remove_background"}

// describeTools describes the tools of a plan briefly.
func (e *Engine) describeTools() string {
	var b strings.Builder
	for _, name := range planTools {
		t, ok := e.catalog.Tool(name)
		if !ok {
			continue
		}
		var args []string
		for _, a := range t.Arguments {
			s := a.Name + ":" + a.Type
			if a.Required {
				s += "!"
			}
			args = append(args, s)
		}
		fmt.Fprintf(&b, "- %s: %s Arguments: %s.", name, t.Description, strings.Join(args, ", "))
		if names := slices.Clone(t.Selectors()); t.Models.Argument != "" && len(names) > 0 {
			fmt.Fprintf(&b, " %s: %s.", t.Models.Argument, strings.Join(names, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}
