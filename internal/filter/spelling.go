package filter

// spellings follows a letter in all ways it can be read.
func (w *walker) spellings(n, t, i int32, tr trail) {
	c, tok := &w.chars[i], &w.tokens[t]
	w.readAs(n, t, i, c.base, tr)
	if c.own != 0 {
		w.readAs(n, t, i, c.own, tr)
	}
	if tok.mixed || tok.posing {
		for _, r := range w.lex.twin.lookalikes(c.base) {
			w.readAs(n, t, i, r, tr)
		}
	}
}

// figure reads a digit or sign as itself and as the letters it looks like.
func (w *walker) figure(n, t, i int32, tr trail) {
	c := &w.chars[i]
	if c.class == digit {
		w.readAs(n, t, i, c.base, tr)
	}
	tr.changed = true
	for _, r := range reads(c.base) {
		w.readAs(n, t, i, r, tr)
	}
}

// reads returns the letters that a digit or sign can replace.
func reads(c rune) string {
	switch c {
	case '0':
		return "oо"
	case '1':
		return "il"
	case '2':
		return "z"
	case '3':
		return "eзе"
	case '4':
		return "aач"
	case '5', '$':
		return "s"
	case '6':
		return "bgб"
	case '7':
		return "t"
	case '8':
		return "bв"
	case '9':
		return "g"
	case '@':
		return "aа"
	case '!':
		return "i"
	case '|':
		return "il"
	case '€':
		return "eе"
	case '£':
		return "l"
	case '¢':
		return "c"
	case '¥':
		return "y"
	}
	return ""
}

// readAs reads character i as r. A letter that repeats counts as written, and
// three or more also as one or two. A doubled vowel, or a doubled last letter,
// also counts as one; another doubled letter does not, for raped is not rapped.
func (w *walker) readAs(n, t, i int32, r rune, tr trail) {
	trie := w.lex.terms
	one := trie.next(n, r)
	if one == 0 {
		return
	}
	times := w.chars[i].times
	if times == 1 {
		w.walkFrom(one, t, i+1, tr)
		return
	}
	if times > 2 || vowel(r) || i+1 == w.tokens[t].end {
		w.walkFrom(one, t, i+1, tr)
	} else if prefix := trie.nodes[one].prefix; prefix != 0 {
		w.recordTerm(prefix, t, tr) // the ending begins with the same letter
	}
	two := trie.next(one, r)
	if two == 0 {
		return
	}
	w.walkFrom(two, t, i+1, tr)
	if times > 2 {
		if three := trie.next(two, r); three != 0 {
			w.walkFrom(three, t, i+1, tr)
		}
	}
}

func vowel(r rune) bool {
	switch r {
	case 'a', 'e', 'i', 'o', 'u', 'y', 'ー', 'а', 'е', 'и', 'о', 'у', 'ы', 'э', 'ю', 'я':
		return true
	}
	return false
}

// wild continues at token t with any letter in place of each star.
func (w *walker) wild(n, t int32, stars int, tr trail) {
	tr.changed = true
	from, to := w.lex.terms.letters(n)
	for child := from; child < to; child++ {
		if stars > 1 {
			w.wild(child, t, stars-1, tr)
		} else {
			w.walkFrom(child, t, w.tokens[t].start, tr)
		}
	}
}
