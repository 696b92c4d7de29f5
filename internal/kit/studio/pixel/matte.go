package pixel

import (
	"context"
	"image"
)

// The window of the guided filter, in pixels of a study, and its
// regularisation.
const (
	matteReach = 3
	matteNoise = 4e-4
)

// Matte brings a mask from the size of a study to that of its picture with a
// guided filter (He, Sun, Tang 2013), so that its border follows the picture,
// hair included.
func Matte(ctx context.Context, src *image.NRGBA, m *Mask) (*Mask, error) {
	small, err := shrink(ctx, src, m.W, m.H)
	if err != nil {
		return nil, err
	}
	slope, offset, err := guidedCoefficients(ctx, small, m)
	if err != nil {
		return nil, err
	}
	// Far from the border the mask is used as it is.
	sure, maybe := m.Dilate(-2*matteReach), m.Dilate(2*matteReach)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	kx, ky := float32(m.W)/float32(w), float32(m.H)/float32(h)
	out := NewMask(w, h)
	err = Bands(ctx, h, 16, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range w {
				near := min(int(float32(y)*ky), m.H-1)*m.W + min(int(float32(x)*kx), m.W-1)
				switch {
				case maybe.Pix[near] < 128:
					continue
				case sure.Pix[near] >= 128:
					out.Pix[y*w+x] = 255
					continue
				}
				p := src.Pix[y*src.Stride+x*4:]
				v := offset.at(x, y, kx, ky)
				for c := range 3 {
					v += slope[c].at(x, y, kx, ky) * float32(p[c]) / 255
				}
				out.Pix[y*w+x] = ByteOf((v - 0.18) / 0.64)
			}
		}
	}, nil)
	for i := range out.Pix {
		if a := src.Pix[i*4+3]; a < 255 {
			out.Pix[i] = uint8(int(out.Pix[i]) * int(a) / 255)
		}
	}
	return out, err
}

// guidedCoefficients finds for every pixel the linear function of the colours that comes
// nearest to the mask around it.
func guidedCoefficients(ctx context.Context, img *image.NRGBA, m *Mask) (slope [3]*Plane, offset *Plane, err error) {
	n := m.W * m.H
	var planes [13]*Plane // mean colours, mask, mask by colour, colour by colour
	for i := range planes {
		planes[i] = newPlane(m.W, m.H)
	}
	for i := range n {
		p := img.Pix[i*4:]
		v := float32(m.Pix[i]) / 255
		c := [3]float32{float32(p[0]) / 255, float32(p[1]) / 255, float32(p[2]) / 255}
		planes[3].V[i] = v
		k := 7
		for a := range 3 {
			planes[a].V[i], planes[4+a].V[i] = c[a], c[a]*v
			for b := a; b < 3; b++ {
				planes[k].V[i] = c[a] * c[b]
				k++
			}
		}
	}
	for _, p := range planes {
		if err := p.Soften(ctx, matteReach); err != nil {
			return slope, nil, err
		}
	}
	for a := range slope {
		slope[a] = newPlane(m.W, m.H)
	}
	offset = newPlane(m.W, m.H)
	for i := range n {
		r, g, b, v := planes[0].V[i], planes[1].V[i], planes[2].V[i], planes[3].V[i]
		rr, rg, rb := planes[7].V[i]-r*r+matteNoise, planes[8].V[i]-r*g, planes[9].V[i]-r*b
		gg, gb, bb := planes[10].V[i]-g*g+matteNoise, planes[11].V[i]-g*b, planes[12].V[i]-b*b+matteNoise
		x, y, z := planes[4].V[i]-r*v, planes[5].V[i]-g*v, planes[6].V[i]-b*v
		i0, i1, i2 := gg*bb-gb*gb, rb*gb-rg*bb, rg*gb-rb*gg
		det := rr*i0 + rg*i1 + rb*i2
		i4, i5, i8 := rr*bb-rb*rb, rb*rg-rr*gb, rr*gg-rg*rg
		sr, sg, sb := (i0*x+i1*y+i2*z)/det, (i1*x+i4*y+i5*z)/det, (i2*x+i5*y+i8*z)/det
		slope[0].V[i], slope[1].V[i], slope[2].V[i] = sr, sg, sb
		offset.V[i] = v - sr*r - sg*g - sb*b
	}
	for _, p := range []*Plane{slope[0], slope[1], slope[2], offset} {
		if err := p.Soften(ctx, matteReach); err != nil {
			return slope, nil, err
		}
	}
	return slope, offset, nil
}

// Cutout returns the picture through a mask of its size: what is not selected
// becomes transparent. At soft borders the colour of the old background is
// removed, so that the cutout has no rim on a new one.
func Cutout(ctx context.Context, img image.Image, m *Mask) (*image.NRGBA, error) {
	out := Flatten(img)
	w, h := out.Rect.Dx(), out.Rect.Dy()
	if m.W != w || m.H != h {
		return nil, ErrSize
	}
	inner, err := innerColours(ctx, out, m)
	if err != nil {
		return nil, err
	}
	kx, ky := float32(inner[0].w)/float32(w), float32(inner[0].h)/float32(h)
	err = Bands(ctx, h, 16, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range w {
				p, v := out.Pix[y*out.Stride+x*4:], m.Pix[y*w+x]
				if v > 0 && v < 250 {
					if weight := inner[3].at(x, y, kx, ky); weight > 1e-3 {
						k := 1 - Smooth(0.5, 1, float32(v)/255)
						for c := range 3 {
							p[c] = ClampByte(float32(p[c])*(1-k) + inner[c].at(x, y, kx, ky)/weight*k)
						}
					}
				}
				if p[3] = min(p[3], v); v == 0 {
					p[0], p[1], p[2] = 0, 0, 0
				}
			}
		}
	}, nil)
	return out, err
}

// innerColours returns the colours well inside a mask, spread outwards: three
// planes of colour times weight, and the weight. They are small: borders need
// no more.
func innerColours(ctx context.Context, src *image.NRGBA, m *Mask) (out [4]*Plane, err error) {
	k := max((max(m.W, m.H)+799)/800, 1)
	w, h := (m.W+k-1)/k, (m.H+k-1)/k
	for i := range out {
		out[i] = newPlane(w, h)
	}
	for y := range m.H {
		for x := range m.W {
			if m.Pix[y*m.W+x] >= 250 {
				p, i := src.Pix[y*src.Stride+x*4:], y/k*w+x/k
				for c := range 3 {
					out[c].V[i] += float32(p[c])
				}
				out[3].V[i]++
			}
		}
	}
	for _, p := range out {
		for range 2 {
			if err := p.Soften(ctx, 3); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}
