package plan

import (
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// tasksMaking lists the tasks of this message that make media of a kind.
func (r *Interpretation) tasksMaking(kind string) (out []*Task) {
	for _, t := range r.Tasks {
		if t.OutputKind() == kind {
			out = append(out, t)
		}
	}
	return out
}

// countAttached counts the uploads of a kind that came with this message.
func (r *Interpretation) countAttached(kind string) (n int) {
	for _, it := range r.state.Media.Filter(kind, true) {
		if it.Current {
			n++
		}
	}
	return n
}

// ResolveLatest resolves "it": what this message asked for, what came with it, the newest result, the newest upload.
func (r *Interpretation) ResolveLatest(kind string, c *token.Clause) []MediaRef {
	if tasks := r.tasksMaking(kind); tasks != nil {
		return []MediaRef{{Task: tasks[len(tasks)-1]}}
	}
	var sent, made *MediaItem
	for _, it := range r.state.Media.Filter(kind, true) {
		if sent == nil || !sent.Current {
			sent = it // the first attachment, else the last upload
		}
	}
	for _, it := range r.state.Media.Filter(kind, false) {
		made = it
	}
	switch {
	case sent != nil && (sent.Current || made == nil || c != nil && mentionsUpload(c)):
		return []MediaRef{{Item: sent}}
	case made != nil:
		return []MediaRef{{Item: made}}
	}
	return nil
}

// mentionsUpload reports whether a clause mentions an upload.
func mentionsUpload(c *token.Clause) bool {
	for i := c.Start; i < c.End; i++ {
		if e := c.Match(i, c.End, "upload"); e != nil {
			if !c.Tokens[i].Is("my") || c.MatchNoun(i+1, c.End) != nil || i+2 < c.End && c.MatchNoun(i+2, c.End) != nil {
				return true
			}
		}
	}
	return false
}

// resolveMedia resolves the media of a kind that a clause refers to. Without a reference it is the latest; nil means
// there is none.
func (r *Interpretation) resolveMedia(c *token.Clause, kind string) []MediaRef {
	r.labelTokens = [2]int{}
	for i := c.Start; i < c.End; i++ {
		if c.Used[i] && !c.Tokens[i].Is("it", "them") {
			continue
		}
		if refs := r.resolveNumbered(c, i, kind); refs != nil {
			return refs
		}
	}
	if isPlural(c, kind) {
		if refs := r.resolveAll(c, kind); refs != nil {
			return refs
		}
	}
	if refs := r.resolveByLabel(c, kind); refs != nil {
		return refs
	}
	return r.ResolveLatest(kind, c)
}

// resolveByLabel resolves media by what it shows.
func (r *Interpretation) resolveByLabel(c *token.Clause, kind string) []MediaRef {
	for i := c.Start; i < c.End; i++ {
		if c.Used[i] || !c.Tokens[i].Is("the", "that", "this", "of", "my") {
			continue
		}
		if it := r.findByLabel(c, i, kind); it != nil {
			r.labelTokens = [2]int{i, min(c.End, i+2)}
			return []MediaRef{*it}
		}
	}
	return nil
}

// resolveNumbered resolves the second picture, image 2, the last two clips, #3.
func (r *Interpretation) resolveNumbered(c *token.Clause, i int, kind string) []MediaRef {
	if e := c.Match(i, c.End, "ordinal"); e != nil {
		at := i + e.Len
		nth, count := int(e.Number("value")), 1
		if v, n := c.MatchNumber(at, c.End); n > 0 && v >= 2 && v <= 16 {
			count, at = int(v), at+n
		}
		named := mediaNounLength(c, at, kind)
		if named == 0 && !(at >= c.End || c.Tokens[at].Is("one", "ones", "and", "to", "from", "with", "by", ",") || c.Matches(at, c.End, "closing")) {
			return nil
		}
		if named == 0 && (i == c.Start || !c.Tokens[i-1].Is("the", "my", "that", "this", "and")) {
			return nil
		}
		if e.Key == "second" && at < c.End && c.Tokens[at].Is("clip", "video") && i > c.Start &&
			(c.Tokens[i-1].Kind == token.Number || c.Tokens[i-1].Adjacent) {
			return nil // a ten second clip
		}
		list := r.listCandidates(c, kind, nth)
		if refs := pickNth(list, nth, count); refs != nil {
			c.Use(i, i+e.Len)
			return refs
		}
		return nil
	}
	named := mediaNounLength(c, i, kind)
	if named == 0 && !c.Tokens[i].Is("#") && !c.Tokens[i].Is("number") {
		return nil
	}
	at := i + max(1, named)
	for at < c.End && c.Tokens[at].Is("#", "number", "no") {
		at++
	}
	if at >= c.End || c.Tokens[at].Kind != token.Number || c.Tokens[at].Value < 1 || c.Tokens[at].Value > 64 || at+1 < c.End &&
		(c.Matches(at+1, c.End, "unit") || c.Tokens[at+1].Is("x", ":", "by")) {
		return nil
	}
	n := int(c.Tokens[at].Value)
	if refs := pickNth(r.listCandidates(c, kind, n), n, 1); refs != nil {
		c.Use(at, at+1)
		return refs
	}
	return nil
}

// mediaNounLength returns how many tokens name media of a kind, 0 for none.
func mediaNounLength(c *token.Clause, i int, kind string) int {
	for skip := 0; skip < 2 && i+skip < c.End; skip++ {
		if e := c.MatchNoun(i+skip, c.End); e != nil && e.Attr("kind") == kind {
			return skip + e.Len
		}
		if !c.Matches(i+skip, c.End, "adjective") {
			break
		}
	}
	return 0
}

// findByLabel finds media by what it shows: the fox, the picture of the castle.
func (r *Interpretation) findByLabel(c *token.Clause, i int, kind string) *MediaRef {
	var words []string
	for k := i + 1; k < min(c.End, i+7); k++ {
		if c.Tokens[k].Kind != token.Word || c.Matches(k, c.End, "prep", "verb") && !c.Tokens[k].Is("of") && len(words) > 0 {
			break
		}
		if !c.Matches(k, c.End, "det", "noun", "prep", "ordinal", "pronoun", "adjective") && len(c.Tokens[k].Text) > 2 {
			words = append(words, token.Stem(c.Tokens[k].Text))
		}
	}
	if len(words) == 0 {
		return nil
	}
	for k := len(r.Tasks) - 1; k >= 0; k-- {
		if t := r.Tasks[k]; t.OutputKind() == kind && labelHasWord(t.Subject, words) {
			return &MediaRef{Task: t}
		}
	}
	items := r.state.Media.Items
	for k := len(items) - 1; k >= 0; k-- {
		if it := items[k]; it.Kind == kind && labelHasWord(it.Label, words) {
			return &MediaRef{Item: it}
		}
	}
	return nil
}

func labelHasWord(label string, words []string) bool {
	return slices.ContainsFunc(token.Tokenize(strings.ToLower(label)), func(t token.Token) bool {
		return t.Kind == token.Word && slices.Contains(words, token.Stem(t.Text))
	})
}

// addForMedia adds a task that works on media, or asks for the media. For several pieces it adds several tasks, unless
// the tool takes a list.
func (r *Interpretation) addForMedia(t *Task, argument, kind string, refs []MediaRef) {
	if len(refs) == 0 {
		r.ask(t, kind, r.planner.Templates.AskForMedia(t.Tool.Name, kind))
		return
	}
	if a, ok := t.Tool.Argument(argument); !ok || a.IsArray() || len(refs) == 1 {
		t.SetMedia(argument, refs...)
		r.addTask(t)
		return
	}
	for _, one := range refs {
		each := t.clone()
		each.SetMedia(argument, one)
		r.addTask(each)
	}
}

// resolveKind resolves media of one of the kinds that a tool works on, the most likely first.
func (r *Interpretation) resolveKind(c *token.Clause, kinds ...string) (string, []MediaRef) {
	for i := c.Start; i < c.End; i++ { // named: the video, my pictures
		if e := c.MatchNoun(i, c.End); e != nil && slices.Contains(kinds, e.Attr("kind")) && refersToExisting(c, i) {
			if refs := r.resolveMedia(c, e.Attr("kind")); refs != nil {
				return e.Attr("kind"), refs
			}
		}
	}
	best, newest := "", -1
	for _, kind := range kinds {
		refs := r.ResolveLatest(kind, c)
		if refs == nil {
			continue
		}
		if by := r.resolveByLabel(c, kind); by != nil {
			return kind, by
		}
		at := 0
		switch one := refs[0]; {
		case one.Task != nil:
			at = 2000 + slices.Index(r.Tasks, one.Task)
		case one.Item.Current:
			at = 1000
		default:
			at = slices.Index(r.state.Media.Items, one.Item)
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

// findNoun finds the first noun for media of a kind, of existing media only if that is asked for. The position is -1
// when there is none.
func findNoun(c *token.Clause, kind string, existing bool) (int, *token.Entry) {
	for i := c.Start; i < c.End; i++ {
		if e := c.MatchNoun(i, c.End); e != nil && e.Attr("kind") == kind && (!existing || refersToExisting(c, i)) {
			return i, e
		}
	}
	return -1, nil
}

// refersToExisting reports whether a noun refers to existing media.
func refersToExisting(c *token.Clause, i int) bool {
	for k := i - 1; k >= max(c.Start, i-4); k-- {
		if c.Tokens[k].Is("second") && k > c.Start && (c.Tokens[k].Adjacent || c.Tokens[k-1].Kind == token.Number || c.Matches(k-1, c.End, "number")) {
			return false // a ten second clip
		}
		if c.Tokens[k].Is("the", "this", "that", "my", "these", "those", "both", "all", "attached", "uploaded", "last", "first", "second", "third",
			"previous", "our") {
			return true
		}
		if !c.Matches(k, c.End, "adjective", "ordinal", "number", "style") {
			return false
		}
	}
	return i+1 < c.End && c.Tokens[i+1].Kind == token.Number
}
