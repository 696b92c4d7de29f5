package offline

import (
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/llm/offline/phrase"
)

// report tells what became of a turn.
func (d *round) report() string {
	var parts []string
	var sentences []string
	flush := func() {
		if sentences != nil {
			parts = append(parts, strings.Join(sentences, " "))
			sentences = nil
		}
	}
	told := map[string]bool{}
	for _, t := range d.interpretation.tasks {
		text, block := d.reportTask(t)
		if text == "" || told[text] {
			continue
		}
		told[text] = true
		if block {
			flush()
			parts = append(parts, text)
			continue
		}
		sentences = append(sentences, text)
		for _, n := range t.notes {
			if !told[n] {
				told[n] = true
				sentences = append(sentences, n)
			}
		}
	}
	flush()
	parts = append(parts, d.reportOtherCalls()...)
	parts = append(parts, d.interpretation.answers...)
	for _, w := range d.interpretation.questions {
		if !told[w.text] {
			told[w.text] = true
			parts = append(parts, w.text)
		}
	}
	if len(parts) == 0 && d.interpretation.smallTalk != "" {
		parts = append(parts, d.m.planner.templates.SmallTalk[d.interpretation.smallTalk])
	}
	if len(parts) == 0 {
		parts = append(parts, d.interpretation.explainNotUnderstood(d.turn.text))
	}
	return strings.Join(parts, "\n\n")
}

// reportTask says what became of a task; a text of some length stands by itself.
func (d *round) reportTask(t *task) (text string, block bool) {
	o := d.results[t]
	template := d.m.planner.templates.ForTool(t.tool.Name)
	fill := func(s string, n int) string {
		count := phrase.FormatNumber(float64(n))
		if n < len(phrase.Numerals) {
			count = phrase.Numerals[n]
		}
		about := strings.TrimRight(phrase.Shorten(t.subject, 140), ".!? ")
		if about == "" {
			s = strings.NewReplacer(": {about}", "", " of {about}", "", " ({about})", "", ` of "{about}"`, "").Replace(s)
		}
		return strings.NewReplacer("{about}", about, "{n}", count, "{N}", phrase.Capitalize(count), "{tool}", t.tool.Name).Replace(s)
	}
	switch {
	case o == nil && t.failed == "":
		return "", false
	case o == nil:
		return phrase.Capitalize(fill(template.Failed, 1)) + ": " + strings.TrimSuffix(t.failed, ".") + ".", false
	case !o.arrived:
		return phrase.Capitalize(fill(template.Failed, 1)) + ": no result came back.", false
	case !o.succeeded():
		return phrase.Capitalize(fill(template.Failed, 1)) + ": " + o.describeFailure(), false
	}
	if words := d.results[t.lyrics]; t.lyrics != nil && (words == nil || !words.succeeded()) {
		t.addNote("It has no words, because they could not be written.")
	}
	if args, ok := d.resolveArguments(t); ok { // what was changed to fit is told now
		if _, notes, err := d.m.planner.fitArguments(t, args, d.countMedia()); err == nil {
			for _, n := range notes {
				t.addNote(n)
			}
		}
	}
	if template.One == "" {
		return summarize(t, o), true
	}
	n := len(o.assets())
	if n > 1 {
		return fill(template.Many, n), false
	}
	return fill(template.One, 1), false
}

// describeFailure is why a call failed, in words, with what could help.
func (o *callResult) describeFailure() string {
	message, _ := o.result["message"].(string)
	if message == "" {
		message, _ = o.result["error"].(string)
	}
	if nested, ok := o.result["error"].(map[string]any); ok && message == "" {
		message, _ = nested["message"].(string)
	}
	if message == "" {
		message = "the tool did not say why"
	}
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

// reportOtherCalls tells the results of functions that belong to no task.
func (d *round) reportOtherCalls() (out []string) {
	for _, o := range d.turn.calls {
		if slices.Contains(slices.Collect(maps.Values(d.results)), o) {
			continue
		}
		name := o.call.Function.Name
		switch {
		case !o.arrived:
			out = append(out, name+" gave no result.")
		case !o.succeeded():
			out = append(out, name+" did not work: "+o.describeFailure())
		case o.result == nil:
			out = append(out, strings.TrimSpace(phrase.Shorten(strings.Trim(o.raw, `"`), 4000)))
		default:
			said := ""
			for _, key := range []string{"answer", "summary", "message", "text", "result", "content"} {
				if s, ok := o.result[key].(string); ok && s != "" && said == "" {
					said = s
				}
			}
			if said == "" {
				said = name + " says:\n\n" + outline(o.result, 0)
			}
			out = append(out, phrase.Shorten(said, 4000))
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}
