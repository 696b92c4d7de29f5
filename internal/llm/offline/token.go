package offline

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what sort of token a piece of text is.
type kind uint8

const (
	word   kind = iota
	number      // digits, with a fraction perhaps
	quote       // what stands in quotation marks, as one piece
	link        // a URL
	mark        // anything else, one character
)

// token is a piece of a text.
type token struct {
	kind     kind
	low      string  // as it is looked up: lower case, plain apostrophes; of a quote, its content as it is
	value    float64 // of a number
	from, to int     // its bytes in the text
	glued    bool    // nothing but a hyphen, if that, stands before it
}

// is reports whether the token is one of the words or marks.
func (t token) is(words ...string) bool {
	if t.kind == quote || t.kind == link {
		return false
	}
	for _, w := range words {
		if t.low == w {
			return true
		}
	}
	return false
}

// lexer cuts a text into tokens.
type lexer struct {
	src string
	at  int
	out []token
}

// lex cuts a text into tokens. It takes any text; what it cannot make sense of
// is a mark.
func lex(src string) []token {
	l := lexer{src: src, out: make([]token, 0, len(src)/4+4)}
	glued := false
	for l.at < len(src) {
		r, size := utf8.DecodeRuneInString(src[l.at:])
		from, n := l.at, len(l.out)
		switch {
		case r == '\n':
			l.at += size
			l.put(mark, "\n", from)
		case unicode.IsSpace(r):
			l.at += size
			glued = false
			continue
		case l.quoted(r, size):
		case strings.HasPrefix(src[l.at:], "http://") || strings.HasPrefix(src[l.at:], "https://"):
			l.link()
		case r >= '0' && r <= '9':
			l.number()
		case wordly(r):
			l.word()
		case r == '-' && glued && l.follows(size):
			l.at += size // a hyphen inside a compound
			continue
		default:
			l.at += size
			l.put(mark, src[from:l.at], from)
		}
		if n < len(l.out) {
			l.out[n].glued = glued
		}
		glued = true
	}
	return l.out
}

func (l *lexer) put(k kind, low string, from int) {
	l.out = append(l.out, token{kind: k, low: low, from: from, to: l.at})
}

func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || r == '_' }

// follows reports whether a letter or digit comes after the next bytes.
func (l *lexer) follows(after int) bool {
	r, _ := utf8.DecodeRuneInString(l.src[l.at+after:])
	return wordly(r) || unicode.IsDigit(r)
}

// word reads letters and digits with apostrophes inside: it's, ltx25.
func (l *lexer) word() {
	from := l.at
	for l.at < len(l.src) {
		r, size := utf8.DecodeRuneInString(l.src[l.at:])
		apostrophe := (r == '\'' || r == '’') && l.at > from && l.follows(size)
		if !wordly(r) && !unicode.IsDigit(r) && !apostrophe {
			break
		}
		l.at += size
	}
	l.put(word, strings.ReplaceAll(strings.ToLower(l.src[from:l.at]), "’", "'"), from)
}

// number reads digits with a fraction or with commas between thousands.
func (l *lexer) number() {
	from := l.at
	digits := func() {
		for l.at < len(l.src) && l.src[l.at] >= '0' && l.src[l.at] <= '9' {
			l.at++
		}
	}
	isDigit := func(i int) bool { return i < len(l.src) && l.src[i] >= '0' && l.src[i] <= '9' }
	digits()
	for l.at < len(l.src) && l.src[l.at] == ',' && l.at-from <= 3 &&
		isDigit(l.at+1) && isDigit(l.at+2) && isDigit(l.at+3) && !isDigit(l.at+4) {
		l.at += 4
	}
	if l.at < len(l.src) && l.src[l.at] == '.' && isDigit(l.at+1) {
		l.at++
		digits()
	}
	low := strings.ReplaceAll(l.src[from:l.at], ",", "")
	l.put(number, low, from)
	v, err := strconv.ParseFloat(low, 64)
	if err != nil || v > 1e15 {
		v = 1e15
	}
	l.out[len(l.out)-1].value = v
}

// link reads a URL up to a space or what cannot end one.
func (l *lexer) link() {
	from := l.at
	end := strings.IndexFunc(l.src[from:], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"<>`, r) })
	if end < 0 {
		end = len(l.src) - from
	}
	end = len(strings.TrimRight(l.src[from:from+end], ".,;:!?)'"))
	l.at = from + end
	l.put(link, l.src[from:l.at], from)
}

// closers are the marks that close a quotation, by the one that opens it.
var closers = map[rune]string{'"': `"`, '“': "”", '„': "“", '«': "»", '\'': "'", '‘': "’", '`': "`", '”': "”"}

// quoted reads a quotation, if one begins here and ends somewhere.
func (l *lexer) quoted(r rune, size int) bool {
	closer, opens := closers[r]
	if !opens {
		return false
	}
	if before, _ := utf8.DecodeLastRuneInString(l.src[:l.at]); l.at > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before)) {
		return false // an apostrophe, or inches
	}
	open := size
	if strings.HasPrefix(l.src[l.at:], "```") {
		closer, open = "```", 3
	}
	inner := l.src[l.at+open:]
	for seen := 0; ; {
		i := strings.Index(inner[seen:], closer)
		if i < 0 {
			return false
		}
		end := seen + i
		after, _ := utf8.DecodeRuneInString(inner[end+len(closer):])
		if (r == '\'' || r == '‘') && (unicode.IsLetter(after) || unicode.IsDigit(after)) {
			seen = end + len(closer) // an apostrophe inside
			continue
		}
		if strings.TrimSpace(inner[:end]) == "" {
			return false
		}
		from := l.at
		l.at += open + end + len(closer)
		l.put(quote, strings.TrimSpace(inner[:end]), from)
		return true
	}
}
