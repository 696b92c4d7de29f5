package h264_test

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
)

// scene is something to film: frame i of it at a size.
type scene struct {
	name string
	draw func(img *image.NRGBA, i int)
}

var scenes = []scene{{"gradient", gradient}, {"noise", noise}, {"shapes", shapes}, {"cuts", cuts}, {"landscape", landscape}, {"still", still}}

func gradient(img *image.NRGBA, i int) {
	b := img.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			img.SetNRGBA(x, y, color.NRGBA{byte(x*255/b.Dx() + 2*i), byte(y * 255 / b.Dy()), byte((x + y + 3*i) / 3), 255})
		}
	}
}

func noise(img *image.NRGBA, i int) {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	for k := range img.Pix {
		img.Pix[k] = byte(r.Uint32())
		if k%4 == 3 {
			img.Pix[k] = 255
		}
	}
}

func shapes(img *image.NRGBA, i int) {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	cx, cy := float64(w)/2+float64(w)/3*math.Cos(float64(i)/9), float64(h)/2+float64(h)/3*math.Sin(float64(i)/7)
	left := (i * 5) % w
	for y := range h {
		for x := range w {
			c := color.NRGBA{byte(40 + x*60/w), byte(60 + y*80/h), 120, 255}
			if math.Hypot(float64(x)-cx, float64(y)-cy) < float64(h)/5 {
				c = color.NRGBA{240, 90, 40, 255}
			}
			if x > left && x < left+w/8 && y > h/3 && y < h/3+h/6 {
				c = color.NRGBA{20, 200, 220, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
}

func cuts(img *image.NRGBA, i int) {
	switch i / 4 % 3 {
	case 0:
		shapes(img, i)
	case 1:
		gradient(img, i)
	case 2:
		landscape(img, i)
	}
}

func still(img *image.NRGBA, i int) { landscape(img, 0) }

// landscape is what the renderer makes: layers of fractal hills that pass at
// different speeds below drifting clouds, with a little grain.
func landscape(img *image.NRGBA, i int) {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	t := float64(i)
	ridges := make([][]float64, 4)
	for k := range ridges {
		ridges[k] = make([]float64, w)
		for x := range w {
			u := (float64(x)*768/float64(w) + t*(0.6+1.3*float64(k))) / 90 * (1 + 0.3*float64(k))
			v := 0.0
			for o, a := 1.0, 1.0; o < 40; o, a = o*2.1, a*0.5 {
				v += a * math.Sin(u*o+float64(k)*5+o)
			}
			ridges[k][x] = float64(h) * (0.42 + 0.14*float64(k) + 0.045*v)
		}
	}
	for y := range h {
		fy := float64(y) / float64(h)
		for x := range w {
			fx := float64(x) * 768 / float64(w)
			cloud := 0.0
			for o, a := 1.0, 0.5; o < 20; o, a = o*2, a*0.55 {
				cloud += a * math.Sin(fx/140*o+t*0.01*o+2*math.Sin(fy*5*o+t*0.02+o))
			}
			r, g, bl := 90+140*fy+30*cloud, 130+90*fy+24*cloud, 200+20*fy+14*cloud
			for k := range ridges {
				if d := float64(y) - ridges[k][x]; d > 0 {
					tex := 14 * math.Sin((fx+t*(0.6+1.3*float64(k)))*0.35+3*math.Sin(float64(y)*0.21)) * math.Sin(float64(y)*0.4+fx*0.05)
					s := 1 - float64(k)*0.22
					r, g, bl = 70*s+tex, 105*s+20+tex, 90*s+tex*0.5
				}
			}
			grain := float64((uint32(x*7919+y*104729+i*15485863)*2654435761)>>28)/8 - 1
			img.SetNRGBA(x, y, color.NRGBA{u8(r + grain), u8(g + grain), u8(bl + grain), 255})
		}
	}
}

func u8(v float64) byte { return byte(min(max(v, 0), 255)) }

func psnr(a, b []byte) float64 {
	var s float64
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		s += d * d
	}
	if s == 0 {
		return math.Inf(1)
	}
	return 10 * math.Log10(255*255*float64(len(a))/s)
}
