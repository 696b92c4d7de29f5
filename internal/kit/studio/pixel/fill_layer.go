package pixel

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
)

// layer is a level of the image pyramid: the picture with its hole, and for
// every patch that touches the hole the most similar patch outside. It has a
// rim as wide as a patch reaches, so that every patch lies inside.
type layer struct {
	w, h, stride int
	pix          []uint8 // rgb and a spare
	hole         []bool
	depth        []uint8 // how deep in the hole
	targets      []int
	sources      []int // the middles of whole patches
	usable       []bool
	nearest      []int
	cost         []int
}

func newLayer(w, h int) *layer {
	l := &layer{w: w, h: h, stride: w + 2*patchReach}
	n := l.stride * (h + 2*patchReach)
	l.pix, l.hole, l.depth = make([]uint8, 4*n), make([]bool, n), make([]uint8, n)
	l.usable, l.nearest, l.cost = make([]bool, n), make([]int, n), make([]int, n)
	return l
}

func (l *layer) node(x, y int) int { return (y+patchReach)*l.stride + x + patchReach }

// layerOf returns a picture made k times smaller; a pixel is hole when any part is.
func layerOf(src *image.NRGBA, m *Mask, k int) *layer {
	l := newLayer((m.W+k-1)/k, (m.H+k-1)/k)
	for y := range l.h {
		for x := range l.w {
			var sum [3]int
			n, i := 0, l.node(x, y)
			for j := y * k; j < min((y+1)*k, m.H); j++ {
				for c := x * k; c < min((x+1)*k, m.W); c++ {
					p := src.Pix[j*src.Stride+c*4:]
					sum[0], sum[1], sum[2], n = sum[0]+int(p[0]), sum[1]+int(p[1]), sum[2]+int(p[2]), n+1
					l.hole[i] = l.hole[i] || m.Pix[j*m.W+c] > 8
				}
			}
			for c := range 3 {
				l.pix[4*i+c] = uint8(sum[c] / n)
			}
		}
	}
	return l
}

// half returns the layer at half its size, from known colours where there are
// any.
func (l *layer) half() *layer {
	o := newLayer((l.w+1)/2, (l.h+1)/2)
	for y := range o.h {
		for x := range o.w {
			var sum [3]int
			n, i := 0, o.node(x, y)
			o.hole[i] = true
			for j := 2 * y; j < min(2*y+2, l.h); j++ {
				for c := 2 * x; c < min(2*x+2, l.w); c++ {
					if p := l.node(c, j); !l.hole[p] {
						sum[0], sum[1], sum[2], n = sum[0]+int(l.pix[4*p]), sum[1]+int(l.pix[4*p+1]), sum[2]+int(l.pix[4*p+2]), n+1
					}
				}
			}
			if n > 0 {
				o.hole[i] = false
				for c := range 3 {
					o.pix[4*i+c] = uint8(sum[c] / n)
				}
			}
		}
	}
	return o
}

// start finds the patches of a layer and starts from the coarser one, or by
// chance.
func (l *layer) start(coarse *layer, d *chance.Dice) {
	l.measureDepth()
	for y := range l.h {
		for x := range l.w {
			i := l.node(x, y)
			inside := x >= patchReach && y >= patchReach && x < l.w-patchReach && y < l.h-patchReach
			touched := l.touches(i)
			if inside && !touched {
				l.usable[i] = true
				l.sources = append(l.sources, i)
			}
			if touched {
				l.targets = append(l.targets, i)
			}
		}
	}
	if len(l.sources) == 0 {
		return
	}
	for _, t := range l.targets {
		l.nearest[t] = l.sources[d.UpTo(len(l.sources))]
		if coarse == nil {
			continue
		}
		x, y := t%l.stride-patchReach, t/l.stride-patchReach
		c := coarse.node(min(x/2, coarse.w-1), min(y/2, coarse.h-1))
		if s := coarse.nearest[c]; s > 0 {
			sx, sy := 2*(s%coarse.stride-patchReach)+x%2, 2*(s/coarse.stride-patchReach)+y%2
			if sx < l.w && sy < l.h && l.usable[l.node(sx, sy)] {
				l.nearest[t] = l.node(sx, sy)
			}
		}
		if l.hole[t] {
			copy(l.pix[4*t:4*t+3], coarse.pix[4*c:])
		}
	}
	if coarse == nil {
		l.vote()
	}
	l.extendEdge()
}

// measureDepth measures how deep each pixel lies in the hole, up to a bound.
func (l *layer) measureDepth() {
	for level := uint8(1); level < 250; level++ {
		more := false
		for y := range l.h {
			for x := range l.w {
				i := l.node(x, y)
				if !l.hole[i] || l.depth[i] != 0 {
					continue
				}
				for _, n := range [4]int{i - 1, i + 1, i - l.stride, i + l.stride} {
					nx, ny := n%l.stride-patchReach, n/l.stride-patchReach
					if nx < 0 || ny < 0 || nx >= l.w || ny >= l.h {
						continue
					}
					if !l.hole[n] && level == 1 || l.hole[n] && l.depth[n] == level-1 && level > 1 {
						l.depth[i], more = level, true
						break
					}
				}
			}
		}
		if !more {
			return
		}
	}
}

