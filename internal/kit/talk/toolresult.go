package talk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/plan"
)

// summarize describes the result of a tool that makes no media.
func summarize(t *plan.Task, o *callResult) string {
	text := func(name string) string {
		s, _ := o.result[name].(string)
		return strings.TrimSpace(s)
	}
	switch t.Tool.Name {
	case "enhance_prompt":
		return addHeading("Here is a better prompt:", quoteBlock(text("prompt")), o)
	case "compose_lyrics":
		out := addHeading("Here are the words"+formatSubject(t)+":", text("lyrics"), o)
		if bpm, ok := o.result["bpm"].(float64); ok {
			out += fmt.Sprintf("\n\nThey suit %s beats a minute", phrase.FormatNumber(bpm))
			if key := text("keyscale"); key != "" {
				out += " in " + key
			}
			out += "."
		}
		return out
	case "compose_script":
		return addHeading("Here is the script"+formatSubject(t)+":", text("script"), o)
	case "compose_instrumental":
		s := text("structure")
		if s == "" && o.result["structure"] != nil {
			s = outline(o.result["structure"], 0)
		}
		return addHeading("Here is the plan of the piece:", s, o)
	case "compose_workflow", "compose_workflow_template":
		return summarizePlan(t, o)
	}
	if s := describeFile(o.result["content"]); s != "" {
		return s
	}
	for _, holder := range []any{o.result["content"], o.result["metadata"], o.result["result"], o.result} {
		if s, ok := holder.(string); ok && strings.TrimSpace(s) != "" {
			return phrase.Shorten(strings.TrimSpace(s), 4000)
		}
		fields, ok := holder.(map[string]any)
		if !ok {
			continue
		}
		for _, name := range []string{"answer", "summary", "description", "text", "message"} {
			if s, ok := fields[name].(string); ok && s != "" {
				return phrase.Shorten(s, 4000)
			}
		}
		if _, top := fields["ok"]; !top && len(fields) > 0 {
			return phrase.Shorten(outline(fields, 0), 4000)
		}
	}
	return "That is done; what was found is in the result of the workflow."
}

func formatSubject(t *plan.Task) string {
	if t.Subject == "" {
		return ""
	}
	return " for \"" + phrase.Shorten(t.Subject, 100) + "\""
}

// addHeading puts a line before a text. Without a text it returns the tool's message.
func addHeading(line, text string, o *callResult) string {
	if text == "" {
		if s, ok := o.result["message"].(string); ok && s != "" {
			return s
		}
		return "That is done."
	}
	return line + "\n\n" + text
}

func quoteBlock(s string) string {
	if s == "" {
		return ""
	}
	return "> " + strings.ReplaceAll(s, "\n", "\n> ")
}

