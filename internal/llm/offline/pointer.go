package offline

import (
	"strings"
)

// pool is the list that a number counts in.
func (r *reading) pool(c *clause, kind string, nth int) []ref {
	var now, sent, batch, made []ref
	for _, t := range r.made(kind) {
		for k := range t.count() {
			now = append(now, ref{of: t, nth: k})
		}
	}
	if len(now) > 0 && nth <= len(now) {
		return now
	}
	attached := 0
	for _, it := range r.s.shelf.of(kind, true) {
		sent = append(sent, ref{item: it})
		if it.now {
			attached++
		}
	}
	list := r.s.shelf.of(kind, false)
	for _, it := range list {
		made = append(made, ref{item: it})
		if it.turn == list[len(list)-1].turn {
			batch = append(batch, ref{item: it})
		}
	}
	switch {
	case (attached > 1 || c.mentionsSent()) && nth <= len(sent):
		return sent
	case len(batch) >= max(nth, 2):
		return batch
	case len(made) >= max(nth, 1):
		return made
	}
	return sent
}

// pick takes count entries of a list, beginning with the nth, or the last ones.
func pick(list []ref, nth, count int) []ref {
	from := nth - 1
	if nth < 0 {
		from = len(list) - count
	}
	if from < 0 || from+count > len(list) {
		return nil
	}
	return list[from : from+count]
}

// several reports whether a clause means more than one piece: them, both
// pictures, all the clips.
func (c *clause) several(kind string) bool {
	for i := c.start; i < c.to; i++ {
		tok := c.tokens[i]
		if tok.is("them", "both") || tok.is("they", "these", "those", "all", "each", "every") && (i+1 >= c.to || c.has(i+1, c.to, "prep", "det", "tail") ||
			c.names(i+1, kind) > 0 || c.tokens[i+1].is("of", "together")) {
			return true
		}
		if _, n := c.amount(i, c.to); n > 0 && i > c.start && c.tokens[i-1].is("the", "these", "those", "my") && c.names(i+n, kind) > 0 {
			return true
		}
		if e := c.noun(i, c.to); e != nil && e.attr("kind") == kind && strings.HasSuffix(c.tokens[i+e.words-1].low, "s") && i > c.start &&
			c.tokens[i-1].is("the", "my", "these", "those", "all", "attached", "our") {
			return true
		}
	}
	return false
}

// every is all that several pieces can mean: what this message makes, what came
// with it, the latest results, everything sent.
func (r *reading) every(c *clause, kind string) []ref {
	var refs []ref
	for _, t := range r.made(kind) {
		for k := range t.count() {
			refs = append(refs, ref{of: t, nth: k})
		}
	}
	if len(refs) > 0 {
		return refs
	}
	made := r.s.shelf.of(kind, false)
	if sent := r.s.shelf.of(kind, true); len(sent) > 1 && (r.attached(kind) > 1 || len(made) == 0 || c.mentionsSent()) {
		for _, it := range sent {
			if r.attached(kind) < 2 || it.now {
				refs = append(refs, ref{item: it})
			}
		}
		return refs
	}
	batch := 0
	for _, it := range made {
		if it.turn == made[len(made)-1].turn {
			batch++
		}
	}
	for i, it := range made {
		if batch < 2 || i >= len(made)-batch {
			refs = append(refs, ref{item: it})
		}
	}
	if n := c.stated(kind); n > 1 && n <= len(made) {
		refs = nil
		for _, it := range made[len(made)-n:] {
			refs = append(refs, ref{item: it})
		}
	}
	return refs
}

// stated is the number in "the three clips".
func (c *clause) stated(kind string) int {
	for i := c.start; i < c.to; i++ {
		if v, n := c.amount(i, c.to); n > 0 && c.names(i+n, kind) > 0 {
			return int(v)
		}
	}
	return 0
}
