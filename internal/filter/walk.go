package filter

// hit is a term that was found: the tokens it begins and ends with, and what
// it is. Hits are found in the order of their first tokens.
type hit struct {
	from, to int32
	roles    roles
}

// link is a word that changes the meaning of others, such as no. The zero link
// means no such word.
type link struct {
	end   int32 // the token after it
	roles roles
}

// walker searches tokens for terms. From every token it goes down the trie along all
// spellings that a reader would read as the same word.
type walker struct {
	scanner
	lex *lexicon

	hits  []hit  // terms
	safes []hit  // safe phrases
	links []link // by first token, the longest
	marks []bool // by token: whether it is denied
	start int32  // where the walk began
	steps int    // how many are left
}

// mostSteps limits the walk from one token. Plain words need a handful; only texts made
// for it come near.
const mostSteps = 500

// trail is the state of a walk.
type trail struct {
	letters uint8 // real ones that were taken
	changed bool  // took a digit, sign or star for a letter
	apart   bool  // joined letters that are set apart
	part    uint8 // letters since the start of the word, or of this part of a compound
	parts   roles // of the parts before
}

// walk finds all terms of the tokens.
func (w *walker) walk() {
	w.hits, w.safes = w.hits[:0], w.safes[:0]
	w.links = append(w.links[:0], make([]link, len(w.tokens))...)
	for i := range w.tokens {
		t := &w.tokens[i]
		w.start, w.steps = int32(i), mostSteps
		if t.spelled != 0 && t.spelled&first == 0 && !w.afterArticle(i) {
			continue
		}
		w.walkFrom(0, int32(i), t.start, trail{})
		if t.head > t.start && t.head < t.end {
			w.walkFrom(0, int32(i), t.head, trail{}) // 18porn
		}
	}
}

// afterArticle reports whether a letter is the second of those set apart and
// the first is a separate word: a n u d e, 3 n u d e s.
func (w *walker) afterArticle(i int) bool {
	before := &w.tokens[i-1]
	c := &w.chars[before.start]
	return before.spelled&first != 0 && (c.base == 'a' || c.class == digit)
}

// walkFrom continues from node n with character i of token t.
func (w *walker) walkFrom(n, t, i int32, tr trail) {
	tok := &w.tokens[t]
	trie := w.lex.terms
	for ; i < tok.end; i++ {
		if w.steps--; w.steps < 0 {
			return
		}
		switch {
		case i == tok.start:
			w.symbols(n, t, tr)
		case tr.part > 0 && !tok.ideo:
			w.inside(n, t, i, tr)
		}
		c := &w.chars[i]
		tr.part = min(tr.part+1, 100)
		if c.class == digit || c.class == sign {
			w.figure(n, t, i, tr)
			return
		}
		tr.letters = min(tr.letters+1, 100)
		if c.times > 1 || c.own != 0 || tok.mixed || tok.posing {
			w.spellings(n, t, i, tr)
			return
		}
		// Most letters have one reading: go on with it here.
		if n = trie.next(n, c.base); n == 0 {
			return
		}
	}
	w.atEnd(n, t, tr)
}

// symbols follows what can stand for a token as a whole.
func (w *walker) symbols(n, t int32, tr trail) {
	trie := w.lex.terms
	tok := &w.tokens[t]
	if 0 < tok.number && tok.number < 18 {
		if to := trie.next(n, ofAge); to != 0 {
			w.walkFrom(to, t, tok.digits, tr)
		}
	}
	if !tok.ideo {
		if to := trie.next(n, anyWord); to != 0 {
			w.atEnd(to, t, tr)
		}
	}
}

// inside sees what a node means when the word continues: a term with any ending,
// one before digits, or a part of a compound.
func (w *walker) inside(n, t, i int32, tr trail) {
	nd := &w.lex.terms.nodes[n]
	if nd.prefix != 0 {
		w.recordTerm(nd.prefix, t, tr)
	}
	if nd.full == 0 {
		return
	}
	tok := &w.tokens[t]
	if i >= tok.tail || w.chars[i].class == sign {
		w.recordTerm(nd.full, t, tr)
		return
	}
	if w.partOf(nd.full, tr) {
		w.walkFrom(0, t, i, tr.nextPart(nd.full))
	}
}

