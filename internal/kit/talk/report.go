package talk

import (
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/plan"
)

// report summarizes the results of a turn.
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
	for _, t := range d.interpretation.Tasks {
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
		for _, n := range t.Notes {
			if !told[n] {
				told[n] = true
				sentences = append(sentences, n)
			}
		}
	}
	flush()
	parts = append(parts, d.reportOtherCalls()...)
	parts = append(parts, d.interpretation.Answers...)
	for _, w := range d.interpretation.Questions {
		if !told[w.Text] {
			told[w.Text] = true
			parts = append(parts, w.Text)
		}
	}
	if len(parts) == 0 && d.interpretation.SmallTalk != "" {
		parts = append(parts, d.m.planner.Templates.SmallTalk[d.interpretation.SmallTalk])
	}
	if len(parts) == 0 {
		parts = append(parts, d.interpretation.ExplainNotUnderstood(d.turn.text))
	}
	return strings.Join(parts, "\n\n")
}

// reportTask summarizes the result of a task. A block is a text of its own.
func (d *round) reportTask(t *plan.Task) (text string, block bool) {
	o := d.results[t]
	template := d.m.planner.Templates.ForTool(t.Tool.Name)
	fill := func(s string, n int) string {
		count := phrase.FormatNumber(float64(n))
		if n < len(phrase.Numerals) {
			count = phrase.Numerals[n]
		}
		about := strings.TrimRight(phrase.Shorten(t.Subject, 140), ".!? ")
		if about == "" {
			s = strings.NewReplacer(": {about}", "", " of {about}", "", " ({about})", "", ` of "{about}"`, "").Replace(s)
		}
		return strings.NewReplacer("{about}", about, "{n}", count, "{N}", phrase.Capitalize(count), "{tool}", t.Tool.Name).Replace(s)
	}
	switch {
	case o == nil && t.Failed == "":
		return "", false
	case o == nil:
		return phrase.Capitalize(fill(template.Failed, 1)) + ": " + strings.TrimSuffix(t.Failed, ".") + ".", false
	case !o.arrived:
		return phrase.Capitalize(fill(template.Failed, 1)) + ": no result came back.", false
	case !o.succeeded():
		return phrase.Capitalize(fill(template.Failed, 1)) + ": " + o.describeFailure(), false
	}
	if words := d.results[t.Lyrics]; t.Lyrics != nil && (words == nil || !words.succeeded()) {
		t.AddNote("It has no words, because they could not be written.")
	}
	if args, ok := d.resolveArguments(t); ok { // report what was changed to fit
		if _, notes, err := d.m.planner.FitArguments(t, args, d.countMedia()); err == nil {
			for _, n := range notes {
				t.AddNote(n)
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

// reportOtherCalls reports the results of calls that belong to no task.
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
