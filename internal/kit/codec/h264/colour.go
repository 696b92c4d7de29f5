package h264

import (
	"image"
	"image/color"
	"runtime"
)

// The conversions are BT.709 in limited range (ITU-R BT.709, 3.2 to 3.5),
// in sixteen bits of fraction. Each row of chroma factors sums to zero, so
// that grey stays exactly grey.
const (
	yR, yG, yB    = 11966, 40254, 4064
	cbR, cbG, cbB = -6596, -22188, 28784
	crR, crG, crB = 28784, -26145, -2639
)

// load converts rows of img, which has the size of the stream, into p. Rows
// come in pairs from y0 (even) to y1, because chroma averages two by two.
func (p *picture) load(img image.Image, y0, y1 int) {
	b := img.Bounds()
	width := b.Dx()
	var at func(x, y int) (r, g, b int32)
	switch m := img.(type) {
	case *image.NRGBA, *image.RGBA:
		p.loadRGBA(img, y0, y1)
		return
	default:
		at = func(x, y int) (int32, int32, int32) {
			c := color.RGBAModel.Convert(m.At(b.Min.X+x, b.Min.Y+y)).(color.RGBA)
			return int32(c.R), int32(c.G), int32(c.B)
		}
	}
	row := make([]byte, 8*width)
	for y := y0; y < y1; y += 2 {
		for k := range 2 {
			for x := range width {
				r, g, bl := at(x, min(y+k, b.Dy()-1))
				o := (k*width + x) * 4
				row[o], row[o+1], row[o+2] = byte(r), byte(g), byte(bl)
			}
		}
		p.loadRows(row[:4*width], row[4*width:], y, width)
	}
}

func (p *picture) loadRGBA(img image.Image, y0, y1 int) {
	var pix []byte
	var stride int
	b := img.Bounds()
	straight := false
	switch m := img.(type) {
	case *image.NRGBA:
		pix, stride, straight = m.Pix[m.PixOffset(b.Min.X, b.Min.Y):], m.Stride, true
	case *image.RGBA:
		pix, stride = m.Pix[m.PixOffset(b.Min.X, b.Min.Y):], m.Stride
	}
	n := 4 * b.Dx()
	var black [2][]byte
	for y := y0; y < y1; y += 2 {
		rows := [2][]byte{pix[y*stride : y*stride+n], pix[min(y+1, b.Dy()-1)*stride:][:n]}
		if straight {
			// A clip has no alpha: transparent pixels become black.
			for k, row := range rows {
				if opaque(row) {
					continue
				}
				black[k] = append(black[k][:0], row...)
				for i := 0; i < n; i += 4 {
					a := uint32(row[i+3])
					for c := range 3 {
						black[k][i+c] = byte((uint32(row[i+c])*a + 127) / 255)
					}
				}
				rows[k] = black[k]
			}
		}
		p.loadRows(rows[0], rows[1], y, b.Dx())
	}
}

func opaque(row []byte) bool {
	for i := 3; i < len(row); i += 4 {
		if row[i] != 255 {
			return false
		}
	}
	return true
}

// loadRows converts two rows of four bytes a pixel.
func (p *picture) loadRows(top, low []byte, y, width int) {
	up := p.y.pix[p.y.at(0, y):p.y.at(p.y.width, y)]
	down := p.y.pix[p.y.at(0, y+1):p.y.at(p.y.width, y+1)]
	cb := p.cb.pix[p.cb.at(0, y/2):p.cb.at(p.cb.width, y/2)]
	cr := p.cr.pix[p.cr.at(0, y/2):p.cr.at(p.cr.width, y/2)]
	const half = 1 << 15
	luma := func(s []byte) byte {
		return byte((int32(s[0])*yR + int32(s[1])*yG + int32(s[2])*yB + 16<<16 + half) >> 16)
	}
	for x := 0; x+1 < width; x += 2 {
		a, b := top[4*x:4*x+8:4*x+8], low[4*x:4*x+8:4*x+8]
		up[x], up[x+1] = luma(a), luma(a[4:])
		down[x], down[x+1] = luma(b), luma(b[4:])
		red := int32(a[0]) + int32(a[4]) + int32(b[0]) + int32(b[4])
		green := int32(a[1]) + int32(a[5]) + int32(b[1]) + int32(b[5])
		blue := int32(a[2]) + int32(a[6]) + int32(b[2]) + int32(b[6])
		cb[x/2] = byte((red*cbR + green*cbG + blue*cbB + (128<<16+half)<<2) >> 18)
		cr[x/2] = byte((red*crR + green*crG + blue*crB + (128<<16+half)<<2) >> 18)
	}
	for x := width; x < len(up); x++ {
		up[x], down[x] = up[width-1], down[width-1]
	}
	for x := width / 2; x < len(cb); x++ {
		cb[x], cr[x] = cb[width/2-1], cr[width/2-1]
	}
}

// ToRGBA converts the samples of a decoded frame (BT.709, limited range) into
// an image. dst is used again when it has the right size, and may be nil.
func ToRGBA(dst *image.RGBA, src *image.YCbCr) *image.RGBA {
	b := src.Bounds()
	if dst == nil || dst.Bounds() != b {
		dst = image.NewRGBA(b)
	}
	parallel(runtime.GOMAXPROCS(0), b.Dy(), func(from, to int) { toRGBA(dst, src, from, to) })
	return dst
}

// toRGBA converts some rows.
func toRGBA(dst *image.RGBA, src *image.YCbCr, from, to int) {
	width := dst.Rect.Dx()
	for y := from; y < to; y++ {
		luma := src.Y[y*src.YStride:][:width]
		cb, cr := src.Cb[y/2*src.CStride:], src.Cr[y/2*src.CStride:]
		out := dst.Pix[y*dst.Stride:][:4*width]
		for x, l := range luma {
			v := (int32(l)-16)*76309 + 1<<15
			u, w := int32(cb[x/2])-128, int32(cr[x/2])-128
			o := out[4*x : 4*x+4 : 4*x+4]
			o[0] = clip((v + 117489*w) >> 16)
			o[1] = clip((v - 13975*u - 34925*w) >> 16)
			o[2] = clip((v + 138438*u) >> 16)
			o[3] = 255
		}
	}
}
