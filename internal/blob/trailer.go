package blob

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"os"

	"github.com/atelier-project/atelier/internal/wire"
)

// trailerSize is the length of every trailer, and never changes: the size of
// the content is the size of the file without it.
const trailerSize = 512

// trailerMark begins a trailer. Its number is the version of what follows.
const trailerMark = "\natelier-blob 1\n"

// trailer is what is written behind the content of an object.
type trailer struct {
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256"`
	ContentType string `json:"type"`
}

// encode fills the trailer up with spaces, and ends it as a line of text.
func (t trailer) encode() ([]byte, error) {
	text, err := wire.Marshal(t)
	if err != nil {
		return nil, err
	}
	if len(trailerMark)+len(text) >= trailerSize {
		return nil, errors.New("the content type is too long")
	}
	out := bytes.Repeat([]byte{' '}, trailerSize)
	copy(out[copy(out, trailerMark):], text)
	out[trailerSize-1] = '\n'
	return out, nil
}

// readTrailer reads what is behind the content of an open object, and checks
// that the object is all there.
func readTrailer(f *os.File, fileSize int64) (trailer, error) {
	var t trailer
	buf := make([]byte, trailerSize)
	if fileSize < trailerSize {
		return t, fmt.Errorf("%w: it is cut short", ErrDamaged)
	}
	if _, err := f.ReadAt(buf, fileSize-trailerSize); err != nil && !errors.Is(err, io.EOF) {
		return t, err
	}
	body, found := bytes.CutPrefix(buf, []byte(trailerMark))
	if !found || wire.Unmarshal(body, &t) != nil {
		return t, fmt.Errorf("%w: its trailer cannot be read", ErrDamaged)
	}
	if t.Size != fileSize-trailerSize {
		return t, fmt.Errorf("%w: it has %d bytes instead of %d", ErrDamaged, fileSize-trailerSize, t.Size)
	}
	return t, nil
}

// contentType gives the type to store. What is not a media type is refused: the
// type is later sent as a header.
func contentType(s string) (string, error) {
	if s == "" {
		return "application/octet-stream", nil
	}
	if _, _, err := mime.ParseMediaType(s); err != nil || len(s) > 200 {
		return "", errors.New("the content type is not a media type")
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return "", errors.New("the content type is not a media type")
		}
	}
	return s, nil
}
