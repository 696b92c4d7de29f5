package h264

import "image"

// SetBeforePart sets what is called at the beginning of each part of a picture, "slices",
// "deblocking" or "bands", on its goroutine.
func SetBeforePart(f func(name string)) { beforePart = f }

// Reconstruction is the last frame as every decoder shows it.
func (e *Encoder) Reconstruction() *image.YCbCr {
	return e.frame.ref.image(e.opts.Width, e.opts.Height)
}
