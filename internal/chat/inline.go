package chat

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/atelier-project/atelier/internal/filetype"
)

// MaxInline bounds a piece of media that comes inside a request.
const MaxInline = 20 << 20

// CheckMedia checks that a data URI holds media of its kind and of the type that
// it says. It reads the bytes as they come out of their base64 and keeps none of
// them. The error says what is wrong.
func CheckMedia(kind, uri string) error {
	content, declared, err := openInline(uri)
	if err != nil {
		return err
	}
	head := make([]byte, filetype.HeadSize)
	n, err := io.ReadFull(content, head)
	if err == nil {
		_, err = io.Copy(io.Discard, content)
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("is not valid base64")
	}
	return fits(kind, declared, head[:n])
}

// DecodeMedia reads media from a data URI that CheckMedia has accepted.
func DecodeMedia(kind, uri string) (data []byte, contentType string, err error) {
	content, declared, err := openInline(uri)
	if err != nil {
		return nil, "", err
	}
	buf := bytes.NewBuffer(make([]byte, 0, base64.StdEncoding.DecodedLen(len(uri))))
	if _, err := buf.ReadFrom(content); err != nil {
		return nil, "", errors.New("is not valid base64")
	}
	data = buf.Bytes()
	if err := fits(kind, declared, data[:min(len(data), filetype.HeadSize)]); err != nil {
		return nil, "", err
	}
	return data, declared, nil
}

// openInline opens the bytes of a data URI, and tells the type that it says.
func openInline(uri string) (content io.Reader, declared string, err error) {
	rest, inline := strings.CutPrefix(uri, "data:")
	head, text, found := strings.Cut(rest, ",")
	declared, coded := strings.CutSuffix(head, ";base64")
	switch {
	case !inline || !found || !coded || len(declared) > 100:
		return nil, "", errors.New("must be a data URI such as data:image/png;base64,…")
	case base64.StdEncoding.DecodedLen(len(text)) > MaxInline+3:
		return nil, "", fmt.Errorf("must be at most %d MB; upload it and send its url", MaxInline>>20)
	}
	return filetype.Base64(text), filetype.Canonical(declared), nil
}

// fits checks the first bytes of media against its kind and the type that it
// says.
func fits(kind, declared string, head []byte) error {
	detected := filetype.Detect(head)
	switch {
	case detected == "":
		return errors.New("holds no media of a known type")
	case !filetype.Fits(declared, detected):
		return fmt.Errorf("says %s, but its content is %s", declared, detected)
	case filetype.Kind(declared) != kind:
		return fmt.Errorf("is of the kind %s, but its content is %s", kind, declared)
	}
	return nil
}
