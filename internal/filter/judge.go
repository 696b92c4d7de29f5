package filter

import (
	"cmp"
	"slices"
)

// judge finds the categories of the terms of a text. For every term it checks whether a
// safe phrase around it makes it harmless, and whether it is denied.
func (w *walker) judge() roles {
	if len(w.hits) == 0 {
		return 0
	}
	w.defuse()
	w.deny()
	var out roles
	for i := range w.hits {
		if h := &w.hits[i]; !w.denied(h) {
			out |= h.roles & w.lex.rules.flags
		}
	}
	for i := range w.lex.rules.pairs {
		if p := &w.lex.rules.pairs[i]; out&p.category == 0 && w.meet(p) {
			out |= p.category
		}
	}
	return out
}

// defuse removes the terms inside a safe phrase, and the denials inside a term: "without
// clothes" denies nothing that follows.
func (w *walker) defuse() {
	reach, next := int32(-1), 0 // the furthest end of a safe phrase that began by now
	for i := range w.hits {
		h := &w.hits[i]
		for ; next < len(w.safes) && w.safes[next].from <= h.from; next++ {
			reach = max(reach, w.safes[next].to)
		}
		if h.to <= reach {
			h.roles = 0
			continue
		}
		for t := h.from; t <= h.to; t++ {
			if l := &w.links[t]; l.end <= h.to+1 && l.end-t < h.to+1-h.from {
				*l = link{}
			}
		}
	}
}

// deny marks the tokens that are denied.
//
// A denial reaches over words that may stand between it and what it denies, and
// over terms; any other word ends it, and so does the end of a clause. A comma
// ends it too, unless the list is closed: no nudity, gore or porn. Two denials
// side by side deny nothing.
func (w *walker) deny() {
	w.marks = append(w.marks[:0], make([]bool, len(w.tokens))...)
	for i := range w.links {
		if w.links[i].roles&not != 0 {
			w.denyOnward(int32(i))
		}
		if w.links[i].roles&after != 0 {
			w.denyBack(int32(i))
		}
	}
}

const (
	mostDenied = 16 // words that one denial reaches over
	longest    = 24 // tokens of the longest term, letters set apart
)

func (w *walker) denyOnward(from int32) {
	l := &w.links[from]
	t := l.end
	if next := w.link(t); next != nil && next.roles&not != 0 && w.tokens[t].gap.joins() {
		next.roles &^= not // not without
		return
	}
	sure, open := t, false // up to sure it is denied; open says that a comma came since
	for range mostDenied {
		if int(t) >= len(w.tokens) || w.tokens[t].gap == clause {
			break
		}
		open = open || w.tokens[t].gap == listed
		to := w.termAt(t)
		next := w.link(t)
		if next != nil && next.roles&not != 0 {
			break
		}
		if next != nil && next.roles&(bridge|either) != 0 {
			to = max(to, next.end)
			open = open && next.roles&either == 0
		}
		if to == 0 {
			break
		}
		if t = to; !open {
			sure = t
		}
	}
	for k := l.end; k < sure; k++ {
		w.marks[k] = true
	}
}

// denyBack marks what stands before a denial that follows, with at most two
// words between them.
func (w *walker) denyBack(from int32) {
	t := from
	for range 3 {
		if t == 0 || !w.tokens[t].gap.joins() {
			return
		}
		found := false
		for i := w.hitFrom(t - longest); i < len(w.hits) && w.hits[i].from < t; i++ {
			if h := &w.hits[i]; h.to == t-1 {
				found = true
				for k := h.from; k <= h.to; k++ {
					w.marks[k] = true
				}
			}
		}
		if found {
			return
		}
		t--
		if l := w.link(t); l == nil || l.roles&bridge == 0 || l.end != t+1 {
			return
		}
	}
}

// link gives the word at token t that changes the meaning of others.
func (w *walker) link(t int32) *link {
	if int(t) >= len(w.links) || w.links[t].end == 0 {
		return nil
	}
	return &w.links[t]
}

// termAt gives the end of the longest term that begins at token t, plus one.
func (w *walker) termAt(t int32) (end int32) {
	for i := w.hitFrom(t); i < len(w.hits) && w.hits[i].from == t; i++ {
		end = max(end, w.hits[i].to+1)
	}
	return end
}

// hitFrom gives the index of the first term that begins at token t or later.
func (w *walker) hitFrom(t int32) int {
	i, _ := slices.BinarySearchFunc(w.hits, t, func(h hit, t int32) int { return cmp.Compare(h.from, t) })
	return i
}

func (w *walker) denied(h *hit) bool { return w.marks[h.from] }

// meet reports whether two terms make a category together.
func (w *walker) meet(p *pair) bool {
	const never = -1 << 30
	left, right := int32(never), int32(never) // where the last of each ended
	for i := range w.hits {
		h := &w.hits[i]
		isLeft, isRight := h.roles&p.left != 0, h.roles&p.right != 0
		if !isLeft && !isRight || w.denied(h) && !w.saidOf(i, p) {
			continue
		}
		place := w.tokens[h.from].place
		if p.within == neighbours && place > max(left, right) && !w.tokens[h.from].gap.joins() {
			left, right = never, never // naked, baby
		}
		switch {
		case isLeft && isRight,
			isRight && place-left <= p.within,
			isLeft && !p.ordered && place-right <= p.within:
			return true
		}
		end := w.tokens[h.to].place
		if isLeft {
			left = max(left, end)
		}
		if isRight {
			right = max(right, end)
		}
	}
	return false
}

// saidOf reports whether a denied term still describes a minor: no naked children. A
// denial does not help there, because image models ignore it; "no nudity, children
// playing" is different.
func (w *walker) saidOf(i int, p *pair) bool {
	minor := w.lex.rules.minor
	if (p.left|p.right)&minor == 0 {
		return false
	}
	h := &w.hits[i]
	if h.roles&minor != 0 {
		// The minor is denied with what is said of it.
		for k := i - 1; k >= 0 && k > i-8; k-- {
			if b := &w.hits[k]; b.roles&minor == 0 && b.roles&(p.left|p.right) != 0 && w.adjoin(b, h) {
				return true
			}
		}
		return false
	}
	for k := i + 1; k < len(w.hits) && k < i+8; k++ {
		if b := &w.hits[k]; b.roles&minor != 0 && w.adjoin(h, b) {
			return true
		}
	}
	return false
}

// adjoin reports whether b follows a with at most one word between them that
// does not make a list of them.
func (w *walker) adjoin(a, b *hit) bool {
	if b.from <= a.to || b.from-a.to > 2 || !w.tokens[b.from].gap.joins() {
		return false
	}
	if b.from-a.to == 1 {
		return true
	}
	l := w.link(a.to + 1)
	return w.tokens[a.to+1].gap.joins() && (l == nil || l.roles&(either|not) == 0)
}
