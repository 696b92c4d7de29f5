package compose

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

// maxPrompt bounds the characters of a prompt.
const maxPrompt = 4000

// promptByRules runs enhance_prompt by rules.
func (e *Engine) promptByRules(a arguments) Result {
	return e.promptResult(a, e.rules.WritePrompt(a))
}

// promptFromModel is enhance_prompt from the words of a model.
func (e *Engine) promptFromModel(a arguments, x answer) (Result, error) {
	d := e.rules.WritePrompt(a)
	if d.Mode == "validate" { // the rules check a prompt; a model is not needed
		return e.promptResult(a, d), nil
	}
	text := x.text("prompt")
	switch asked := len(strings.Fields(a.Text("prompt"))); {
	case text == "":
		return Result{}, improve("prompt must not be empty")
	case len([]rune(text)) > maxPrompt:
		return Result{}, improve("prompt must have at most %d characters, not %d", maxPrompt, len([]rune(text)))
	case d.Mode == "compress" && len(strings.Fields(text)) > asked+10:
		return Result{}, improve("prompt must be shorter than the caller's, which has %d words", asked)
	}
	for _, asset := range d.Assets {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(asset.Label)) {
			return Result{}, improve("prompt must mention the asset %q by its label", asset.Label)
		}
	}
	d.Text, d.Negative, d.Warnings = text, cmp.Or(x.text("negative_prompt"), d.Negative), x.texts("notes")
	return e.promptResult(a, d), nil
}

// promptResult is a prompt with what belongs to it.
func (e *Engine) promptResult(a arguments, d draft.Prompt) Result {
	var warnings []string
	if d.Model == nil {
		warnings = append(warnings, fmt.Sprintf("destination_model %q is not in the catalog, so the prompt follows the general manner of %s prompts.", prose.Cut(a.Text("destination_model"), 60), d.Family))
	}
	warnings = append(warnings, d.Warnings...)
	if short := prose.Cut(d.Text, maxPrompt); short != d.Text && d.Mode != "validate" {
		warnings = append(warnings, fmt.Sprintf("The prompt is cut to %d characters.", maxPrompt))
		d.Text = short
	}
	out := map[string]any{"prompt": d.Text}
	if d.Negative != "" {
		out["negative_prompt"] = d.Negative
	}
	switch d.Mode {
	case "validate":
		out["valid"], out["issues"] = len(d.Issues) == 0, append([]string{}, d.Issues...)
	case "payload":
		tool, args, why := e.payload(a, d)
		if why != "" {
			warnings = append(warnings, why)
		}
		out["payload"] = map[string]any{"tool": tool, "arguments": args}
	}
	r := success(d.Text, out)
	r.Warnings = warnings
	r.Metadata = map[string]any{
		"target_output": a.Text("target_output"), "destination_model": a.Text("destination_model"), "prompting_type": string(d.Family),
		"prompt_mode": d.Mode, "subject": d.Subject, "words": len(strings.Fields(d.Text)),
	}
	if d.Model != nil {
		r.Metadata["model_id"], r.Metadata["model_title"] = d.Model.ID, cmp.Or(a.Text("model_title"), d.Model.Name)
	}
	return r
}

// payload is the prompt as the arguments of the tool that will render it. why says
// what had to be left out.
func (e *Engine) payload(a arguments, d draft.Prompt) (tool string, args map[string]any, why string) {
	tool = a.Text("destination_tool")
	if _, ok := e.catalog.Tool(tool); !ok {
		tool = cmp.Or(map[draft.Family]string{draft.Video: "generate_video", draft.Editing: "edit_image", draft.Music: "generate_music"}[d.Family], "generate_image")
		for _, asset := range d.Assets {
			if asset.Role == "first_frame" && tool == "generate_video" {
				tool = "animate_photo"
			}
		}
	}
	args = map[string]any{"prompt": d.Text}
	t, ok := e.catalog.Tool(tool)
	if !ok {
		return tool, args, ""
	}
	set := func(name string, v any, given bool) {
		if _, takes := t.Argument(name); takes && given {
			args[name] = v
		}
	}
	for _, m := range e.catalog.ModelsNamed(a.Text("destination_model")) {
		if m.Serves(tool) {
			set(t.Models.Argument, m.Selector(tool), true)
			break
		}
	}
	set("negativePrompt", d.Negative, d.Negative != "")
	set("duration", a.Number("duration_seconds"), a.Number("duration_seconds") > 0)
	set("aspectRatio", a.Text("aspect_ratio"), a.Ratio("aspect_ratio") > 0)
	for range 4 { // refused arguments are left out, one at a time
		_, err := e.catalog.Step(tool, args, catalog.Facts{})
		field := refusedField(err)
		if _, ours := args[field]; err == nil || !ours || field == "prompt" {
			return tool, args, why
		}
		delete(args, field)
		why = strings.TrimSpace(why + " " + prose.Sentence(strings.TrimPrefix(err.Error(), "arguments."))) // the caller asked for it
	}
	return tool, args, why
}
