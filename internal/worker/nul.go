package worker

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/wire"
)

// The texts that a worker passes on often come from a vendor, a program or a file.
// The service accepts no text with a NUL in it, and would refuse the outcome of a
// job because of its description.

// replaceNUL is a text that the service accepts.
func replaceNUL(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }

// plainFacts are facts that the service accepts, whatever they contain.
func plainFacts(facts map[string]any) map[string]any {
	text, err := wire.MarshalV1(facts)
	if err != nil || !bytes.Contains(text, []byte(`\u0000`)) {
		return facts
	}
	var out map[string]any
	if wire.UnmarshalExact(text, &out) != nil { // a seed stays the number it is
		return facts
	}
	return plainValue(out).(map[string]any)
}

func plainValue(v any) any {
	switch v := v.(type) {
	case string:
		return replaceNUL(v)
	case []any:
		for i := range v {
			v[i] = plainValue(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[replaceNUL(name)] = plainValue(member)
		}
		return out
	}
	return v
}

// Shorten cuts a text to n bytes, between characters.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
