package llm

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg" // what may be seen
	_ "image/png"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/filetype"
)

// The limits of what a model is shown.
const (
	MaxImages     = 20
	MaxImageBytes = 10 << 20
	MaxImageEdge  = 1024
)

// CheckVision holds the images of a conversation against the rules: inline PNG
// or JPEG in user messages, not too many and not too large, and of the type
// that they say.
func CheckVision(messages []Message) error {
	seen := 0
	for i, m := range messages {
		for k, p := range m.Content {
			if p.Type != "image_url" {
				continue
			}
			at := fmt.Sprintf("messages[%d].content[%d].image_url.url", i, k)
			if m.Role != "user" {
				return atelier.Refuse(at, "is not taken here: only user messages may show images.")
			}
			if seen++; seen > MaxImages {
				return atelier.Refuse(at, "is one too many: a request may show at most %d images.", MaxImages)
			}
			if _, _, err := DecodeImage(at, p.URL); err != nil {
				return err
			}
		}
	}
	return nil
}

// DecodeImage reads an inline image: its bytes and its type.
func DecodeImage(at, url string) ([]byte, string, error) {
	rest, inline := strings.CutPrefix(url, "data:")
	head, content, found := strings.Cut(rest, ",")
	kind, coded := strings.CutSuffix(head, ";base64")
	switch {
	case !inline:
		return nil, "", atelier.Refuse(at, "must be an inline data URI: remote images are not fetched.")
	case !found || !coded:
		return nil, "", atelier.Refuse(at, "must be a data URI such as data:image/png;base64,….")
	case kind != "image/png" && kind != "image/jpeg" && kind != "image/jpg":
		return nil, "", atelier.Refuse(at, "must be PNG or JPEG, not %q.", kind)
	case base64.StdEncoding.DecodedLen(len(content)) > MaxImageBytes+3:
		return nil, "", atelier.Refuse(at, "must be at most %d MB.", MaxImageBytes>>20)
	}
	data, err := base64.StdEncoding.DecodeString(content)
	if err != nil {
		data, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(content, "="))
	}
	if err != nil {
		return nil, "", atelier.Refuse(at, "is not valid base64.")
	}
	if len(data) > MaxImageBytes {
		return nil, "", atelier.Refuse(at, "must be at most %d MB.", MaxImageBytes>>20)
	}
	real := filetype.Detect(data[:min(len(data), filetype.HeadSize)])
	if real != filetype.Canonical(kind) {
		return nil, "", atelier.Refuse(at, "says %s, but its content is %s.", kind, orUnknown(real))
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, "", atelier.Refuse(at, "is not a picture that can be read.")
	}
	if max(config.Width, config.Height) > MaxImageEdge {
		return nil, "", atelier.Refuse(at, "is %d by %d pixels; the longest side may have %d.", config.Width, config.Height, MaxImageEdge)
	}
	return data, real, nil
}

func orUnknown(s string) string {
	if s == "" {
		return "of no known type"
	}
	return s
}
