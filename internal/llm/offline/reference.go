package offline

import (
	"slices"
	"strings"
)

// made lists what the tasks of this message will have made of a kind, the
// newest task last.
func (r *reading) made(kind string) (out []*task) {
	for _, t := range r.tasks {
		if t.makes() == kind {
			out = append(out, t)
		}
	}
	return out
}

// attached is how many pieces of a kind came with this message.
func (r *reading) attached(kind string) (n int) {
	for _, it := range r.s.shelf.of(kind, true) {
		if it.now {
			n++
		}
	}
	return n
}

// latest is the media that a message means when it says no more than "it": what
// it has just asked for, what came with it, what was made last, what was sent
// before.
func (r *reading) latest(kind string, c *clause) []ref {
	if tasks := r.made(kind); tasks != nil {
		t := tasks[len(tasks)-1]
		return []ref{{of: t}}
	}
	var sent, made *item
	for _, it := range r.s.shelf.of(kind, true) {
		if it.now && (sent == nil || !sent.now) {
			sent = it // the first of those that came with the message
		} else if !it.now && (sent == nil || !sent.now) {
			sent = it
		}
	}
	for _, it := range r.s.shelf.of(kind, false) {
		made = it
	}
	switch {
	case sent != nil && (sent.now || made == nil || c != nil && c.mentionsSent()):
		return []ref{{item: sent}}
	case made != nil:
		return []ref{{item: made}}
	}
	return nil
}

// mentionsSent reports whether a clause speaks of what its writer has sent.
func (c *clause) mentionsSent() bool {
	for i := c.start; i < c.to; i++ {
		if e := c.entry(i, c.to, "sent"); e != nil {
			if !c.tokens[i].is("my") || c.noun(i+1, c.to) != nil || i+2 < c.to && c.noun(i+2, c.to) != nil {
				return true
			}
		}
	}
	return false
}

// refs finds the media of a kind that a clause means. Nothing said means the
// latest; nil means that there is none.
func (r *reading) refs(c *clause, kind string) []ref {
	r.named = [2]int{}
	for i := c.start; i < c.to; i++ {
		if c.used[i] && !c.tokens[i].is("it", "them") {
			continue
		}
		if refs := r.numbered(c, i, kind); refs != nil {
			return refs
		}
	}
	if c.several(kind) {
		if refs := r.every(c, kind); refs != nil {
			return refs
		}
	}
	if refs := r.shown(c, kind); refs != nil {
		return refs
	}
	return r.latest(kind, c)
}

// shown finds media that a clause means by what it shows.
func (r *reading) shown(c *clause, kind string) []ref {
	for i := c.start; i < c.to; i++ {
		if c.used[i] || !c.tokens[i].is("the", "that", "this", "of", "my") {
			continue
		}
		if it := r.labelled(c, i, kind); it != nil {
			r.named = [2]int{i, min(c.to, i+2)}
			return []ref{*it}
		}
	}
	return nil
}

// numbered reads the second picture, image 2, the last two clips, #3.
func (r *reading) numbered(c *clause, i int, kind string) []ref {
	if e := c.entry(i, c.to, "ordinal"); e != nil {
		at := i + e.words
		nth, count := int(e.number("value")), 1
		if v, n := c.amount(at, c.to); n > 0 && v >= 2 && v <= 16 {
			count, at = int(v), at+n
		}
		named := c.names(at, kind)
		if named == 0 && !(at >= c.to || c.tokens[at].is("one", "ones", "and", "to", "from", "with", "by", ",") || c.has(at, c.to, "tail")) {
			return nil
		}
		if named == 0 && (i == c.start || !c.tokens[i-1].is("the", "my", "that", "this", "and")) {
			return nil
		}
		if e.key == "second" && at < c.to && c.tokens[at].is("clip", "video") && i > c.start && (c.tokens[i-1].kind == number || c.tokens[i-1].glued) {
			return nil // a ten second clip
		}
		list := r.pool(c, kind, nth)
		if refs := pick(list, nth, count); refs != nil {
			c.use(i, i+e.words)
			return refs
		}
		return nil
	}
	named := c.names(i, kind)
	if named == 0 && !c.tokens[i].is("#") && !c.tokens[i].is("number") {
		return nil
	}
	at := i + max(1, named)
	for at < c.to && c.tokens[at].is("#", "number", "no") {
		at++
	}
	if at >= c.to || c.tokens[at].kind != number || c.tokens[at].value < 1 || c.tokens[at].value > 64 || at+1 < c.to && (c.has(at+1, c.to, "unit") ||
		c.tokens[at+1].is("x", ":", "by")) {
		return nil
	}
	n := int(c.tokens[at].value)
	if refs := pick(r.pool(c, kind, n), n, 1); refs != nil {
		c.use(at, at+1)
		return refs
	}
	return nil
}

