package offline

import (
	"slices"
	"strings"
)

// tasksMaking lists what the tasks of this message will have made of a kind, the
// newest task last.
func (r *interpretation) tasksMaking(kind string) (out []*task) {
	for _, t := range r.tasks {
		if t.outputKind() == kind {
			out = append(out, t)
		}
	}
	return out
}

// countAttached is how many pieces of a kind came with this message.
func (r *interpretation) countAttached(kind string) (n int) {
	for _, it := range r.state.media.filter(kind, true) {
		if it.current {
			n++
		}
	}
	return n
}

// resolveLatest is the media that a message means when it says no more than "it": what
// it has just asked for, what came with it, what was made last, what was sent
// before.
func (r *interpretation) resolveLatest(kind string, c *clause) []mediaRef {
	if tasks := r.tasksMaking(kind); tasks != nil {
		t := tasks[len(tasks)-1]
		return []mediaRef{{task: t}}
	}
	var sent, made *mediaItem
	for _, it := range r.state.media.filter(kind, true) {
		if it.current && (sent == nil || !sent.current) {
			sent = it // the first of those that came with the message
		} else if !it.current && (sent == nil || !sent.current) {
			sent = it
		}
	}
	for _, it := range r.state.media.filter(kind, false) {
		made = it
	}
	switch {
	case sent != nil && (sent.current || made == nil || c != nil && c.mentionsUpload()):
		return []mediaRef{{item: sent}}
	case made != nil:
		return []mediaRef{{item: made}}
	}
	return nil
}

// mentionsUpload reports whether a clause speaks of what its writer has sent.
func (c *clause) mentionsUpload() bool {
	for i := c.start; i < c.end; i++ {
		if e := c.match(i, c.end, "sent"); e != nil {
			if !c.tokens[i].is("my") || c.matchNoun(i+1, c.end) != nil || i+2 < c.end && c.matchNoun(i+2, c.end) != nil {
				return true
			}
		}
	}
	return false
}

// resolveMedia finds the media of a kind that a clause means. Nothing said means the
// latest; nil means that there is none.
func (r *interpretation) resolveMedia(c *clause, kind string) []mediaRef {
	r.labelTokens = [2]int{}
	for i := c.start; i < c.end; i++ {
		if c.used[i] && !c.tokens[i].is("it", "them") {
			continue
		}
		if refs := r.resolveNumbered(c, i, kind); refs != nil {
			return refs
		}
	}
	if c.isPlural(kind) {
		if refs := r.resolveAll(c, kind); refs != nil {
			return refs
		}
	}
	if refs := r.resolveByLabel(c, kind); refs != nil {
		return refs
	}
	return r.resolveLatest(kind, c)
}

// resolveByLabel finds media that a clause means by what it shows.
func (r *interpretation) resolveByLabel(c *clause, kind string) []mediaRef {
	for i := c.start; i < c.end; i++ {
		if c.used[i] || !c.tokens[i].is("the", "that", "this", "of", "my") {
			continue
		}
		if it := r.findByLabel(c, i, kind); it != nil {
			r.labelTokens = [2]int{i, min(c.end, i+2)}
			return []mediaRef{*it}
		}
	}
	return nil
}

// resolveNumbered reads the second picture, image 2, the last two clips, #3.
func (r *interpretation) resolveNumbered(c *clause, i int, kind string) []mediaRef {
	if e := c.match(i, c.end, "ordinal"); e != nil {
		at := i + e.len
		nth, count := int(e.number("value")), 1
		if v, n := c.matchNumber(at, c.end); n > 0 && v >= 2 && v <= 16 {
			count, at = int(v), at+n
		}
		named := c.mediaNounLength(at, kind)
		if named == 0 && !(at >= c.end || c.tokens[at].is("one", "ones", "and", "to", "from", "with", "by", ",") || c.matches(at, c.end, "tail")) {
			return nil
		}
		if named == 0 && (i == c.start || !c.tokens[i-1].is("the", "my", "that", "this", "and")) {
			return nil
		}
		if e.key == "second" && at < c.end && c.tokens[at].is("clip", "video") && i > c.start && (c.tokens[i-1].kind == number || c.tokens[i-1].adjacent) {
			return nil // a ten second clip
		}
		list := r.listCandidates(c, kind, nth)
		if refs := pickNth(list, nth, count); refs != nil {
			c.use(i, i+e.len)
			return refs
		}
		return nil
	}
	named := c.mediaNounLength(i, kind)
	if named == 0 && !c.tokens[i].is("#") && !c.tokens[i].is("number") {
		return nil
	}
	at := i + max(1, named)
	for at < c.end && c.tokens[at].is("#", "number", "no") {
		at++
	}
	if at >= c.end || c.tokens[at].kind != number || c.tokens[at].value < 1 || c.tokens[at].value > 64 || at+1 < c.end && (c.matches(at+1, c.end, "unit") ||
		c.tokens[at+1].is("x", ":", "by")) {
		return nil
	}
	n := int(c.tokens[at].value)
	if refs := pickNth(r.listCandidates(c, kind, n), n, 1); refs != nil {
		c.use(at, at+1)
		return refs
	}
	return nil
}

