package h264

import "image"

// Planes carry a border of repeated edge samples, because motion may point
// outside of the picture (8.4.2.2.1).
const (
	lumaBorder   = 32
	chromaBorder = 16
)

type plane struct {
	pix           []byte
	stride        int
	origin        int // index of the sample at 0,0
	width, height int
	border        int
}

func newPlane(width, height, border int) plane {
	stride := width + 2*border
	// The tail lets a load of eight bytes begin at the last sample.
	return plane{make([]byte, stride*(height+2*border)+16), stride, border*stride + border, width, height, border}
}

func (p *plane) at(x, y int) int { return p.origin + y*p.stride + x }

// extend fills the border of rows from y0 to y1, and above and below the
// picture when the rows touch its edge.
func (p *plane) extend(y0, y1 int) {
	for y := y0; y < y1; y++ {
		row := p.pix[p.at(-p.border, y):p.at(p.width+p.border, y)]
		l, r := row[p.border], row[p.border+p.width-1]
		for i := range p.border {
			row[i] = l
			row[p.border+p.width+i] = r
		}
	}
	if y0 == 0 {
		first := p.pix[p.at(-p.border, 0):p.at(p.width+p.border, 0)]
		for y := 1; y <= p.border; y++ {
			copy(p.pix[p.at(-p.border, -y):], first)
		}
	}
	if y1 == p.height {
		last := p.pix[p.at(-p.border, p.height-1):p.at(p.width+p.border, p.height-1)]
		for y := range p.border {
			copy(p.pix[p.at(-p.border, p.height+y):], last)
		}
	}
}

// picture is a frame in whole macroblocks, and once it serves as a reference
// its luma between the samples: b, h and j of figure 8-4.
type picture struct {
	y, cb, cr    plane
	b, h, j      plane
	interpolated bool
}

func newPicture(mbWidth, mbHeight int, reference bool) *picture {
	w, h := 16*mbWidth, 16*mbHeight
	p := &picture{y: newPlane(w, h, lumaBorder), cb: newPlane(w/2, h/2, chromaBorder), cr: newPlane(w/2, h/2, chromaBorder)}
	if reference {
		p.b, p.h, p.j = newPlane(w, h, lumaBorder), newPlane(w, h, lumaBorder), newPlane(w, h, lumaBorder)
	}
	return p
}

// image copies the visible part out.
func (p *picture) image(width, height int) *image.YCbCr {
	img := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	copyPlane(img.Y, img.YStride, &p.y, width, height)
	copyPlane(img.Cb, img.CStride, &p.cb, (width+1)/2, (height+1)/2)
	copyPlane(img.Cr, img.CStride, &p.cr, (width+1)/2, (height+1)/2)
	return img
}

func copyPlane(dst []byte, stride int, p *plane, width, height int) {
	for y := range height {
		copy(dst[y*stride:y*stride+width], p.pix[p.at(0, y):])
	}
}

// fill copies samples in and repeats the last column and row up to whole
// macroblocks.
func (p *plane) fill(src []byte, stride, width, height int) {
	for y := range height {
		p.finishRow(y, width, src[y*stride:y*stride+width])
	}
	p.finishRows(height)
}

func (p *plane) finishRow(y, width int, src []byte) {
	row := p.pix[p.at(0, y):p.at(p.width, y)]
	if src != nil {
		copy(row, src)
	}
	for x := width; x < p.width; x++ {
		row[x] = row[width-1]
	}
}

func (p *plane) finishRows(height int) {
	for y := height; y < p.height; y++ {
		copy(p.pix[p.at(0, y):p.at(p.width, y)], p.pix[p.at(0, height-1):])
	}
}