func (l *layer) touches(i int) bool {
	for dy := -patchReach; dy <= patchReach; dy++ {
		for dx := -patchReach; dx <= patchReach; dx++ {
			if l.hole[i+dy*l.stride+dx] {
				return true
			}
		}
	}
	return false
}

// extendEdge repeats the edge of the picture outside of it.
func (l *layer) extendEdge() {
	for y := -patchReach; y < l.h+patchReach; y++ {
		for x := -patchReach; x < l.w+patchReach; x++ {
			if x >= 0 && y >= 0 && x < l.w && y < l.h {
				x = l.w - 1
				continue
			}
			to, from := l.node(x, y), l.node(min(max(x, 0), l.w-1), min(max(y, 0), l.h-1))
			copy(l.pix[4*to:4*to+3], l.pix[4*from:])
		}
	}
}

// patchDistance returns how different two patches are; it stops when it is more than most.
func (l *layer) patchDistance(a, b, most int) int {
	sum := 0
	for dy := -patchReach; dy <= patchReach; dy++ {
		p, q := l.pix[4*(a+dy*l.stride-patchReach):], l.pix[4*(b+dy*l.stride-patchReach):]
		p, q = p[:8*patchReach+4], q[:8*patchReach+4]
		for i := 0; i < len(p); i += 4 {
			r, g, u := int(p[i])-int(q[i]), int(p[i+1])-int(q[i+1]), int(p[i+2])-int(q[i+2])
			sum += r*r + g*g + u*u
		}
		if sum >= most {
			return sum
		}
	}
	return sum
}

// search improves the match of every patch (PatchMatch): from its neighbours,
// and at random, anywhere in the picture or near the match of the coarser
// layer.
func (l *layer) search(ctx context.Context, d *chance.Dice, backwards, anywhere bool) error {
	for _, t := range l.targets {
		l.cost[t] = l.patchDistance(t, l.nearest[t], math.MaxInt)
	}
	far := max(l.w, l.h)
	if !anywhere {
		far = min(far, 24)
	}
	step := 1
	if backwards {
		step = -1
	}
	for n := range l.targets {
		if n&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := l.targets[n]
		if backwards {
			t = l.targets[len(l.targets)-1-n]
		}
		try := func(s int) {
			if s > 0 && s < len(l.usable) && l.usable[s] && s != l.nearest[t] {
				if c := l.patchDistance(t, s, l.cost[t]); c < l.cost[t] {
					l.nearest[t], l.cost[t] = s, c
				}
			}
		}
		for _, by := range [2]int{step, step * l.stride} {
			if from := t - by; l.nearest[from] > 0 {
				try(l.nearest[from] + by)
			}
		}
		for reach := far; reach >= 1; reach /= 2 {
			s := l.nearest[t]
			x := s%l.stride - patchReach + d.UpTo(2*reach+1) - reach
			y := s/l.stride - patchReach + d.UpTo(2*reach+1) - reach
			if x >= 0 && y >= 0 && x < l.w && y < l.h {
				try(l.node(x, y))
			}
		}
	}
	return nil
}

// vote gives each pixel of the hole the weighted mean of the patches over it;
// good matches, and those near the rim of the hole, count more.
func (l *layer) vote() {
	sums := make([][4]float32, len(l.hole))
	for _, t := range l.targets {
		s := l.nearest[t]
		weight := float32(math.Exp(-float64(l.cost[t])/(49*3*220)-0.12*float64(l.depth[t]))) + 1e-6
		for dy := -patchReach; dy <= patchReach; dy++ {
			for dx := -patchReach; dx <= patchReach; dx++ {
				to, from := t+dy*l.stride+dx, s+dy*l.stride+dx
				if l.hole[to] {
					p := l.pix[4*from:]
					v := &sums[to]
					v[0], v[1], v[2], v[3] = v[0]+weight*float32(p[0]), v[1]+weight*float32(p[1]), v[2]+weight*float32(p[2]), v[3]+weight
				}
			}
		}
	}
	for i, v := range sums {
		if v[3] > 0 {
			for c := range 3 {
				l.pix[4*i+c] = ClampByte(v[c] / v[3])
			}
		}
	}
	l.extendEdge()
}

// apply fills the full picture, k times as large as the layer: with the layer's
// colours at the same size, otherwise with the pixels at the offsets it found.
func (l *layer) apply(ctx context.Context, src *image.NRGBA, m *Mask, k int) (*image.NRGBA, error) {
	out := Flatten(src)
	err := Bands(ctx, m.H, 16, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range m.W {
				v := int(m.Pix[y*m.W+x])
				if v == 0 {
					continue
				}
				i := l.node(x/k, y/k)
				from := l.pix[4*i:]
				if k > 1 && l.nearest[i] > 0 {
					s := l.nearest[i]
					sx, sy := (s%l.stride-patchReach)*k+x%k, (s/l.stride-patchReach)*k+y%k
					if sx < m.W && sy < m.H {
						from = src.Pix[sy*src.Stride+sx*4:]
					}
				}
				p := out.Pix[y*out.Stride+x*4:]
				for c := range 3 {
					p[c] = uint8((int(p[c])*(255-v) + int(from[c])*v + 127) / 255)
				}
				p[3] = max(p[3], uint8(v))
			}
		}
	}, nil)
	return out, err
}
