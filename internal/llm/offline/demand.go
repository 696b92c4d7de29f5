package offline

import "github.com/atelier-project/atelier/internal/llm"

// demanded makes the call that tool_choice names, once.
func (d *round) demanded() []llm.ToolCall {
	name := d.tools.named
	if name == "" || len(d.now.calls) > 0 {
		return nil
	}
	for n, t := range d.r.tasks { // what the words ask for, when that is the tool
		if t.tool.Name == name {
			if waits := d.waits(t); !waits {
				if call, ok := d.call(n, t); ok {
					return []llm.ToolCall{call}
				}
			}
		}
	}
	if own := d.tools.function(name); own != nil {
		return []llm.ToolCall{d.toolCall(0, name, own.force(d.m.planner.lexicon, d.now.said))}
	}
	tool, ok := d.tools.hosted[name]
	if !ok {
		return nil
	}
	return d.force(&task{tool: tool, args: map[string]any{}})
}

// insisted makes some call when tool_choice requires one and the words ask for
// none: a question back when that is a tool, else what comes nearest.
func (d *round) insisted() []llm.ToolCall {
	if !d.tools.required || len(d.now.calls) > 0 {
		return nil
	}
	if ask, ok := d.tools.hosted["ask_clarifying_question"]; ok {
		question := d.report()
		return []llm.ToolCall{d.toolCall(0, ask.Name, map[string]any{"question": question})}
	}
	if f := d.nearest(); f != nil {
		return []llm.ToolCall{d.toolCall(0, f.name, f.force(d.m.planner.lexicon, d.now.said))}
	}
	for _, name := range []string{"generate_image", "enhance_prompt", "finalize_response"} {
		if tool, ok := d.tools.hosted[name]; ok {
			return d.force(&task{tool: tool, args: map[string]any{}})
		}
	}
	return nil
}

// force calls a hosted tool with whatever the words give: its texts are the
// message, its media the latest.
func (d *round) force(t *task) []llm.ToolCall {
	text := d.m.planner.lexicon.text(d.now.said)
	if len(text.tokens) > 0 {
		if c := text.clause(0, len(text.tokens)); c != nil {
			d.r.fill(c, t)
			if rest := c.rest(c.start, c.to); rest != "" && t.takes("prompt") {
				t.args["prompt"] = rest
			}
		}
	}
	for _, a := range t.tool.Arguments {
		if !a.Required || t.args[a.Name] != nil {
			continue
		}
		switch {
		case a.Media != "":
			if refs := d.r.latest(string(a.Media), nil); refs != nil {
				t.address(a.Name, refs...)
			}
		case a.Name == "destination_model":
			t.args[a.Name] = d.m.planner.guide.defaultModel("generate_image")
		case a.Type == "string" && a.Enum == nil && d.now.said != "":
			t.args[a.Name] = d.now.said
			if a.MaxLength > 0 {
				t.args[a.Name] = cut(d.now.said, a.MaxLength)
			}
		case a.Type == "array" && a.Name == "assets":
			t.args[a.Name] = []any{map[string]any{"user_label": cut(d.now.said+" ", 80), "type": "image"}}
		default:
			t.args[a.Name] = sample(a)
		}
	}
	for _, n := range t.tool.Needs {
		if refs := d.r.latest(string(n.Kind), nil); refs != nil {
			t.address(n.Argument, refs[:1]...)
		}
	}
	args, ok := d.resolve(t)
	if !ok {
		return nil
	}
	settled, _, err := d.m.planner.settle(t, args, d.facts())
	if err != nil {
		settled = args // the tool will say what is wrong with it
	}
	return []llm.ToolCall{d.toolCall(0, t.tool.Name, settled)}
}