// partOf reports whether a word can be part of a compound, such as nakedwoman:
// glue can, and terms, but not the shortest ones, which are in too many words.
func (w *walker) partOf(r roles, tr trail) bool {
	return r&glue != 0 || r&terms != 0 && (tr.part > 3 || tr.part == 3 && r&w.lex.rules.flags != 0)
}

// nextPart begins the next part of a compound.
func (tr trail) nextPart(r roles) trail {
	tr.parts |= r & (terms | glue)
	tr.part = 0
	return tr
}

// atEnd continues from node n after the end of token t.
func (w *walker) atEnd(n, t int32, tr trail) {
	trie := w.lex.terms
	nd := &trie.nodes[n]
	tok := &w.tokens[t]
	if r := nd.full | nd.prefix; r != 0 && (!tr.apart || tok.spelled == 0 || tok.spelled&last != 0) {
		w.recordTerm(r, t, tr)
	}
	if int(t)+1 == len(w.tokens) {
		return
	}
	nx := &w.tokens[t+1]
	if nx.gap == none {
		w.walkFrom(n, t+1, nx.start, tr)
		return
	}
	if tr.parts == 0 && nx.gap.joins() {
		if to := trie.next(n, between); to != 0 {
			phrase := tr
			phrase.part = 0
			w.walkFrom(to, t+1, nx.start, phrase)
		}
	}
	if n == 0 || !w.together(t) {
		return
	}
	if nx.gap == hidden && nx.stars < 3 {
		w.wild(n, t+1, int(nx.stars), tr)
	}
	tr.apart = tr.apart || nx.spelled != 0 && nx.spelled&first == 0
	w.walkFrom(n, t+1, nx.start, tr)
	if tr.apart && w.partOf(nd.full, tr) {
		w.walkFrom(0, t+1, nx.start, tr.nextPart(nd.full))
	}
}

// together reports whether token t and the next can be one word that was split: n-u-d-e,
// po.rn, n u d e.
func (w *walker) together(t int32) bool {
	a, b := &w.tokens[t], &w.tokens[t+1]
	switch {
	case a.ideo != b.ideo:
		return false
	case a.spelled != 0 && a.spelled&last == 0:
		return true
	case b.gap == joint || b.gap == hidden:
		return true
	case b.gap == dotted:
		// A missing space after a full stop is no disguise: the pen.Is it yours?
		return a.ideo || a.single() || b.single() || a.end-a.start <= 2 && b.end-b.start <= 2
	case b.gap == blank && a.ideo:
		return a.gap != none && (int(t)+2 == len(w.tokens) || w.tokens[t+2].gap != none)
	}
	return false
}

// recordTerm records a term that ends with token t.
func (w *walker) recordTerm(r roles, t int32, tr trail) {
	if tr.changed && tr.letters < 2 {
		return // 455 and A55 are numbers
	}
	if tr.parts != 0 {
		// Two terms alone make no compound: methanal is an alcohol's cousin.
		if !w.partOf(r, tr) || (r|tr.parts)&glue == 0 {
			return
		}
		r = (r | tr.parts) & terms
	}
	h := hit{w.start, t, r}
	if r&safe != 0 {
		w.safes = append(w.safes, h)
	}
	if r&(not|after|bridge|either) != 0 {
		switch l := &w.links[w.start]; {
		case l.end < t+1:
			*l = link{t + 1, r}
		case l.end == t+1:
			l.roles |= r
		}
	}
	if r&terms == 0 {
		return
	}
	h.roles = r & terms
	if n := len(w.hits); n > 0 && w.hits[n-1].from == h.from && w.hits[n-1].to == h.to {
		w.hits[n-1].roles |= h.roles
		return
	}
	w.hits = append(w.hits, h)
}
