package offline

import (
	"strings"

	"github.com/atelier-project/atelier/internal/llm"
)

// function is a function of the caller.
type function struct {
	name   string
	words  map[string]bool // of its name
	about  map[string]bool // of its description
	schema *schema
}

func newFunction(l *lexicon, f llm.Function) *function {
	out := &function{name: f.Name, schema: readSchema(f.Parameters)}
	out.words = l.tellingWords(spaced(f.Name))
	out.about = l.tellingWords(f.Description)
	return out
}

// score is how much of a text is about the function. A text that writes the
// name out is about it for sure.
func (f *function) score(said string, words map[string]bool) int {
	if strings.Contains(said, f.name) && len(f.name) > 3 {
		return 100
	}
	hits, score := 0, 0
	for w := range f.words {
		if words[w] {
			hits++
		}
	}
	score += 3 * hits
	if hits > 0 && hits == len(f.words) {
		score += 3
	}
	for w := range f.about {
		if words[w] {
			score++
		}
	}
	return score
}

// enough is the score from which a function is meant.
const enough = 5

// tellingWords is the set of telling words of a text.
func (l *lexicon) tellingWords(s string) map[string]bool {
	out := map[string]bool{}
	text := l.text(s)
	for i, t := range text.tokens {
		if t.kind == word && text.entry(i, i+1, "idle") == nil {
			out[stem(t.low)] = true
		}
	}
	return out
}

// functions lists the calls of the caller's own functions that a turn wants and
// that have not been made yet.
func (d *round) functions() (calls []llm.ToolCall) {
	if d.tools.off || len(d.tools.own) == 0 || len(d.r.tasks) > 0 && len(d.now.calls) > 0 {
		return nil
	}
	made := map[string]bool{}
	for _, o := range d.now.calls {
		made[o.call.Function.Name+"\x00"+o.call.Function.Arguments] = true
	}
	if len(made) > 0 {
		return nil // results are answered, not followed by more of the same
	}
	wanted := map[string]bool{}
	for _, part := range sentences(d.now.said) {
		words := d.m.planner.lexicon.tellingWords(part)
		var best *function
		score := 0
		for _, f := range d.tools.own {
			if s := f.score(part, words); s > score {
				best, score = f, s
			}
		}
		least := enough
		if d.possible() && !d.r.guess {
			least = 100 // the words ask for media, unless they name the function
		}
		if best == nil || score < least {
			continue
		}
		args, ok := newFiller(d.m.planner.lexicon, part, false).object(best.schema)
		if !ok && part != d.now.said {
			args, ok = newFiller(d.m.planner.lexicon, d.now.said, false).object(best.schema)
		}
		if !ok {
			continue
		}
		call := d.toolCall(100+len(calls), best.name, args)
		if key := call.Function.Name + call.Function.Arguments; !wanted[key] && len(calls) < maxCalls {
			wanted[key] = true
			calls = append(calls, call)
		}
	}
	return calls
}

// possible reports whether the words ask for media that can be made.
func (d *round) possible() bool {
	for _, t := range d.r.tasks {
		if t.failed == "" {
			return true
		}
	}
	return false
}

// sentences parts a text at the ends of its sentences.
func sentences(s string) (out []string) {
	from := 0
	for _, t := range lex(s) {
		if t.is(".", "!", "?", "\n", ";") && (t.to == len(s) || s[t.to] == ' ' || s[t.to] == '\n') {
			if part := strings.TrimSpace(s[from:t.to]); part != "" && len(out) < maxClauses {
				out = append(out, part)
			}
			from = t.to
		}
	}
	if part := strings.TrimSpace(s[from:]); part != "" {
		out = append(out, part)
	}
	return out
}

// nearest is the function that a text is most about, the first when it is about
// none.
func (d *round) nearest() *function {
	words := d.m.planner.lexicon.tellingWords(d.now.said)
	var best *function
	score := -1
	for _, f := range d.tools.own {
		if s := f.score(d.now.said, words); s > score {
			best, score = f, s
		}
	}
	return best
}

// force fills the arguments of a function that has to be called.
func (f *function) force(l *lexicon, said string) map[string]any {
	fill := newFiller(l, said, true)
	fill.reply = said
	args, ok := fill.object(f.schema)
	if !ok || args == nil {
		args = map[string]any{}
	}
	return args
}

// adapt makes the arguments of a hosted tool fit a function of the caller that
// has its name: what the function does not know is left out.
func (f *function) adapt(args map[string]any) map[string]any {
	out := map[string]any{}
	for _, p := range f.schema.fields {
		if v, ok := args[p.name]; ok {
			out[p.name] = v
			continue
		}
		if prompt, ok := args["prompt"]; ok && f.schema.required[p.name] && p.schema.sort == "string" && p.schema.enum == nil {
			out[p.name] = prompt
		} else if f.schema.required[p.name] && p.schema.enum != nil {
			out[p.name] = p.schema.enum[0]
		}
	}
	return out
}
