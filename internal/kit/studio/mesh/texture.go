package mesh

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
)

// baseColour returns the picture as a JPEG whose background has taken on the colour of
// the nearest part of the subject: no rim of background shows on the model.
func baseColour(img image.Image, m *mask, side int) ([]byte, error) {
	src := shrink(img, side)
	m = m.core()
	near := m.nearest()
	w, h := src.Rect.Dx(), src.Rect.Dy()
	out := image.NewNRGBA(src.Rect)
	for y := range h {
		for x := range w {
			mx, my := x*m.w/w, y*m.h/h
			sx, sy := x, y
			if i := my*m.w + mx; !m.in[i] && near[i] >= 0 {
				sx, sy = int(near[i])%m.w*w/m.w, int(near[i])/m.w*h/m.h
			}
			c := src.NRGBAAt(sx, sy)
			c.A = 255
			out.SetNRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	err := jpeg.Encode(&b, out, &jpeg.Options{Quality: 90})
	return b.Bytes(), err
}

// core returns the mask without its rim, where the background shows through;
// the mask itself when nothing would be left.
func (m *mask) core() *mask {
	in := m.in
	for range 2 {
		next := &mask{m.w, m.h, make([]bool, len(in))}
		before := &mask{m.w, m.h, in}
		for i := range in {
			x, y := i%m.w, i/m.w
			next.in[i] = in[i] && before.at(x-1, y) && before.at(x+1, y) && before.at(x, y-1) && before.at(x, y+1)
		}
		in = next.in
	}
	out := &mask{m.w, m.h, in}
	if out.count()*4 < m.count() {
		return m
	}
	return out
}

// nearest finds for each pixel a pixel of the mask close to it, walking outwards
// from the mask one ring at a time.
func (m *mask) nearest() []int32 {
	out := make([]int32, len(m.in))
	var ring []int
	for i, in := range m.in {
		if out[i] = -1; in {
			out[i] = int32(i)
			ring = append(ring, i)
		}
	}
	for len(ring) > 0 {
		var next []int
		for _, i := range ring {
			x, y := i%m.w, i/m.w
			for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
				nx, ny := x+d[0], y+d[1]
				if nx < 0 || ny < 0 || nx >= m.w || ny >= m.h {
					continue
				}
				if n := ny*m.w + nx; out[n] < 0 {
					out[n] = out[i]
					next = append(next, n)
				}
			}
		}
		ring = next
	}
	return out
}

// normalMap takes the lightness of the picture as small heights, so that fur
// and bricks are shaded on the smooth relief.
func normalMap(img image.Image, side int) ([]byte, error) {
	src := shrink(img, side)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	light := func(x, y int) float64 {
		p := src.Pix[min(max(y, 0), h-1)*src.Stride+min(max(x, 0), w-1)*4:]
		return (0.299*float64(p[0]) + 0.587*float64(p[1]) + 0.114*float64(p[2])) / 255
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			dx := (light(x-1, y) - light(x+1, y)) * 0.9
			dy := (light(x, y+1) - light(x, y-1)) * 0.9
			l := math.Sqrt(dx*dx + dy*dy + 1)
			part := func(v float64) uint8 { return uint8(math.Round((v/l*0.5 + 0.5) * 255)) }
			out.SetRGBA(x, y, color.RGBA{part(dx), part(dy), part(1), 255})
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, out)
	return b.Bytes(), err
}
