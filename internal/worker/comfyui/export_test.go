package comfyui

import (
	"bytes"
	"io"
)

// For the tests of parsers.
var (
	ParseGraph  = func(data []byte) error { _, err := parseGraph(data); return err }
	ParseText   = func(data []byte) bool { _, ok := parseText(data); return ok }
	ParseBinary = func(data []byte) (contentType string, picture []byte, ok bool) {
		f, ok := parseBinary(data)
		return f.contentType, f.picture, ok
	}
	ToWAV       = toWAV
	PictureSize = pictureSize
	Turned      = turned
)

// DecodeFLAC decodes in memory.
func DecodeFLAC(data []byte) error { return decodeFLAC(bytes.NewReader(data), discard{}, 16<<20) }

type discard struct{}

func (discard) Write(p []byte) (int, error)    { return len(p), nil }
func (discard) Seek(int64, int) (int64, error) { return 0, nil }

var _ io.WriteSeeker = discard{}

// Frames and sizes of mappings.
func FramesOf(fps float64, base, step, most int, seconds float64) int {
	return (&frames{fps, base, step, most}).of(seconds)
}

// Size is the part of a mapping that decides a size.
type Size = size

// SizeOf computes a size.
func SizeOf(s Size, args map[string]any, w, h int) (int, int, error) { return s.of(args, w, h) }
