package filter

import "unicode/utf8"

// scanner splits texts into tokens. Its buffers are reused.
type scanner struct {
	fold *folder
	twin *twins

	tokens []token
	chars  []char

	open          bool // the last token may still grow
	latin, cyril  bool // which alphabets the open token has seen
	unlike        bool // a letter that passes for no Latin one
	kana          bool // the open token is of katakana
	place         int32
	spaces, lines int
	commas, stops int
	dashes, stars int
	brackets      int
	others        int
	wideStop      bool // punctuation that needs no space after it
}

// scan splits a text into tokens.
func (s *scanner) scan(text string) {
	s.tokens, s.chars, s.place = s.tokens[:0], s.chars[:0], 0
	s.open = false
	s.forget()
	s.stops, s.spaces = 1, 1 // a text begins like a clause
	for i := 0; i < len(text); {
		if b := text[i] | 0x20; 'a' <= b && b <= 'z' {
			s.addLetter(rune(b))
			i++
			continue
		}
		if text[i] == ' ' {
			s.close()
			s.spaces++
			i++
			continue
		}
		c, size := utf8.DecodeRuneInString(text[i:])
		g := s.fold.read(c)
		i += size
		switch g.class {
		case gone:
			s.mark(c)
		case letter, digit:
			s.add(g, false)
			for _, r := range g.rest {
				if r != 0 {
					s.add(glyph{class: letter, base: r}, false)
				}
			}
		case kana:
			s.add(g, true)
		case ideo:
			s.close()
			s.begin()
			s.tokens[len(s.tokens)-1].ideo = true
			s.push(g)
			s.close()
		case sign:
			if s.letterSign(c, text[i:]) {
				s.add(g, false)
				continue
			}
			s.separate(c, g.class)
		default:
			s.separate(c, g.class)
		}
	}
	s.close()
	s.spell()
}

// letterSign reports whether a sign replaces a letter: @ and $ at the edge of a word, the
// others only inside one.
func (s *scanner) letterSign(c rune, rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	after := s.fold.read(r).class
	inner := after == letter || after == digit
	switch c {
	case '@', '$', '€':
		return s.open && !s.kana || after == letter
	}
	return s.open && !s.kana && inner
}

// mark puts a combining character to the one before it, where that makes
// another letter. Otherwise it is as if it were not there.
func (s *scanner) mark(c rune) {
	if len(s.chars) == 0 || s.gapped() {
		return
	}
	p := &s.chars[len(s.chars)-1]
	whole := compose(p.base, c)
	switch {
	case whole == 0:
	case p.class == letter:
		p.own = whole
	default:
		p.base = whole
	}
}

// addLetter adds a letter from a to z. It is a faster add for the most common characters.
func (s *scanner) addLetter(c rune) {
	if !s.open || s.kana {
		s.add(glyph{class: letter, base: c}, false)
		return
	}
	t := &s.tokens[len(s.tokens)-1]
	if p := &s.chars[len(s.chars)-1]; p.base == c && p.class == letter {
		p.times = min(p.times+1, 3)
		return
	}
	s.chars = append(s.chars, char{base: c, class: letter, times: 1})
	t.end++
	t.tail = t.end
	s.latin = true
}

// add puts a character to the open token, or begins one.
func (s *scanner) add(g glyph, isKana bool) {
	if s.open && s.kana != isKana {
		s.close()
	}
	if !s.open {
		s.begin()
		s.open, s.kana = true, isKana
	}
	s.push(g)
}

// begin makes a token after the gap that was seen.
func (s *scanner) begin() {
	at := int32(len(s.chars))
	s.tokens = append(s.tokens, token{
		start: at, end: at, head: at, tail: at, digits: at, number: -1,
		place: s.place, gap: s.gap(), stars: uint8(min(s.stars, 3)),
	})
	s.forget()
}

