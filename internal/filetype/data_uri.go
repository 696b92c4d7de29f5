package filetype

import (
	"bytes"
	"encoding/base64"
)

// SplitDataURI splits a data URI in base64, such as data:image/png;base64,iVBO…,
// into the content type that it declares and its text, which is not copied.
func SplitDataURI(uri []byte) (declared string, text []byte, ok bool) {
	rest, inline := bytes.CutPrefix(uri, []byte("data:"))
	head, text, found := bytes.Cut(rest, []byte(","))
	head, coded := bytes.CutSuffix(head, []byte(";base64"))
	if !inline || !found || !coded {
		return "", nil, false
	}
	return string(head), text, true
}

// DecodeBase64 decodes base64 with or without padding.
func DecodeBase64(text []byte) ([]byte, error) {
	text = bytes.TrimRight(text, "=\r\n")
	data := make([]byte, base64.RawStdEncoding.DecodedLen(len(text)))
	n, err := base64.RawStdEncoding.Decode(data, text)
	return data[:n], err
}
