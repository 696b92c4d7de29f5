package llm

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg" // what may be seen
	_ "image/png"
	"io"
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
			if err := CheckImage(at, p.URL); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckImage checks an inline image: that it is a PNG or JPEG, as it says, and
// not too large. It reads the bytes as they come out of their base64 and keeps
// none of them.
func CheckImage(at, url string) error {
	rest, inline := strings.CutPrefix(url, "data:")
	head, content, found := strings.Cut(rest, ",")
	kind, coded := strings.CutSuffix(head, ";base64")
	switch {
	case !inline:
		return atelier.Refuse(at, "must be an inline data URI: remote images are not fetched.")
	case !found || !coded:
		return atelier.Refuse(at, "must be a data URI such as data:image/png;base64,….")
	case kind != "image/png" && kind != "image/jpeg" && kind != "image/jpg":
		return atelier.Refuse(at, "must be PNG or JPEG, not %q.", firstBytes(kind, 100))
	case base64.StdEncoding.DecodedLen(len(content)) > MaxImageBytes+3:
		return atelier.Refuse(at, "must be at most %d MB.", MaxImageBytes>>20)
	}
	counted := &counter{r: filetype.Base64(content)}
	data := bufio.NewReaderSize(counted, filetype.HeadSize)
	first, _ := data.Peek(filetype.HeadSize) // less of a smaller file; what is no base64 shows below
	real := filetype.Detect(first)
	var (
		config  image.Config
		picture error
	)
	if real == filetype.Canonical(kind) {
		config, _, picture = image.DecodeConfig(data)
	}
	_, err := io.Copy(io.Discard, data)
	switch {
	case err != nil || counted.err != nil:
		return atelier.Refuse(at, "is not valid base64.")
	case counted.n > MaxImageBytes:
		return atelier.Refuse(at, "must be at most %d MB.", MaxImageBytes>>20)
	case real != filetype.Canonical(kind):
		return atelier.Refuse(at, "says %s, but its content is %s.", kind, orUnknown(real))
	case picture != nil:
		return atelier.Refuse(at, "is not a picture that can be read.")
	case max(config.Width, config.Height) > MaxImageEdge:
		return atelier.Refuse(at, "is %d by %d pixels; the longest side may have %d.", config.Width, config.Height, MaxImageEdge)
	}
	return nil
}

// counter counts what is read, and remembers what went wrong: a decoder of
// pictures may swallow it.
type counter struct {
	r   io.Reader
	n   int64
	err error
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

func firstBytes(s string, n int) string { return s[:min(n, len(s))] }

func orUnknown(s string) string {
	if s == "" {
		return "of no known type"
	}
	return s
}
