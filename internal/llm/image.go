package llm

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/jpeg" // the formats that models are shown
	_ "image/png"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/filetype"
)

// The limits of what a model is shown.
const (
	MaxImages     = 20
	MaxImageBytes = 10 << 20
	MaxImageEdge  = 1024
)

// Image is an image inside a message, decoded. Its base64 text is made again for
// each model server that is sent the message.
type Image struct {
	Type string // as the caller declared it: image/png, image/jpeg or image/jpg
	Data []byte
	URL  string // of an image that is stored somewhere; without the data, no model sees it
}

// ReadImage decodes an image in a data URI. at names the field in the error.
func ReadImage(at string, uri []byte) (Image, error) {
	declared, text, ok := filetype.SplitDataURI(uri)
	switch {
	case !bytes.HasPrefix(uri, []byte("data:")):
		return Image{}, atelier.Refuse(at, "must be an inline data URI: remote images are not fetched.")
	case !ok:
		return Image{}, atelier.Refuse(at, "must be a data URI such as data:image/png;base64,….")
	}
	return DecodeImage(at, declared, text)
}

// DecodeImage decodes an image from base64, and checks that it is a PNG or JPEG, as it declares, and not too large.
func DecodeImage(at, declared string, text []byte) (Image, error) {
	switch {
	case declared != "image/png" && declared != "image/jpeg" && declared != "image/jpg":
		return Image{}, atelier.Refuse(at, "must be PNG or JPEG, not %q.", declared[:min(len(declared), 100)])
	case base64.StdEncoding.DecodedLen(len(text)) > MaxImageBytes+3:
		return Image{}, atelier.Refuse(at, "must be at most %d MB.", MaxImageBytes>>20)
	}
	data, err := filetype.DecodeBase64(text)
	if err != nil {
		return Image{}, atelier.Refuse(at, "is not valid base64.")
	}
	if len(data) > MaxImageBytes {
		return Image{}, atelier.Refuse(at, "must be at most %d MB.", MaxImageBytes>>20)
	}
	if detected := filetype.Detect(data[:min(len(data), filetype.HeadSize)]); detected != filetype.Canonical(declared) {
		if detected == "" {
			detected = "of no known type"
		}
		return Image{}, atelier.Refuse(at, "says %s, but its content is %s.", declared, detected)
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil:
		return Image{}, atelier.Refuse(at, "is not a picture that can be read.")
	case max(config.Width, config.Height) > MaxImageEdge:
		return Image{}, atelier.Refuse(at, "is %d by %d pixels; the longest side may have %d.", config.Width, config.Height, MaxImageEdge)
	}
	return Image{Type: declared, Data: data}, nil
}
