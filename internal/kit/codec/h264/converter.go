package h264

import (
	"image"
	"runtime"
)

// A Converter makes the samples of the stream from pictures, for those who
// hand them to another encoder. The zero value is ready.
type Converter struct{ p *picture }

// YCbCr converts a picture whose sides are even to 4:2:0 in BT.709, limited
// range. What it returns is valid until the next call.
func (c *Converter) YCbCr(img image.Image) *image.YCbCr {
	s := img.Bounds().Size()
	wide, high := (s.X+15)/16, (s.Y+15)/16
	if c.p == nil || c.p.y.width != 16*wide || c.p.y.height != 16*high {
		c.p = newPicture(wide, high, false)
	}
	p := c.p
	parallel(runtime.GOMAXPROCS(0), s.Y/2, func(from, to int) { p.load(img, 2*from, 2*to) })
	return &image.YCbCr{
		Y: p.y.pix[p.y.at(0, 0):], Cb: p.cb.pix[p.cb.at(0, 0):], Cr: p.cr.pix[p.cr.at(0, 0):],
		YStride: p.y.stride, CStride: p.cb.stride,
		SubsampleRatio: image.YCbCrSubsampleRatio420, Rect: image.Rect(0, 0, s.X, s.Y),
	}
}
