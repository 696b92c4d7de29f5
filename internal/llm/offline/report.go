package offline

import (
	"maps"
	"slices"
	"strings"
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
	for _, t := range d.r.tasks {
		text, block := d.tell(t)
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
	parts = append(parts, d.others()...)
	parts = append(parts, d.r.said...)
	for _, w := range d.r.asked {
		if !told[w.question] {
			told[w.question] = true
			parts = append(parts, w.question)
		}
	}
	if len(parts) == 0 && d.r.talk != "" {
		parts = append(parts, d.m.planner.phrases.talk[d.r.talk])
	}
	if len(parts) == 0 {
		parts = append(parts, d.r.bewildered(d.now.said))
	}
	return strings.Join(parts, "\n\n")
}

// tell says what became of a task; a text of some length stands by itself.
func (d *round) tell(t *task) (text string, block bool) {
	o := d.outcomes[t]
	phrase := d.m.planner.phrases.of(t.tool.Name)
	fill := func(s string, n int) string {
		count := plain(float64(n))
		if n < len(numerals) {
			count = numerals[n]
		}
		about := strings.TrimRight(clip(t.about, 140), ".!? ")
		if about == "" {
			s = strings.NewReplacer(": {about}", "", " of {about}", "", " ({about})", "", ` of "{about}"`, "").Replace(s)
		}
		return strings.NewReplacer("{about}", about, "{n}", count, "{N}", capital(count), "{tool}", t.tool.Name).Replace(s)
	}
	switch {
	case o == nil && t.failed == "":
		return "", false
	case o == nil:
		return capital(fill(phrase.failed, 1)) + ": " + strings.TrimSuffix(t.failed, ".") + ".", false
	case !o.heard:
		return capital(fill(phrase.failed, 1)) + ": no result came back.", false
	case !o.ok():
		return capital(fill(phrase.failed, 1)) + ": " + o.failure(), false
	}
	if words := d.outcomes[t.lyrics]; t.lyrics != nil && (words == nil || !words.ok()) {
		t.note("It has no words, because they could not be written.")
	}
	if args, ok := d.resolve(t); ok { // what was changed to fit is told now
		if _, notes, err := d.m.planner.settle(t, args, d.facts()); err == nil {
			for _, n := range notes {
				t.note(n)
			}
		}
	}
	if phrase.one == "" {
		return findings(t, o), true
	}
	n := len(o.assets())
	if n > 1 {
		return fill(phrase.many, n), false
	}
	return fill(phrase.one, 1), false
}

// failure is why a call failed, in words, with what could help.
func (o *outcome) failure() string {
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
	message = strings.TrimSuffix(clip(message, 400), ".") + "."
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

// others tells the results of functions that belong to no task.
func (d *round) others() (out []string) {
	for _, o := range d.now.calls {
		if slices.Contains(slices.Collect(maps.Values(d.outcomes)), o) {
			continue
		}
		name := o.call.Function.Name
		switch {
		case !o.heard:
			out = append(out, name+" gave no result.")
		case !o.ok():
			out = append(out, name+" did not work: "+o.failure())
		case o.result == nil:
			out = append(out, strings.TrimSpace(clip(strings.Trim(o.raw, `"`), 4000)))
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
			out = append(out, clip(said, 4000))
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}
