package wire

import (
	"bytes"

	"github.com/atelier-project/atelier"
)

// What a request may cost. JSON grows when it is decoded: two brackets become a map of
// about two hundred bytes. So a limit in bytes is not enough, and values are counted too.
const (
	// MaxValues is how many values a body may hold. The largest real one, a long
	// conversation with hundreds of tools, has a third of it.
	MaxValues = 100_000

	// The limits of a field without a fixed shape (any JSON, or a map of it), unless its
	// tag sets others.
	maxFreeBytes  = 256 << 10
	maxFreeValues = 10_000

	// The limits of a string, an array and a map, unless the tag sets others.
	maxStringLen = 64 << 10
	maxItems     = 1000

	// valueCost is the approximate memory of one decoded value.
	valueCost = 192
)

// Bounds are the limits of a body.
type Bounds struct {
	Text   int64 // bytes, without inline media
	Inline int64 // bytes of inline media: strings that begin with data:
	Single int64 // bytes of one of those strings
}

// Total is the largest size of a body.
func (b Bounds) Total() int64 { return b.Text + b.Inline }

// Weight estimates the memory of a JSON text once it is decoded.
func Weight(text []byte) int64 {
	var m Meter
	m.Add(text)
	return m.Size() + m.Growth()
}

// Meter measures JSON, in as many pieces as it arrives in. Invalid JSON is measured too;
// the decoder refuses it later. The zero Meter is ready.
type Meter struct {
	text    int64 // bytes outside inline media
	inline  int64 // bytes of inline media
	current int64 // bytes of the current inline string
	longest int64 // inline string
	values  int
	depth   int
	deepest int

	inString bool
	escaped  bool // the next byte belongs to a backslash
	isInline bool
	matched  int // of inlinePrefix, at the start of a string; -1: it is another string

	name  []byte // the current or last string, where it may be a member of the body
	field string // the current member of the body
}

const inlinePrefix = "data:"

// Size is the length of the measured text.
func (m *Meter) Size() int64 { return m.text + m.inline }

// Growth estimates the memory of the measured text once it is decoded, without the
// characters in it.
func (m *Meter) Growth() int64 { return int64(m.values) * valueCost }

// Add measures the next piece.
func (m *Meter) Add(b []byte) { m.scan(b, false) }

// Check refuses a body that exceeds a limit. The error names the member of the body.
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
	quote := -1 // its position, once it was searched for
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
				quote = indexFrom(b, i, '"')
			}
			end := indexFrom(b[:quote], i, '\\') // not further: the text after the value may be long
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
				continue // before the value
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
				m.field = shortenName(string(m.name))
			}
		}
	}
}

func indexFrom(b []byte, from int, c byte) int {
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

// maxName is how much of a caller's name is quoted.
const maxName = 100

// shortenName shortens a name to what is quoted to the caller.
func shortenName(name string) string {
	if len(name) <= maxName {
		return name
	}
	return firstRunes(name, maxName) + "…"
}
