package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// listCandidates returns the list in which "the second one" counts.
func (r *Interpretation) listCandidates(c *token.Clause, kind string, nth int) []MediaRef {
	var now, sent, batch, made []MediaRef
	for _, t := range r.tasksMaking(kind) {
		for k := range t.OutputCount() {
			now = append(now, MediaRef{Task: t, Nth: k})
		}
	}
	if len(now) > 0 && nth <= len(now) {
		return now
	}
	attached := 0
	for _, it := range r.state.Media.Filter(kind, true) {
		sent = append(sent, MediaRef{Item: it})
		if it.Current {
			attached++
		}
	}
	list := r.state.Media.Filter(kind, false)
	for _, it := range list {
		made = append(made, MediaRef{Item: it})
		if it.Turn == list[len(list)-1].Turn {
			batch = append(batch, MediaRef{Item: it})
		}
	}
	switch {
	case (attached > 1 || mentionsUpload(c)) && nth <= len(sent):
		return sent
	case len(batch) >= max(nth, 2):
		return batch
	case len(made) >= max(nth, 1):
		return made
	}
	return sent
}

// pickNth returns count entries of a list from the nth on, or the last ones.
func pickNth(list []MediaRef, nth, count int) []MediaRef {
	from := nth - 1
	if nth < 0 {
		from = len(list) - count
	}
	if from < 0 || from+count > len(list) {
		return nil
	}
	return list[from : from+count]
}

// isPlural reports whether a clause means several pieces of media: them, both pictures, all the clips.
func isPlural(c *token.Clause, kind string) bool {
	for i := c.Start; i < c.End; i++ {
		tok := c.Tokens[i]
		if tok.Is("them", "both") || tok.Is("they", "these", "those", "all", "each", "every") &&
			(i+1 >= c.End || c.Matches(i+1, c.End, "prep", "det", "closing") || mediaNounLength(c, i+1, kind) > 0 ||
				c.Tokens[i+1].Is("of", "together")) {
			return true
		}
		if _, n := c.MatchNumber(i, c.End); n > 0 && i > c.Start && c.Tokens[i-1].Is("the", "these", "those", "my") && mediaNounLength(c, i+n, kind) > 0 {
			return true
		}
		if e := c.MatchNoun(i, c.End); e != nil && e.Attr("kind") == kind && strings.HasSuffix(c.Tokens[i+e.Len-1].Text, "s") && i > c.Start &&
			c.Tokens[i-1].Is("the", "my", "these", "those", "all", "attached", "our") {
			return true
		}
	}
	return false
}

// resolveAll returns all media that a plural can mean: what this message makes, what came with it, the latest results,
// all uploads.
func (r *Interpretation) resolveAll(c *token.Clause, kind string) []MediaRef {
	var refs []MediaRef
	for _, t := range r.tasksMaking(kind) {
		for k := range t.OutputCount() {
			refs = append(refs, MediaRef{Task: t, Nth: k})
		}
	}
	if len(refs) > 0 {
		return refs
	}
	made := r.state.Media.Filter(kind, false)
	if sent := r.state.Media.Filter(kind, true); len(sent) > 1 && (r.countAttached(kind) > 1 || len(made) == 0 || mentionsUpload(c)) {
		for _, it := range sent {
			if r.countAttached(kind) < 2 || it.Current {
				refs = append(refs, MediaRef{Item: it})
			}
		}
		return refs
	}
	batch := 0
	for _, it := range made {
		if it.Turn == made[len(made)-1].Turn {
			batch++
		}
	}
	for i, it := range made {
		if batch < 2 || i >= len(made)-batch {
			refs = append(refs, MediaRef{Item: it})
		}
	}
	if n := findStatedCount(c, kind); n > 1 && n <= len(made) {
		refs = nil
		for _, it := range made[len(made)-n:] {
			refs = append(refs, MediaRef{Item: it})
		}
	}
	return refs
}

// findStatedCount returns the number in "the three clips".
func findStatedCount(c *token.Clause, kind string) int {
	for i := c.Start; i < c.End; i++ {
		if v, n := c.MatchNumber(i, c.End); n > 0 && mediaNounLength(c, i+n, kind) > 0 {
			return int(v)
		}
	}
	return 0
}
