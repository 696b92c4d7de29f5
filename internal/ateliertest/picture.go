package ateliertest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
)

// Picture is a small picture as a data URI: png, jpeg, gif, or clear, which is a PNG whose pixels are transparent.
func Picture(kind string, width, height int) (string, error) {
	var b bytes.Buffer
	var err error
	grey := image.NewGray(image.Rect(0, 0, width, height))
	switch kind {
	case "png":
		err = png.Encode(&b, grey)
	case "clear":
		kind, err = "png", png.Encode(&b, image.NewNRGBA(grey.Bounds()))
	case "jpeg":
		err = jpeg.Encode(&b, grey, nil)
	case "gif":
		err = gif.Encode(&b, grey, nil)
	default:
		err = fmt.Errorf("a %q cannot be drawn", kind)
	}
	return "data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(b.Bytes()), err
}
