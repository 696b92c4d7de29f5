package token

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind uint8

const (
	Word      Kind = iota
	Number         // digits, with or without a fraction
	Quotation      // a quotation as one token
	URL            // a URL
	Punct          // any other character
)

// Token is a piece of a text.
type Token struct {
	Kind       Kind
	Text       string  // lower case with plain apostrophes; the unchanged content of a quotation
	Value      float64 // of a number
	Start, End int     // its byte offsets in the text
	Adjacent   bool    // no space before it, or only a hyphen
}

// Is reports whether the token is one of the words or punctuation marks.
func (t Token) Is(words ...string) bool {
	return t.Kind != Quotation && t.Kind != URL && slices.Contains(words, t.Text)
}

type lexer struct {
	src string
	pos int
	out []Token
}

// Tokenize splits a text into tokens. It takes any text: a character that begins nothing else is punctuation.
func Tokenize(src string) []Token {
	l := lexer{src: src, out: make([]Token, 0, len(src)/4+4)}
	glued := false
	for l.pos < len(src) {
		r, size := utf8.DecodeRuneInString(src[l.pos:])
		from, n := l.pos, len(l.out)
		switch {
		case r == '\n':
			l.pos += size
			l.emit(Punct, "\n", from)
		case unicode.IsSpace(r):
			l.pos += size
			glued = false
			continue
		case l.readQuotation(r, size):
		case strings.HasPrefix(src[l.pos:], "http://") || strings.HasPrefix(src[l.pos:], "https://"):
			l.readURL()
		case r >= '0' && r <= '9':
			l.readNumber()
		case isWordRune(r):
			l.readWord()
		case r == '-' && glued && l.wordFollows(size):
			l.pos += size // a hyphen inside a compound
			continue
		default:
			l.pos += size
			l.emit(Punct, src[from:l.pos], from)
		}
		if n < len(l.out) {
			l.out[n].Adjacent = glued
		}
		glued = true
	}
	return l.out
}

func (l *lexer) emit(k Kind, low string, from int) {
	l.out = append(l.out, Token{Kind: k, Text: low, Start: from, End: l.pos})
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || r == '_' }

// wordFollows reports whether a letter or digit comes after the next bytes.
func (l *lexer) wordFollows(after int) bool {
	r, _ := utf8.DecodeRuneInString(l.src[l.pos+after:])
	return isWordRune(r) || unicode.IsDigit(r)
}

// readWord reads letters and digits with apostrophes inside: it's, ltx25.
func (l *lexer) readWord() {
	from := l.pos
	for l.pos < len(l.src) {
		r, size := utf8.DecodeRuneInString(l.src[l.pos:])
		apostrophe := (r == '\'' || r == '’') && l.pos > from && l.wordFollows(size)
		if !isWordRune(r) && !unicode.IsDigit(r) && !apostrophe {
			break
		}
		l.pos += size
	}
	l.emit(Word, strings.ReplaceAll(strings.ToLower(l.src[from:l.pos]), "’", "'"), from)
}

// readNumber reads digits with a fraction or with commas between thousands.
func (l *lexer) readNumber() {
	from := l.pos
	digits := func() {
		for l.pos < len(l.src) && l.src[l.pos] >= '0' && l.src[l.pos] <= '9' {
			l.pos++
		}
	}
	isDigit := func(i int) bool { return i < len(l.src) && l.src[i] >= '0' && l.src[i] <= '9' }
	digits()
	for l.pos < len(l.src) && l.src[l.pos] == ',' && l.pos-from <= 3 &&
		isDigit(l.pos+1) && isDigit(l.pos+2) && isDigit(l.pos+3) && !isDigit(l.pos+4) {
		l.pos += 4
	}
	if l.pos < len(l.src) && l.src[l.pos] == '.' && isDigit(l.pos+1) {
		l.pos++
		digits()
	}
	low := strings.ReplaceAll(l.src[from:l.pos], ",", "")
	l.emit(Number, low, from)
	v, err := strconv.ParseFloat(low, 64)
	if err != nil || v > 1e15 {
		v = 1e15
	}
	l.out[len(l.out)-1].Value = v
}

// readURL reads a URL, without punctuation at its end.
func (l *lexer) readURL() {
	from := l.pos
	end := strings.IndexFunc(l.src[from:], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"<>`, r) })
	if end < 0 {
		end = len(l.src) - from
	}
	end = len(strings.TrimRight(l.src[from:from+end], ".,;:!?)'"))
	l.pos = from + end
	l.emit(URL, l.src[from:l.pos], from)
}

// closingQuotes are the marks that close a quotation, by the mark that opens it.
var closingQuotes = map[rune]string{'"': `"`, '“': "”", '„': "“", '«': "»", '\'': "'", '‘': "’", '`': "`", '”': "”"}

// readQuotation reads a quotation, if one begins here and is closed.
func (l *lexer) readQuotation(r rune, size int) bool {
	closer, opens := closingQuotes[r]
	if !opens {
		return false
	}
	if before, _ := utf8.DecodeLastRuneInString(l.src[:l.pos]); l.pos > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before)) {
		return false // an apostrophe, or inches
	}
	open := size
	if strings.HasPrefix(l.src[l.pos:], "```") {
		closer, open = "```", 3
	}
	inner := l.src[l.pos+open:]
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
		from := l.pos
		l.pos += open + end + len(closer)
		l.emit(Quotation, strings.TrimSpace(inner[:end]), from)
		return true
	}
}
