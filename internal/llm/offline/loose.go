package offline

import "strings"

// resolveLeftovers finds a use for the clauses that asked for nothing by themselves:
// they say more about a request, describe a picture, or ask for help.
func (r *interpretation) resolveLeftovers(t *text) {
	if len(r.unresolved) == 0 {
		r.takeImageReply(t)
		return
	}
	for _, task := range r.tasks {
		if task.act != "make" || task.args["prompt"] == nil {
			continue
		}
		for _, c := range r.unresolved {
			if !c.isQuestion() {
				r.amend(task, c)
			}
		}
		return
	}
	if len(r.tasks) > 0 || len(r.questions) > 0 {
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
		if r.answerFromGuide(c) || r.calculate(c) {
			return
		}
	}
	if len(r.answers) > 0 || r.notUnderstood {
		r.notUnderstood = true
		return
	}
	for i, c := range r.unresolved {
		if !r.describesPicture(c) {
			continue
		}
		r.planImage(c, nounPhrase{start: c.start})
		r.guessed = true
		if task := r.lastTask(); task != nil {
			for _, more := range r.unresolved[i+1:] {
				r.amend(task, more)
			}
		}
		return
	}
	r.notUnderstood = r.notUnderstood || r.unresolved[0].isGeneralKnowledge()
}

// takeComparative takes a comparative alone for a change of the latest result: darker, a
// bit more dramatic.
func (r *interpretation) takeComparative(c *clause) bool {
	if c.end-c.start > 8 || c.isQuestion() || !r.hasMedia(c) && len(r.state.last) == 0 {
		return false
	}
	compares := c.tokens[c.lead].is("now") && c.start > c.lead && c.end-c.start <= 4 && r.newestKind() == "image" && !c.isDetail()
	for i := c.start; i < min(c.end, c.start+4); i++ {
		low := c.tokens[i].text
		compares = compares || c.tokens[i].is("more", "less", "too") && i+1 < c.end || len(low) > 4 && strings.HasSuffix(low, "er") && c.matches(i, c.end,
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
		for _, t := range r.tasks {
			if prompt, ok := t.args["prompt"].(string); ok && t.act == "edit" && !strings.HasPrefix(prompt, "make it ") {
				t.args["prompt"] = "make it " + prompt
			}
		}
	default:
		r.repeatRequest(c)
	}
	return true
}

// changesLastRequest reports whether a clause only changes a particular of the last
// request: in 16:9, use krea instead, in a female voice.
func (r *interpretation) changesLastRequest(c *clause) bool {
	base := r.lastRequest()
	if base == nil || c.isQuestion() || c.end-c.start > 14 {
		return false
	}
	if c.tokens[c.start].is("use", "using", "with") && r.planner.namesModel(c, base) {
		return true
	}
	if len(base.media) > 0 && c.end-c.start <= 5 && c.peek("ordinal") != nil {
		return true
	}
	return c.isDetail() && !c.isGeneralKnowledge()
}

// takeImageReply lets a picture without words answer a question for one.
func (r *interpretation) takeImageReply(t *text) {
	w := r.state.pending
	if w == nil || len(t.tokens) > 0 || w.argument == "" {
		return
	}
	if refs := r.resolveLatest(w.slot, nil); refs != nil {
		r.state.pending = nil
		r.addForMedia(w.task.clone(), w.argument, w.slot, refs)
	}
}

// describesPicture reports whether a clause without a verb describes a picture: a red
// fox in the snow.
func (r *interpretation) describesPicture(c *clause) bool {
	n := c.end - c.start
	if n >= 3 && !c.isQuestion() && (c.tokens[c.start].is("a", "an") || c.matches(c.start, c.end, "number")) && !c.contains("i", "you", "my", "is", "are") {
		return true
	}
	if n < 2 || c.isGeneralKnowledge() || c.contains("i", "you", "we", "i'm", "i've", "your", "what", "why", "how", "is", "are", "was", "were", "do", "does", "am",
		"my", "he", "she") {
		return false
	}
	if c.tokens[c.start].is("a", "an", "two", "three", "four", "five", "many", "some") || c.tokens[c.start].kind == number {
		return true
	}
	if c.peek("style") != nil && n >= 3 {
		return true
	}
	for i := c.start + 1; i < c.end-1; i++ {
		if c.tokens[i].is("in", "on", "at", "with", "under", "by", "near", "over", "behind", "through", "wearing", "holding") {
			return n >= 4
		}
	}
	return false
}

// isGeneralKnowledge reports whether a clause is about the world at large.
func (c *clause) isGeneralKnowledge() bool {
	for i := c.lead; i < c.end; i++ {
		if c.matches(i, c.end, "world") {
			return true
		}
	}
	return c.isQuestion() || c.match(c.start, c.end, "verb", "learn") != nil
}