// names is how many tokens name media of a kind.
func (c *clause) names(i int, kind string) int {
	for skip := 0; skip < 2 && i+skip < c.to; skip++ {
		if e := c.noun(i+skip, c.to); e != nil && e.attr("kind") == kind {
			return skip + e.words
		}
		if !c.has(i+skip, c.to, "adjective") {
			break
		}
	}
	return 0
}

// labelled finds media by what it shows: the fox, the picture of the castle.
func (r *reading) labelled(c *clause, i int, kind string) *ref {
	var words []string
	for k := i + 1; k < min(c.to, i+7); k++ {
		if c.tokens[k].kind != word || c.has(k, c.to, "prep", "verb") && !c.tokens[k].is("of") && len(words) > 0 {
			break
		}
		if !c.has(k, c.to, "det", "noun", "prep", "ordinal", "pronoun", "adjective") && len(c.tokens[k].low) > 2 {
			words = append(words, stem(c.tokens[k].low))
		}
	}
	if len(words) == 0 {
		return nil
	}
	for k := len(r.tasks) - 1; k >= 0; k-- {
		if t := r.tasks[k]; t.makes() == kind && shows(t.about, words) {
			return &ref{of: t}
		}
	}
	items := r.s.shelf.items
	for k := len(items) - 1; k >= 0; k-- {
		if it := items[k]; it.kind == kind && shows(it.label, words) {
			return &ref{item: it}
		}
	}
	return nil
}

// shows reports whether a label has one of the words.
func shows(label string, words []string) bool {
	for _, t := range lex(strings.ToLower(label)) {
		if t.kind == word && slices.Contains(words, stem(t.low)) {
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

// on plans a task that works on media of a kind, or asks for that. Several
// pieces make several tasks, unless the tool takes a list.
func (r *reading) on(t *task, argument, kind string, refs []ref) {
	if len(refs) == 0 {
		r.ask(t, kind, r.m.phrases.lacking(t.tool.Name, kind))
		return
	}
	if a, ok := t.tool.Argument(argument); !ok || a.IsArray() || len(refs) == 1 {
		t.address(argument, refs...)
		r.add(t)
		return
	}
	for _, one := range refs {
		each := t.copy()
		each.address(argument, one)
		r.add(each)
	}
}

// pointed is the media that a clause means for a tool, by the kinds that it can
// work on, the likeliest first.
func (r *reading) pointed(c *clause, kinds ...string) (string, []ref) {
	for i := c.start; i < c.to; i++ { // named: the video, my pictures
		if e := c.noun(i, c.to); e != nil && slices.Contains(kinds, e.attr("kind")) && c.meant(i) {
			if refs := r.refs(c, e.attr("kind")); refs != nil {
				return e.attr("kind"), refs
			}
		}
	}
	best, newest := "", -1
	for _, kind := range kinds {
		refs := r.latest(kind, c)
		if refs == nil {
			continue
		}
		if by := r.shown(c, kind); by != nil {
			return kind, by
		}
		at := 0
		switch one := refs[0]; {
		case one.of != nil:
			at = 2000 + slices.Index(r.tasks, one.of)
		case one.item.now:
			at = 1000
		default:
			at = slices.Index(r.s.shelf.items, one.item)
		}
		if at > newest {
			best, newest = kind, at
		}
	}
	if best == "" {
		return kinds[0], nil
	}
	return best, r.refs(c, best)
}

// meant reports whether a noun stands for a piece that is there.
func (c *clause) meant(i int) bool {
	for k := i - 1; k >= max(c.start, i-4); k-- {
		if c.tokens[k].is("second") && k > c.start && (c.tokens[k].glued || c.tokens[k-1].kind == number || c.has(k-1, c.to, "number")) {
			return false // a ten second clip
		}
		if c.tokens[k].is("the", "this", "that", "my", "these", "those", "both", "all", "attached", "uploaded", "last", "first", "second", "third", "previous", "our") {
			return true
		}
		if !c.has(k, c.to, "adjective", "ordinal", "number", "style") {
			return false
		}
	}
	return i+1 < c.to && c.tokens[i+1].kind == number
}