// push adds a character to the last token.
func (s *scanner) push(g glyph) {
	t := &s.tokens[len(s.tokens)-1]
	if g.class == digit && t.digits == t.end && (t.number < 1000) {
		t.number = max(t.number, 0)*10 + g.base - '0'
	}
	if n := t.end; n > t.start && s.chars[n-1].base == g.base && s.chars[n-1].class == g.class {
		s.chars[n-1].times = min(s.chars[n-1].times+1, 3)
		return
	}
	if g.class == digit && t.digits == t.end {
		t.digits++
	}
	s.chars = append(s.chars, char{base: g.base, own: g.own, class: g.class, times: 1})
	t.end++
	if g.class == digit || g.class == sign {
		if t.head == t.end-1 {
			t.head = t.end
		}
		return
	}
	t.tail = t.end
	switch {
	case g.base < utf8.RuneSelf:
		s.latin = true
	case 0x400 <= g.base && g.base < 0x530:
		s.cyril = true
		s.unlike = s.unlike || !s.twin.same(g.base)
	default:
		s.unlike = true
	}
}

// close ends the open token.
func (s *scanner) close() {
	if len(s.tokens) == 0 {
		return
	}
	t := &s.tokens[len(s.tokens)-1]
	if s.open {
		t.mixed = s.latin && s.cyril
		t.posing = s.cyril && !s.latin && !s.unlike
		s.place += 2
	} else if t.ideo && s.place == t.place {
		s.place++
	}
	s.open, s.latin, s.cyril, s.unlike = false, false, false, false
}

// separate notes a character between tokens.
func (s *scanner) separate(c rune, k class) {
	s.close()
	switch k {
	case space:
		s.spaces++
	case line:
		s.lines++
	case comma:
		s.commas++
		s.wideStop = s.wideStop || c > utf8.RuneSelf
	case stop:
		s.stops++
		s.wideStop = s.wideStop || c > utf8.RuneSelf
	case sign:
		if c == '!' {
			s.stops++
		} else {
			s.others++
		}
	case dash:
		s.dashes++
	case bracket:
		s.brackets++
	case star:
		s.stars++
	default:
		s.others++
	}
}

func (s *scanner) gapped() bool {
	return s.spaces+s.lines+s.commas+s.stops+s.dashes+s.stars+s.brackets+s.others > 0
}

func (s *scanner) forget() {
	s.spaces, s.lines, s.commas, s.stops, s.dashes, s.stars, s.brackets, s.others, s.wideStop = 0, 0, 0, 0, 0, 0, 0, 0, false
}

// gap names what was seen since the last token.
func (s *scanner) gap() gap {
	spaced := s.spaces+s.lines > 0
	marks := s.commas + s.stops + s.dashes + s.stars + s.brackets + s.others
	switch {
	case !spaced && marks == 0:
		return none
	case s.lines > 1, s.stops > 0 && (spaced || s.wideStop):
		return clause
	case s.commas > 0 && (spaced || s.wideStop), s.dashes > 0 && spaced:
		return listed
	case spaced && s.spaces+s.lines+marks == 1 && s.lines == 0:
		return blank
	case spaced, s.brackets > 0:
		return wide
	case marks > 3:
		return listed
	case s.stars == marks:
		return hidden
	case s.commas+s.stops > 0:
		return dotted
	}
	return joint
}

// spell finds words whose letters are set apart, all in the same way: three
// single letters or more.
func (s *scanner) spell() {
	for i := 0; i < len(s.tokens); {
		n := i + 1
		if s.tokens[i].single() {
			for n < len(s.tokens) && s.tokens[n].single() && s.tokens[n].gap == s.tokens[i+1].gap && s.tokens[n].gap != none {
				n++
			}
		}
		if n-i >= 3 {
			for k := i; k < n; k++ {
				s.tokens[k].spelled = within
			}
			s.tokens[i].spelled |= first
			s.tokens[n-1].spelled |= last
		}
		i = n
	}
}
