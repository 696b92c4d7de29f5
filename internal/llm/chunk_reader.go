package llm

import (
	"bytes"

	"github.com/atelier-project/atelier/internal/wire"
)

// chunkReader reads the chunks of a stream. Nearly all of them differ only in their
// text. It remembers the bytes before and after the text of a chunk; as long as
// they stay the same, it reads only the text and does not parse the rest.
type chunkReader struct {
	before, after []byte
	calls         callNumbers
}

var contentKey = []byte(`"content":`)

func (r *chunkReader) read(data []byte) (Delta, error) {
	d, err := readChunk(data)
	if err == nil {
		err = r.calls.number(d.ToolCalls)
	}
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
	said, ok := wire.AppendUnquoted(nil, data[at:end+1])
	if !ok || string(said) != text || bytes.IndexByte(data[:at], '\\') >= 0 || bytes.IndexByte(data[end+1:], '\\') >= 0 {
		return // it may be another content: names can be written with escapes
	}
	r.before = append(r.before[:0], data[:at]...)
	r.after = append(r.after[:0], data[end+1:]...)
}

// appendText implements eventReader: it reads a chunk that is like the remembered one.
func (r *chunkReader) appendText(text, data []byte) ([]byte, bool) {
	if len(r.before) == 0 || len(data) < len(r.before)+len(r.after)+2 || !bytes.HasPrefix(data, r.before) || !bytes.HasSuffix(data, r.after) {
		return text, false
	}
	return wire.AppendUnquoted(text, data[len(r.before):len(data)-len(r.after)])
}
