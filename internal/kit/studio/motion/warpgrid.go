package motion

import (
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/footage"
)

// WarpGrid warps a picture: each node, a few pixels apart, holds the source
// position for its place in the frame. Positions between nodes are
// interpolated, so a camera, a ripple and the motion of a scene cost the same.
type WarpGrid struct {
	w, h       int
	cols, rows int
	x, y       []float32
}

// gridStep is the distance of nodes in pixels.
const gridStep = 12

// NewWarpGrid returns a WarpGrid for frames of w by h.
func NewWarpGrid(w, h int) *WarpGrid {
	l := &WarpGrid{w: w, h: h, cols: (w+gridStep-1)/gridStep + 1, rows: (h+gridStep-1)/gridStep + 1}
	l.x, l.y = make([]float32, l.cols*l.rows), make([]float32, l.cols*l.rows)
	return l
}

// Set sets every node by a function from a place in the frame to a place in
// the picture, both from 0 to 1.
func (l *WarpGrid) Set(src image.Rectangle, place func(u, v float64) (float64, float64)) {
	sw, sh := float64(src.Dx()), float64(src.Dy())
	footage.Rows(l.rows, func(j int) {
		v := float64(j*gridStep) / float64(l.h)
		for i := range l.cols {
			u := float64(i*gridStep) / float64(l.w)
			su, sv := place(u, v)
			l.x[j*l.cols+i], l.y[j*l.cols+i] = float32(su*sw-0.5), float32(sv*sh-0.5)
		}
	})
}

// Draw draws the warped picture. Beyond its edges the picture is mirrored.
func (l *WarpGrid) Draw(dst, src *image.RGBA) {
	half := float32(0.5) / gridStep
	footage.Rows(l.h, func(y int) {
		j := y / gridStep
		v := float32(y%gridStep)/gridStep + half
		out := dst.Pix[y*dst.Stride:]
		for i := range l.cols - 1 {
			a, b := j*l.cols+i, (j+1)*l.cols+i
			x0, x1 := l.x[a]+(l.x[b]-l.x[a])*v, l.x[a+1]+(l.x[b+1]-l.x[a+1])*v
			y0, y1 := l.y[a]+(l.y[b]-l.y[a])*v, l.y[a+1]+(l.y[b+1]-l.y[a+1])*v
			dx, dy := (x1-x0)/gridStep, (y1-y0)/gridStep
			fx, fy := x0+dx/2, y0+dy/2
			for x := i * gridStep; x < min((i+1)*gridStep, l.w); x++ {
				sampleRGBA(out[4*x:4*x+4:4*x+4], src, fx, fy)
				fx += dx
				fy += dy
			}
		}
	})
}

// sampleRGBA samples a picture between its pixels.
func sampleRGBA(out []uint8, src *image.RGBA, fx, fy float32) {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	x, y := int(math.Floor(float64(fx))), int(math.Floor(float64(fy)))
	u, v := int32((fx-float32(x))*256), int32((fy-float32(y))*256)
	if x >= 0 && y >= 0 && x < w-1 && y < h-1 {
		at := y*src.Stride + 4*x
		a, b := src.Pix[at:at+8:at+8], src.Pix[at+src.Stride:at+src.Stride+8:at+src.Stride+8]
		for c := range 3 {
			top := int32(a[c])*(256-u) + int32(a[4+c])*u
			low := int32(b[c])*(256-u) + int32(b[4+c])*u
			out[c] = uint8((top*(256-v) + low*v + 1<<15) >> 16)
		}
		out[3] = 255
		return
	}
	x0, x1, y0, y1 := footage.Mirror(x, w), footage.Mirror(x+1, w), footage.Mirror(y, h), footage.Mirror(y+1, h)
	p := func(x, y, c int) int32 { return int32(src.Pix[y*src.Stride+4*x+c]) }
	for c := range 3 {
		top := p(x0, y0, c)*(256-u) + p(x1, y0, c)*u
		low := p(x0, y1, c)*(256-u) + p(x1, y1, c)*u
		out[c] = uint8((top*(256-v) + low*v + 1<<15) >> 16)
	}
	out[3] = 255
}
