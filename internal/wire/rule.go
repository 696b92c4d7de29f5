package wire

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// checkText applies the rules of a string field.
func (t *tag) checkText(s string, p *path) (string, error) {
	if t.truncate > 0 {
		s = firstRunes(s, t.truncate)
	}
	if t.enum != nil && !slices.Contains(t.enum, s) {
		if t.fallback && t.def != nil {
			return *t.def, nil
		}
		return "", p.refuse("must be one of %s", oneOf(t.enum))
	}
	most := t.maxLen
	if most == 0 {
		most = maxStringLen
	}
	if t.minLen == 0 && len(s) <= most {
		return s, nil
	}
	switch n := utf8.RuneCountInString(s); {
	case n < t.minLen && n == 0:
		return "", p.refuse("must not be empty")
	case n < t.minLen:
		return "", p.refuse("must be at least %d characters long", t.minLen)
	case n > most:
		return "", p.refuse("must be at most %d characters long", most)
	}
	return s, nil
}

// mostItems is how many items an array or a map may have.
func (t *tag) mostItems() int {
	if t.maxLen > 0 {
		return t.maxLen
	}
	return maxItems
}

// mostBytes is how large JSON without a fixed shape may be.
func (t *tag) mostBytes() int64 {
	if t.maxBytes > 0 {
		return int64(t.maxBytes)
	}
	return maxFreeBytes
}

// mostValues is how many values JSON without a fixed shape may hold: as many per byte as
// without a tag.
func (t *tag) mostValues() int {
	return int(t.mostBytes() * maxFreeValues / maxFreeBytes)
}

// free limits JSON without a fixed shape, before it is decoded.
func (t *tag) free(m *Meter, p *path) error {
	switch {
	case m.Size() > t.mostBytes():
		return p.refuse("must be at most %d bytes of JSON", t.mostBytes())
	case m.values > t.mostValues():
		return p.refuse("must hold at most %d values", t.mostValues())
	}
	return nil
}

// number applies the rules of a numeric field.
func (t *tag) number(f float64, p *path) (float64, error) {
	low, high := t.min != nil && f < *t.min, t.max != nil && f > *t.max
	switch {
	case !low && !high:
		return f, nil
	case t.clamp && low:
		return *t.min, nil
	case t.clamp:
		return *t.max, nil
	case t.min != nil && t.max != nil && *t.min == *t.max:
		return 0, p.refuse("must be %s", formatNumber(*t.min))
	case t.min != nil && t.max != nil:
		return 0, p.refuse("must be between %s and %s", formatNumber(*t.min), formatNumber(*t.max))
	case low:
		return 0, p.refuse("must be at least %s", formatNumber(*t.min))
	}
	return 0, p.refuse("must be at most %s", formatNumber(*t.max))
}

// items applies the rules of an array field.
func (t *tag) items(n int, p *path) error {
	switch {
	case n < t.minLen && t.minLen == 1:
		return p.refuse("must not be empty")
	case n < t.minLen:
		return p.refuse("must have at least %d items", t.minLen)
	case n > t.mostItems():
		return p.refuse("must have at most %d items", t.mostItems())
	}
	return nil
}

func oneOf(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return fmt.Sprintf("%s or %s", strings.Join(quoted[:len(quoted)-1], ", "), quoted[len(quoted)-1])
}

func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func firstRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