// mediaNounLength is how many tokens name media of a kind.
func (c *clause) mediaNounLength(i int, kind string) int {
	for skip := 0; skip < 2 && i+skip < c.end; skip++ {
		if e := c.matchNoun(i+skip, c.end); e != nil && e.attr("kind") == kind {
			return skip + e.len
		}
		if !c.matches(i+skip, c.end, "adjective") {
			break
		}
	}
	return 0
}

// findByLabel finds media by what it shows: the fox, the picture of the castle.
func (r *interpretation) findByLabel(c *clause, i int, kind string) *mediaRef {
	var words []string
	for k := i + 1; k < min(c.end, i+7); k++ {
		if c.tokens[k].kind != word || c.matches(k, c.end, "prep", "verb") && !c.tokens[k].is("of") && len(words) > 0 {
			break
		}
		if !c.matches(k, c.end, "det", "noun", "prep", "ordinal", "pronoun", "adjective") && len(c.tokens[k].text) > 2 {
			words = append(words, stem(c.tokens[k].text))
		}
	}
	if len(words) == 0 {
		return nil
	}
	for k := len(r.tasks) - 1; k >= 0; k-- {
		if t := r.tasks[k]; t.outputKind() == kind && labelHasWord(t.subject, words) {
			return &mediaRef{task: t}
		}
	}
	items := r.state.media.items
	for k := len(items) - 1; k >= 0; k-- {
		if it := items[k]; it.kind == kind && labelHasWord(it.label, words) {
			return &mediaRef{item: it}
		}
	}
	return nil
}

// labelHasWord reports whether a label has one of the words.
func labelHasWord(label string, words []string) bool {
	for _, t := range tokenize(strings.ToLower(label)) {
		if t.kind == word && slices.Contains(words, stem(t.text)) {
			return true
		}
	}
	return false
}

// stem takes the ending of a plural off, near enough.
func stem(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return strings.TrimSuffix(w, "s")
	}
	return w
}

// addForMedia plans a task that works on media of a kind, or asks for that. Several
// pieces make several tasks, unless the tool takes a list.
func (r *interpretation) addForMedia(t *task, argument, kind string, refs []mediaRef) {
	if len(refs) == 0 {
		r.ask(t, kind, r.planner.templates.askForMedia(t.tool.Name, kind))
		return
	}
	if a, ok := t.tool.Argument(argument); !ok || a.IsArray() || len(refs) == 1 {
		t.setMedia(argument, refs...)
		r.addTask(t)
		return
	}
	for _, one := range refs {
		each := t.clone()
		each.setMedia(argument, one)
		r.addTask(each)
	}
}

// resolveKind is the media that a clause means for a tool, by the kinds that it can
// work on, the likeliest first.
func (r *interpretation) resolveKind(c *clause, kinds ...string) (string, []mediaRef) {
	for i := c.start; i < c.end; i++ { // named: the video, my pictures
		if e := c.matchNoun(i, c.end); e != nil && slices.Contains(kinds, e.attr("kind")) && c.refersToExisting(i) {
			if refs := r.resolveMedia(c, e.attr("kind")); refs != nil {
				return e.attr("kind"), refs
			}
		}
	}
	best, newest := "", -1
	for _, kind := range kinds {
		refs := r.resolveLatest(kind, c)
		if refs == nil {
			continue
		}
		if by := r.resolveByLabel(c, kind); by != nil {
			return kind, by
		}
		at := 0
		switch one := refs[0]; {
		case one.task != nil:
			at = 2000 + slices.Index(r.tasks, one.task)
		case one.item.current:
			at = 1000
		default:
			at = slices.Index(r.state.media.items, one.item)
		}
		if at > newest {
			best, newest = kind, at
		}
	}
	if best == "" {
		return kinds[0], nil
	}
	return best, r.resolveMedia(c, best)
}

// refersToExisting reports whether a noun stands for a piece that is there.
func (c *clause) refersToExisting(i int) bool {
	for k := i - 1; k >= max(c.start, i-4); k-- {
		if c.tokens[k].is("second") && k > c.start && (c.tokens[k].adjacent || c.tokens[k-1].kind == number || c.matches(k-1, c.end, "number")) {
			return false // a ten second clip
		}
		if c.tokens[k].is("the", "this", "that", "my", "these", "those", "both", "all", "attached", "uploaded", "last", "first", "second", "third", "previous", "our") {
			return true
		}
		if !c.matches(k, c.end, "adjective", "ordinal", "number", "style") {
			return false
		}
	}
	return i+1 < c.end && c.tokens[i+1].kind == number
}
