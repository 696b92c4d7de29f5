package film

import (
	"image"

	"github.com/atelier-project/atelier/internal/kit/codec/h264"
)

// Samples is a frame as codecs have it: 4:2:0, BT.709, limited range. A Reader
// gives it and Write takes it, so that a clip that is only cut or scaled never
// leaves its own colours. As an image.Image it would be taken for the full
// range of JPEG; use RGBA to get its colours.
type Samples struct{ *image.YCbCr }

// NewSamples makes a frame of a size, black.
func NewSamples(width, height int) *Samples {
	s := &Samples{image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)}
	for i := range s.Y {
		s.Y[i] = 16
	}
	for i := range s.Cb {
		s.Cb[i], s.Cr[i] = 128, 128
	}
	return s
}

// RGBA returns the frame in the colours of a screen. dst is used again when it has
// the right size, and may be nil.
func (s *Samples) RGBA(dst *image.RGBA) *image.RGBA { return h264.ToRGBA(dst, s.YCbCr) }

// Copy makes dst the same frame; it may be nil.
func (s *Samples) Copy(dst *Samples) *Samples {
	b := s.Bounds()
	if dst == nil || dst.Bounds() != b {
		dst = &Samples{image.NewYCbCr(b, image.YCbCrSubsampleRatio420)}
	}
	for y := range b.Dy() {
		copy(dst.Y[y*dst.YStride:][:b.Dx()], s.Y[y*s.YStride:])
	}
	for y := range (b.Dy() + 1) / 2 {
		n := (b.Dx() + 1) / 2
		copy(dst.Cb[y*dst.CStride:][:n], s.Cb[y*s.CStride:])
		copy(dst.Cr[y*dst.CStride:][:n], s.Cr[y*s.CStride:])
	}
	return dst
}
