package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/intent"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// resolveLeftovers resolves the clauses that ask for nothing by themselves: they add to a request, describe a picture,
// or ask for help.
func (r *Interpretation) resolveLeftovers(t *token.Text) {
	if len(r.unresolved) == 0 {
		r.takeImageReply(t)
		return
	}
	for _, task := range r.Tasks {
		if task.Act != "make" || task.Args["prompt"] == nil {
			continue
		}
		for _, c := range r.unresolved {
			if !intent.IsQuestion(c) {
				r.amend(task, c)
			}
		}
		return
	}
	if len(r.Tasks) > 0 || len(r.Questions) > 0 {
		return
	}
	for _, c := range r.unresolved {
		if r.takeComparative(c) {
			return
		}
		if r.changesLastRequest(c) {
			r.repeatRequest(c)
			return
		}
	}
	for _, c := range r.unresolved {
		if r.sayIf(r.planner.Guide.Answer(c)) {
			return
		}
	}
	if len(r.Answers) > 0 || r.notUnderstood {
		r.notUnderstood = true
		return
	}
	for i, c := range r.unresolved {
		if !describesPicture(c) {
			continue
		}
		r.planImage(c, slot.NounPhrase{Start: c.Start})
		if task := r.lastTask(); task != nil {
			for _, more := range r.unresolved[i+1:] {
				r.amend(task, more)
			}
		}
		return
	}
	r.notUnderstood = r.notUnderstood || intent.IsGeneralKnowledge(r.unresolved[0])
}

// takeComparative takes a comparative alone as an edit of the latest result: darker, a bit more dramatic.
func (r *Interpretation) takeComparative(c *token.Clause) bool {
	if c.End-c.Start > 8 || intent.IsQuestion(c) || !r.hasMedia(c) && len(r.state.Last) == 0 {
		return false
	}
	compares := c.Tokens[c.Lead].Is("now") && c.Start > c.Lead && c.End-c.Start <= 4 && r.newestKind() == "image" && !intent.IsDetail(c)
	for i := c.Start; i < min(c.End, c.Start+4); i++ {
		low := c.Tokens[i].Text
		compares = compares || c.Tokens[i].Is("more", "less", "too") && i+1 < c.End || len(low) > 4 && strings.HasSuffix(low, "er") && c.Matches(i, c.End,
			"comparative", "tempo", "better")
	}
	if !compares {
		return false
	}
	switch r.newestKind() {
	case "audio":
		r.repeatRequest(c)
	case "video", "image":
		r.planEdit(c, 0)
		for _, t := range r.Tasks {
			if prompt, ok := t.Args["prompt"].(string); ok && t.Act == "edit" && !strings.HasPrefix(prompt, "make it ") {
				t.Args["prompt"] = "make it " + prompt
			}
		}
	default:
		r.repeatRequest(c)
	}
	return true
}

// changesLastRequest reports whether a clause only changes a detail of the last request: in 16:9, use krea instead, in
// a female voice.
func (r *Interpretation) changesLastRequest(c *token.Clause) bool {
	base := r.lastRequest()
	if base == nil || intent.IsQuestion(c) || c.End-c.Start > 14 {
		return false
	}
	if c.Tokens[c.Start].Is("use", "using", "with") && r.planner.namesModel(c, base) {
		return true
	}
	if len(base.Media) > 0 && c.End-c.Start <= 5 && c.Peek("ordinal") != nil {
		return true
	}
	return intent.IsDetail(c) && !intent.IsGeneralKnowledge(c)
}

// takeImageReply takes a picture without words as the answer to a question for one.
func (r *Interpretation) takeImageReply(t *token.Text) {
	w := r.state.Pending
	if w == nil || len(t.Tokens) > 0 || w.argument == "" {
		return
	}
	if refs := r.ResolveLatest(w.slot, nil); refs != nil {
		r.state.Pending = nil
		r.addForMedia(w.task.clone(), w.argument, w.slot, refs)
	}
}

// isCalculation reports whether a clause has only numbers and what is between them: 2 + 2.
func isCalculation(c *token.Clause) bool {
	for i := c.Start; i < c.End; i++ {
		if t := c.Tokens[i]; t.Kind == token.Word && !t.Is("plus", "minus", "times", "divided", "by") && c.Match(i, c.End, "number") == nil {
			return false
		}
	}
	return true
}

// describesPicture reports whether a clause without a verb describes a picture: a red fox in the snow.
func describesPicture(c *token.Clause) bool {
	n := c.End - c.Start
	if isCalculation(c) {
		return false
	}
	if n >= 3 && !intent.IsQuestion(c) && (c.Tokens[c.Start].Is("a", "an") || c.Matches(c.Start, c.End, "number")) &&
		!c.Contains("i", "you", "my", "is", "are") {
		return true
	}
	if n < 2 || intent.IsGeneralKnowledge(c) || c.Contains("i", "you", "we", "i'm", "i've", "your", "what", "why", "how", "is", "are", "was",
		"were", "do", "does", "am", "my", "he", "she") {
		return false
	}
	if c.Tokens[c.Start].Is("a", "an", "two", "three", "four", "five", "many", "some") || c.Tokens[c.Start].Kind == token.Number {
		return true
	}
	if c.Peek("style") != nil && n >= 3 {
		return true
	}
	for i := c.Start + 1; i < c.End-1; i++ {
		if c.Tokens[i].Is("in", "on", "at", "with", "under", "by", "near", "over", "behind", "through", "wearing", "holding") {
			return n >= 4
		}
	}
	return false
}
