package talk

import (
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/plan"
	"github.com/atelier-project/atelier/internal/kit/talk/schema"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
	"github.com/atelier-project/atelier/internal/llm"
)

type callerFunction struct {
	name   string
	words  map[string]bool // keywords of its name
	about  map[string]bool // keywords of its description
	schema *schema.Schema
}

func newCallerFunction(l *token.Lexicon, f llm.Function) *callerFunction {
	out := &callerFunction{name: f.Name, schema: schema.Parse(f.Parameters)}
	out.words = keywords(l, token.SplitName(f.Name))
	out.about = keywords(l, f.Description)
	return out
}

// score returns how much of a text is about the function. A text with the function's name is about it.
func (f *callerFunction) score(said string, words map[string]bool) int {
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

// minScore is the score from which a function is called.
const minScore = 5

// keywords returns the words of a text that are not stop words.
func keywords(l *token.Lexicon, s string) map[string]bool {
	out := map[string]bool{}
	text := l.Parse(s)
	for i, t := range text.Tokens {
		if t.Kind == token.Word && text.Match(i, i+1, "stop-word") == nil {
			out[token.Stem(t.Text)] = true
		}
	}
	return out
}

// callFunctions lists the calls of the caller's functions that a turn asks for and that were not made yet.
func (d *round) callFunctions() (calls []llm.ToolCall) {
	if d.tools.disabled || len(d.tools.functions) == 0 || len(d.interpretation.Tasks) > 0 && len(d.turn.calls) > 0 {
		return nil
	}
	made := map[string]bool{}
	for _, o := range d.turn.calls {
		made[o.call.Function.Name+"\x00"+o.call.Function.Arguments] = true
	}
	if len(made) > 0 {
		return nil // the functions were called: report their results
	}
	wanted := map[string]bool{}
	for _, part := range token.SplitSentences(d.turn.text) {
		words := keywords(d.m.planner.Lexicon, part)
		var best *callerFunction
		score := 0
		for _, f := range d.tools.functions {
			if s := f.score(part, words); s > score {
				best, score = f, s
			}
		}
		least := minScore
		if d.hasPossibleTask() && !d.interpretation.Guessed {
			least = 100 // the words ask for media, unless they name the function
		}
		if best == nil || score < least {
			continue
		}
		args, ok := schema.NewFiller(d.m.planner.Lexicon, part, false).FillObject(best.schema)
		if !ok && part != d.turn.text {
			args, ok = schema.NewFiller(d.m.planner.Lexicon, d.turn.text, false).FillObject(best.schema)
		}
		if !ok {
			continue
		}
		call := d.newToolCall(100+len(calls), best.name, args)
		if key := call.Function.Name + call.Function.Arguments; !wanted[key] && len(calls) < maxCalls {
			wanted[key] = true
			calls = append(calls, call)
		}
	}
	return calls
}

// hasPossibleTask reports whether the words ask for media that can be made.
func (d *round) hasPossibleTask() bool {
	return slices.ContainsFunc(d.interpretation.Tasks, func(t *plan.Task) bool { return t.Failed == "" })
}

// bestFunction returns the function that a text is most about, the first when it is about none.
func (d *round) bestFunction() *callerFunction {
	words := keywords(d.m.planner.Lexicon, d.turn.text)
	var best *callerFunction
	score := -1
	for _, f := range d.tools.functions {
		if s := f.score(d.turn.text, words); s > score {
			best, score = f, s
		}
	}
	return best
}

func (f *callerFunction) forceArguments(l *token.Lexicon, said string) map[string]any {
	fill := schema.NewFiller(l, said, true)
	fill.Reply = said
	args, ok := fill.FillObject(f.schema)
	if !ok || args == nil {
		args = map[string]any{}
	}
	return args
}

// adaptArguments fits the arguments of a hosted tool to a caller's function of the same name.
func (f *callerFunction) adaptArguments(args map[string]any) map[string]any {
	out := map[string]any{}
	for _, p := range f.schema.Fields {
		if v, ok := args[p.Name]; ok {
			out[p.Name] = v
			continue
		}
		if prompt, ok := args["prompt"]; ok && f.schema.Required[p.Name] && p.Schema.Kind == "string" && p.Schema.Enum == nil {
			out[p.Name] = prompt
		} else if f.schema.Required[p.Name] && p.Schema.Enum != nil {
			out[p.Name] = p.Schema.Enum[0]
		}
	}
	return out
}
