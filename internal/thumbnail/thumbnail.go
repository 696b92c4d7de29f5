// Package thumbnail makes pictures smaller.
package thumbnail

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"strings"

	scale "golang.org/x/image/draw"
)

// Reduce makes a picture smaller, so that its longer edge has size pixels, on white. A
// picture that is small enough keeps its size. Blocks of pixels are averaged first, to
// about twice the size: that costs one pass, and leaves the filter little to do.
func Reduce(src image.Image, size int) *image.RGBA {
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	longer := max(w, h)
	size = min(size, longer)
	small := average(src, max(1, longer/(2*size)))
	dst := image.NewRGBA(image.Rect(0, 0, max(1, w*size/longer), max(1, h*size/longer)))
	scale.CatmullRom.Scale(dst, dst.Bounds(), small, small.Bounds(), draw.Src, nil)
	return dst
}

// average makes one pixel of each block of n by n pixels, on white. It converts a row of
// blocks at a time, so that a large picture is not copied.
func average(src image.Image, n int) *image.RGBA {
	b := src.Bounds()
	w, h := (b.Dx()+n-1)/n, (b.Dy()+n-1)/n
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	strip := image.NewRGBA(image.Rect(0, 0, b.Dx(), n))
	for y := range h {
		rows := min(n, b.Dy()-y*n)
		at := image.Rect(0, 0, b.Dx(), rows)
		draw.Draw(strip, at, image.White, image.Point{}, draw.Src)
		draw.Draw(strip, at, src, image.Pt(b.Min.X, b.Min.Y+y*n), draw.Over)
		for x := range w {
			dst.SetRGBA(x, y, mean(strip, image.Rect(x*n, 0, min(b.Dx(), (x+1)*n), rows)))
		}
	}
	return dst
}

// mean is the average colour of a part of an opaque picture.
func mean(p *image.RGBA, r image.Rectangle) color.RGBA {
	var red, green, blue, n uint64
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := p.Pix[p.PixOffset(r.Min.X, y) : p.PixOffset(r.Max.X-1, y)+4]
		for i := 0; i < len(row); i += 4 {
			red, green, blue, n = red+uint64(row[i]), green+uint64(row[i+1]), blue+uint64(row[i+2]), n+1
		}
	}
	return color.RGBA{uint8((red + n/2) / n), uint8((green + n/2) / n), uint8((blue + n/2) / n), 255}
}

// Colors are the average colours of a picture, in 4 rows of 4, in hexadecimal.
func Colors(p *image.RGBA) string {
	var out strings.Builder
	w, h := p.Rect.Dx(), p.Rect.Dy()
	for y := range 4 {
		for x := range 4 {
			r := image.Rect(w*x/4, h*y/4, max(w*x/4+1, w*(x+1)/4), max(h*y/4+1, h*(y+1)/4))
			c := mean(p, r)
			fmt.Fprintf(&out, "%02x%02x%02x", c.R, c.G, c.B)
		}
	}
	return out.String()
}

// JPEG encodes a picture with a quality of 1 to 100.
func JPEG(p image.Image, quality int) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, p, &jpeg.Options{Quality: quality})
	return b.Bytes(), err
}
