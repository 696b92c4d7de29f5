package worker

import (
	"bytes"
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/wire"
)

// The texts that a worker passes on often come from a vendor, a program or a file.
// The service accepts no text with a NUL in it, and would refuse the outcome of a
// job because of its description.

// replaceNUL makes a text that the service accepts.
func replaceNUL(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }

// replaceNULInMetadata returns metadata without NULs, which the service would refuse.
func replaceNULInMetadata(metadata map[string]any) map[string]any {
	text, err := wire.MarshalV1(metadata)
	if err != nil || !bytes.Contains(text, []byte(`\u0000`)) {
		return metadata
	}
	var out map[string]any
	if wire.UnmarshalExact(text, &out) != nil { // exact: a seed must keep its digits
		return metadata
	}
	return replaceNULInValue(out).(map[string]any)
}

func replaceNULInValue(v any) any {
	switch v := v.(type) {
	case string:
		return replaceNUL(v)
	case []any:
		for i := range v {
			v[i] = replaceNULInValue(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[replaceNUL(name)] = replaceNULInValue(member)
		}
		return out
	}
	return v
}

// trimMetadata makes metadata that the service accepts: without NULs, and without the largest
// members where it is too large.
func trimMetadata(metadata map[string]any) (map[string]any, error) {
	metadata = replaceNULInMetadata(metadata)
	for {
		text, err := wire.MarshalV1(metadata)
		if err != nil || len(text) <= client.MaxMetadata {
			return metadata, err
		}
		largest, most := "", -1
		for name, value := range metadata {
			member, err := wire.MarshalV1(map[string]any{name: value})
			if err != nil {
				return nil, err
			}
			if len(member) > most {
				largest, most = name, len(member)
			}
		}
		metadata = maps.Clone(metadata)
		delete(metadata, largest)
	}
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
