package ateliertest

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/atelier-project/atelier/apitype"
)

// Ordered is a picture of the size that a job orders, or a small one where it orders none.
func Ordered(contentType string, j apitype.Assignment) (content []byte, width, height int, err error) {
	make := ordered
	if n, _ := j.Arguments["width"].(float64); n == 0 {
		make = sampleFor
	}
	f, err := make(contentType, j)
	return f.content, f.width, f.height, err
}

// ordered is a picture of the size, or a clip whose headers tell the length, that a job
// orders.
func ordered(contentType string, j apitype.Assignment) (f file, err error) {
	if f, err = sample(contentType); err != nil {
		return f, err
	}
	number := func(name string) float64 {
		n, _ := j.Arguments[name].(float64)
		return n
	}
	switch contentType {
	case "image/png", "image/jpeg":
		f.width, f.height = int(number("width")), int(number("height"))
		uri, err := Picture(strings.TrimPrefix(contentType, "image/"), f.width, f.height)
		if err != nil {
			return f, err
		}
		_, text, _ := strings.Cut(uri, ",")
		f.content, err = base64.StdEncoding.DecodeString(text)
		return f, err
	case "video/mp4":
		f.seconds, f.content = number("duration"), bytes.Clone(f.content)
		for _, part := range bytes.SplitAfter(f.content, []byte("mdhd"))[1:] { // version, two times, units a second, length
			binary.BigEndian.PutUint32(part[16:], uint32(math.Round(f.seconds*float64(binary.BigEndian.Uint32(part[12:])))))
		}
		return f, nil
	}
	return f, fmt.Errorf("no %s can be made as ordered", contentType)
}
