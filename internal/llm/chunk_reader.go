package llm

import (
	"bytes"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/wire"
)

// chunkReader reads the chunks of a stream. Nearly all of them differ only in their
// text. It remembers the bytes before and after the text of a chunk; as long as
// they stay the same, it reads only the text and does not parse the rest.
type chunkReader struct{ before, after []byte }

var contentKey = []byte(`"content":`)

func (r *chunkReader) read(data []byte) (Delta, error) {
	if s, ok := r.readText(data); ok {
		return Delta{Content: s}, nil
	}
	d, err := readChunk(data)
	r.before = r.before[:0]
	if err == nil && d.Content != "" && d.isTextOnly() {
		r.remember(data, d.Content)
	}
	return d, err
}

// remember remembers a chunk that holds this text and nothing else of interest.
func (r *chunkReader) remember(data []byte, text string) {
	at := bytes.Index(data, contentKey) // in valid JSON this is a key: within a string its quotes are escaped
	if at < 0 || bytes.Contains(data[at+1:], contentKey) {
		return
	}
	at += len(contentKey)
	for at < len(data) && data[at] == ' ' {
		at++
	}
	end := at + 1
	for end < len(data) && data[end] != '"' {
		if data[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(data) || data[at] != '"' {
		return
	}
	said, ok := unquote(data[at : end+1])
	if !ok || said != text || bytes.IndexByte(data[:at], '\\') >= 0 || bytes.IndexByte(data[end+1:], '\\') >= 0 {
		return // it may be another content: names can be written with escapes
	}
	r.before = append(r.before[:0], data[:at]...)
	r.after = append(r.after[:0], data[end+1:]...)
}

// readText reads the text of a chunk that is like the remembered one.
func (r *chunkReader) readText(data []byte) (string, bool) {
	if len(r.before) == 0 || len(data) < len(r.before)+len(r.after)+2 || !bytes.HasPrefix(data, r.before) || !bytes.HasSuffix(data, r.after) {
		return "", false
	}
	return unquote(data[len(r.before) : len(data)-len(r.after)])
}

// unquote reads a JSON string, all of it and nothing else.
func unquote(quoted []byte) (s string, ok bool) {
	if len(quoted) < 2 || quoted[0] != '"' || quoted[len(quoted)-1] != '"' {
		return "", false
	}
	inner := quoted[1 : len(quoted)-1]
	plain := true
	for _, b := range inner {
		if b == '"' || b == '\\' || b < ' ' || b >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain || bytes.IndexByte(inner, '\\') < 0 && bytes.IndexByte(inner, '"') < 0 && utf8.Valid(inner) && !bytes.ContainsFunc(inner, isControl) {
		return string(inner), true
	}
	return s, wire.Unmarshal(quoted, &s) == nil
}

func isControl(r rune) bool { return r < ' ' }