// summarizePlan lists the steps of a plan, its estimate, and how to start it.
func summarizePlan(t *plan.Task, o *callResult) string {
	plan, _ := o.result["plan"].(map[string]any)
	if input, ok := plan["input"].(map[string]any); ok && plan["steps"] == nil {
		plan = input
	}
	steps, _ := plan["steps"].([]any)
	if len(steps) == 0 {
		return addHeading("", "", o)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Here is a plan of %s:\n", strings.Replace(phrase.FormatCount(len(steps), "step"), "a step", "one step", 1))
	for i, s := range steps {
		step, _ := s.(map[string]any)
		tool, _ := step["toolName"].(string)
		args, _ := step["arguments"].(map[string]any)
		what, _ := args["prompt"].(string)
		fmt.Fprintf(&b, "\n%d. %s", i+1, tool)
		if what != "" {
			fmt.Fprintf(&b, ": %s", phrase.Shorten(what, 120))
		}
	}
	if units, ok := o.result["estimated_capacity_units"].(float64); ok {
		fmt.Fprintf(&b, "\n\nIt is estimated at %s capacity units.", phrase.FormatNumber(units))
	}
	if t.Tool.Name == "compose_workflow_template" {
		b.WriteString("\n\nThe draft is in the result of the tool; save it with POST /v1/creative-agent/workflows/templates.")
	} else {
		b.WriteString("\n\nThe plan is in the result of the tool; start it with POST /v1/creative-agent/workflows.")
	}
	return b.String()
}

// maxOutline is the depth to which a value is written.
const maxOutline = 3

// outline writes a value as a list, sorted by key.
func outline(v any, depth int) string {
	pad := strings.Repeat("  ", depth)
	switch v := v.(type) {
	case map[string]any:
		if depth >= maxOutline {
			return "…"
		}
		var lines []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			inner := outline(v[k], depth+1)
			if strings.Contains(inner, "\n") || isNonEmpty(v[k]) {
				lines = append(lines, pad+"- "+k+":\n"+inner)
			} else {
				lines = append(lines, pad+"- "+k+": "+inner)
			}
		}
		return strings.Join(lines, "\n")
	case []any:
		if depth >= maxOutline {
			return "…"
		}
		var lines []string
		for i, e := range v {
			if i == 20 {
				lines = append(lines, pad+"- …")
				break
			}
			lines = append(lines, pad+"- "+strings.TrimLeft(outline(e, depth+1), " -"))
		}
		return strings.Join(lines, "\n")
	case float64:
		return phrase.FormatNumber(v)
	case string:
		return phrase.Shorten(v, 300)
	case nil:
		return "none"
	}
	return fmt.Sprint(v)
}

func isNonEmpty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}

// describeFile describes a file's metadata in a sentence, empty when it is not in the shape of extract_metadata.
func describeFile(v any) string {
	all, _ := v.(map[string]any)
	file, ok := all["file"].(map[string]any)
	if !ok {
		return ""
	}
	format, _ := file["format"].(string)
	kind, _ := file["kind"].(string)
	parts := []string{strings.TrimSpace("A " + format + " file")}
	if part, ok := all[kind].(map[string]any); ok {
		number := func(name string) float64 { f, _ := part[name].(float64); return f }
		if w, h := number("width"), number("height"); w > 0 && h > 0 {
			parts = append(parts, phrase.FormatNumber(w)+" by "+phrase.FormatNumber(h)+" pixels")
		}
		if s := number("durationSeconds"); s > 0 {
			parts = append(parts, phrase.FormatNumber(s)+" seconds long")
		}
		if f := number("frameRate"); f > 0 {
			parts = append(parts, phrase.FormatNumber(f)+" frames a second")
		}
		if f := number("sampleRate"); f > 0 {
			parts = append(parts, phrase.FormatNumber(f)+" samples a second")
		}
		if codec, ok := part["codec"].(string); ok && codec != "" {
			parts = append(parts, "codec "+codec)
		}
		if sound, ok := part["hasAudio"].(bool); ok {
			parts = append(parts, map[bool]string{true: "with sound", false: "without sound"}[sound])
		}
	}
	if size, ok := file["sizeBytes"].(float64); ok {
		parts = append(parts, phrase.FormatNumber(size)+" bytes")
	}
	return strings.Join(parts, ", ") + "."
}

// describeFailure says why a call failed, and what could help.
func (o *callResult) describeFailure() string {
	direct, _ := o.result["message"].(string)
	text, _ := o.result["error"].(string)
	fields, _ := o.result["error"].(map[string]any)
	nested, _ := fields["message"].(string)
	message := cmp.Or(direct, text, nested, "the tool did not say why")
	message = strings.TrimSuffix(phrase.Shorten(message, 400), ".") + "."
	kind, _ := o.result["error_type"].(string)
	switch retryable, _ := o.result["retryable"].(bool); {
	case kind == "SAFETY_REJECTED":
		return message + " Put it in other words and try again."
	case kind == "COST_LIMIT_EXCEEDED":
		return message + " Add credit, or ask for something smaller."
	case retryable:
		return message + " It may work if you try again."
	}
	return message
}
