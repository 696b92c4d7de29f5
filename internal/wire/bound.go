package wire

import (
	"bytes"

	"github.com/atelier-project/atelier"
)

// What a request may cost. JSON grows when it is read: two brackets become a
// map, which is some two hundred bytes. So bytes alone bound nothing, and values
// are counted too.
const (
	// MaxValues is how many values a body may hold. The largest honest one, a long
	// conversation with hundreds of tools, has a third of it.
	MaxValues = 100_000

	// What a field without a fixed shape may hold (any JSON, or a map of it), where
	// its tag does not say otherwise.
	maxFreeBytes  = 256 << 10
	maxFreeValues = 10_000

	// What a string, an array and a map may hold where the tag does not say.
	maxStringLen = 64 << 10
	maxItems     = 1000

	// valueCost is what one counted value costs in memory, about, once it is read.
	valueCost = 192
)

// Bounds are what a body may hold.
type Bounds struct {
	Text   int64 // bytes, without inline media
	Inline int64 // bytes of inline media: strings that begin with data:
	Single int64 // bytes of one of those strings
}

// Total is how large a body may be.
func (b Bounds) Total() int64 { return b.Text + b.Inline }

// Weight estimates how much memory a JSON text takes once it is read.
func Weight(text []byte) int64 {
	var m Meter
	m.Add(text)
	return m.Size() + m.Growth()
}

// Meter measures JSON, in as many pieces as it arrives in. What is not JSON is
// measured too, somehow: the decoder refuses it. The zero Meter is ready.
type Meter struct {
	text    int64 // bytes outside inline media
	inline  int64 // bytes of inline media
	current int64 // bytes of the inline string under way
	longest int64 // inline string
	values  int
	depth   int
	deepest int

	inString bool
	escaped  bool // the next byte belongs to a backslash
	isInline bool
	matched  int // of inlinePrefix, at the beginning of a string; -1: it is another string

	name  []byte // the string under way or just read, where it may be a member of the body
	field string // the member of the body that is under way
}

const inlinePrefix = "data:"

// Size is how long the measured text is.
func (m *Meter) Size() int64 { return m.text + m.inline }

// Growth estimates how much memory the measured text takes once it is read, besides
// the characters in it.
func (m *Meter) Growth() int64 { return int64(m.values) * valueCost }

// Add measures the next piece.
func (m *Meter) Add(b []byte) { m.scan(b, false) }

// Check refuses what has become too much. The error names the member of the body
// in which it did.
func (m *Meter) Check(b Bounds) error {
	at := path{name: m.field}
	switch {
	case m.deepest > MaxDepth:
		return (&path{}).refuse("nests deeper than %d levels", MaxDepth)
	case m.values > MaxValues:
		return at.refuse("holds too much: a body may hold at most %d values", MaxValues)
	case b.Inline == 0 && m.Size() > b.Text:
		return atelier.Errorf(atelier.CodeBodyTooLarge, "The body is larger than %d bytes.", b.Text)
	case b.Inline == 0:
		return nil
	case m.text > b.Text:
		return atelier.Errorf(atelier.CodeBodyTooLarge, "The body is larger than %d bytes without its inline media.", b.Text)
	case m.longest > b.Single:
		return atelier.Errorf(atelier.CodeBodyTooLarge, "The body holds a data URI of more than %d bytes. Upload the media and send its url.", b.Single)
	case m.inline > b.Inline:
		return atelier.Errorf(atelier.CodeBodyTooLarge, "The body holds more than %d bytes of inline media. Upload the media and send its url.", b.Inline)
	}
	return nil
}

// scan measures text up to its end, or up to the end of one value.
func (m *Meter) scan(b []byte, one bool) {
	quote := -1 // where the next one is, once it was looked for
	begun := false
	for i := 0; i < len(b); {
		if m.inString {
			if m.escaped {
				m.escaped = false
				m.matched = -1
				m.count(b[i : i+1])
				i++
				continue
			}
			if m.matched >= 0 {
				m.match(b[i])
				if b[i] != '"' && b[i] != '\\' {
					m.count(b[i : i+1])
					i++
					continue
				}
			}
			if quote < i {
				quote = next(b, i, '"')
			}
			end := next(b[:quote], i, '\\') // not beyond: what follows the value may be long
			m.count(b[i:end])
			if i = end; i == len(b) {
				return
			}
			m.count(b[i : i+1])
			if b[i] == '\\' {
				m.escaped = true
			} else {
				m.endString()
				if one && m.depth == 0 {
					return
				}
			}
			i++
			continue
		}
		c := b[i]
		if one && m.depth == 0 {
			switch c {
			case ',', ':', ' ', '\t', '\r', '\n':
				if begun {
					return
				}
				i++
				continue // what stands before the value
			case '}', ']':
				return
			}
			begun = true
		}
		m.text++
		i++
		switch c {
		case '"':
			m.inString, m.matched, m.name = true, 0, m.name[:0]
		case '{', '[':
			m.values++
			m.depth++
			m.deepest = max(m.deepest, m.depth)
		case '}', ']':
			if m.depth--; one && m.depth == 0 {
				return
			}
		case ',':
			m.values++
		case ':':
			if m.depth == 1 && !one {
				m.field = short(string(m.name))
			}
		}
	}
}

func next(b []byte, from int, c byte) int {
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return len(b)
}

// match compares the beginning of a string with that of a data URI.
func (m *Meter) match(c byte) {
	if c != inlinePrefix[m.matched] {
		m.matched = -1
		return
	}
	if m.matched++; m.matched == len(inlinePrefix) {
		m.isInline, m.matched, m.current = true, -1, 0
	}
}

// count counts bytes of a string.
func (m *Meter) count(b []byte) {
	if m.depth == 1 && len(m.name) < maxName {
		m.name = append(m.name, b[:min(len(b), maxName-len(m.name))]...)
	}
	if !m.isInline {
		m.text += int64(len(b))
		return
	}
	m.inline += int64(len(b))
	m.current += int64(len(b))
	m.longest = max(m.longest, m.current)
}

func (m *Meter) endString() {
	if n := len(m.name); n > 0 && m.name[n-1] == '"' {
		m.name = m.name[:n-1]
	}
	m.inString, m.isInline, m.matched = false, false, 0
}

// maxName is how much of a caller's name is repeated to it.
const maxName = 100

// short is a name as it is repeated to the caller.
func short(name string) string {
	if len(name) <= maxName {
		return name
	}
	return firstRunes(name, maxName) + "…"
}
