package chat

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/internal/filetype"
)

// MaxInline bounds a piece of media that comes inside a request.
const MaxInline = 20 << 20

// DecodeMedia reads media from a data URI and checks that it is of its kind and
// of the type that it says. The error says what is wrong.
func DecodeMedia(kind, uri string) (data []byte, contentType string, err error) {
	rest, inline := strings.CutPrefix(uri, "data:")
	head, content, found := strings.Cut(rest, ",")
	declared, coded := strings.CutSuffix(head, ";base64")
	switch {
	case !inline || !found || !coded:
		return nil, "", errors.New("must be a data URI such as data:image/png;base64,…")
	case base64.StdEncoding.DecodedLen(len(content)) > MaxInline+3:
		return nil, "", fmt.Errorf("must be at most %d MB; upload it and send its url", MaxInline>>20)
	}
	if data, err = base64.StdEncoding.DecodeString(content); err != nil {
		data, err = base64.RawStdEncoding.DecodeString(content)
	}
	if err != nil {
		return nil, "", errors.New("is not valid base64")
	}
	declared = filetype.Canonical(declared)
	detected := filetype.Detect(data[:min(len(data), filetype.HeadSize)])
	switch {
	case detected == "":
		return nil, "", errors.New("holds no media of a known type")
	case !filetype.Fits(declared, detected):
		return nil, "", fmt.Errorf("says %s, but its content is %s", declared, detected)
	case filetype.Kind(declared) != kind:
		return nil, "", fmt.Errorf("is of the kind %s, but its content is %s", kind, declared)
	}
	return data, declared, nil
}
