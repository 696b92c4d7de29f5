package talk

import (
	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/plan"
	"github.com/atelier-project/atelier/internal/llm"
)

// callNamedTool calls the tool that tool_choice names, once.
func (d *round) callNamedTool() []llm.ToolCall {
	name := d.tools.named
	if name == "" || len(d.turn.calls) > 0 {
		return nil
	}
	for n, t := range d.interpretation.Tasks { // the words may ask for this tool
		if t.Tool.Name == name {
			if waits := d.isWaiting(t); !waits {
				if call, ok := d.callTask(n, t); ok {
					return []llm.ToolCall{call}
				}
			}
		}
	}
	for _, f := range d.tools.functions {
		if f.Name == name {
			return d.forceFunction(f)
		}
	}
	tool, ok := d.tools.hosted[name]
	if !ok {
		return nil
	}
	return d.forceCall(&plan.Task{Tool: tool, Args: map[string]any{}})
}

// callRequiredTool makes a call when tool_choice requires one and the words ask for none: a question to the user, else
// the first function.
func (d *round) callRequiredTool() []llm.ToolCall {
	if !d.tools.required || len(d.turn.calls) > 0 {
		return nil
	}
	if ask, ok := d.tools.hosted["ask_clarifying_question"]; ok {
		question := d.report()
		return []llm.ToolCall{d.newToolCall(0, ask.Name, map[string]any{"question": question})}
	}
	if len(d.tools.functions) > 0 {
		return d.forceFunction(d.tools.functions[0])
	}
	for _, name := range []string{"generate_image", "enhance_prompt", "finalize_response"} {
		if tool, ok := d.tools.hosted[name]; ok {
			return d.forceCall(&plan.Task{Tool: tool, Args: map[string]any{}})
		}
	}
	return nil
}

// forceFunction calls a function of the caller with the least arguments that its schema accepts.
func (d *round) forceFunction(f llm.Function) []llm.ToolCall {
	return []llm.ToolCall{d.newToolCall(0, f.Name, leastArguments(f.Parameters, d.turn.text))}
}

// forceCall calls a hosted tool with what the words give: the message for texts, the latest media.
func (d *round) forceCall(t *plan.Task) []llm.ToolCall {
	text := d.m.planner.Lexicon.Parse(d.turn.text)
	if len(text.Tokens) > 0 {
		if c := text.NewClause(0, len(text.Tokens)); c != nil {
			d.interpretation.FillArguments(c, t)
			if rest := c.Unused(c.Start, c.End); rest != "" && t.HasArgument("prompt") {
				t.Args["prompt"] = rest
			}
		}
	}
	for _, a := range t.Tool.Arguments {
		if !a.Required || t.Args[a.Name] != nil {
			continue
		}
		switch {
		case a.Media != "":
			if refs := d.interpretation.ResolveLatest(string(a.Media), nil); refs != nil {
				t.SetMedia(a.Name, refs...)
			}
		case a.Name == "destination_model":
			t.Args[a.Name] = d.m.planner.Guide.DefaultModel("generate_image")
		case a.Type == "string" && a.Enum == nil && d.turn.text != "":
			t.Args[a.Name] = d.turn.text
			if a.MaxLength > 0 {
				t.Args[a.Name] = phrase.Truncate(d.turn.text, a.MaxLength)
			}
		case a.Type == "array" && a.Name == "assets":
			t.Args[a.Name] = []any{map[string]any{"user_label": phrase.Truncate(d.turn.text+" ", 80), "type": "image"}}
		default:
			t.Args[a.Name] = plan.SampleValue(a)
		}
	}
	for _, n := range t.Tool.Needs {
		if refs := d.interpretation.ResolveLatest(string(n.Kind), nil); refs != nil {
			t.SetMedia(n.Argument, refs[:1]...)
		}
	}
	args, ok := d.resolveArguments(t)
	if !ok {
		return nil
	}
	settled, _, err := d.m.planner.FitArguments(t, args, d.countMedia())
	if err != nil {
		settled = args // the tool will report the error
	}
	return []llm.ToolCall{d.newToolCall(0, t.Tool.Name, settled)}
}
