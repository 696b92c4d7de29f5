package h264

import "math/bits"

// motionChoice is the result of a search: a vector and what it costs.
type motionChoice struct {
	vector vector
	cost   int
}

// maxVector bounds vectors, in quarter samples; table A-1 allows 256 samples
// vertically at the lowest level in use.
const maxVector = 4 * 120

// vectorBits returns about how many bits a vector takes: exact for one component
// up to rounding, and cheap.
func vectorBits(v, p vector) int {
	return seBits(int(v.x)-int(p.x)) + seBits(int(v.y)-int(p.y))
}

func seBits(d int) int {
	if d < 0 {
		d = -d
	}
	return 2*bits.Len32(uint32(2*d+1)) - 1
}

// search looks for the motion of the macroblock: whole samples from the best
// guess of its neighbours by sad, then halves and quarters by satd.
func (s *sliceEncoder) search(before vector) motionChoice {
	a := &s.place
	p := a.predictVector()
	ref := &s.f.ref.y
	best := motionChoice{cost: 1 << 30}
	x0, y0 := 16*a.x, 16*a.y
	try := func(vx, vy int) bool {
		if vx < -maxVector || vx > maxVector || vy < -maxVector || vy > maxVector {
			return false
		}
		x, y := x0+vx>>2, y0+vy>>2
		if x < -20 || y < -20 || x > ref.width+4 || y > ref.height+4 {
			return false
		}
		v := vector{int16(vx), int16(vy)}
		cost := s.lambda * vectorBits(v, p)
		if cost >= best.cost {
			return false
		}
		cost += s.src.sad(ref.pix[ref.at(x, y):], ref.stride, best.cost-cost)
		if cost >= best.cost {
			return false
		}
		best = motionChoice{v, cost}
		return true
	}
	whole := func(v vector) { try(int(v.x+2)&^3, int(v.y+2)&^3) }
	try(0, 0)
	whole(p)
	for _, n := range [...]*macroblock{a.left, a.top, a.topRight} {
		if v, inter := motion(n); inter {
			whole(v)
		}
	}
	whole(before)
	s.hexagon(&best, try)
	return s.refine(best.vector, p)
}

var hexagon = [6][2]int{{-8, 0}, {-4, 8}, {4, 8}, {8, 0}, {4, -8}, {-4, -8}}

// hexagon walks to a minimum in steps of two samples, then checks the direct
// neighbours.
func (s *sliceEncoder) hexagon(best *motionChoice, try func(x, y int) bool) {
	for range 12 {
		at := best.vector
		for _, d := range hexagon {
			try(int(at.x)+d[0], int(at.y)+d[1])
		}
		if best.vector == at {
			break
		}
	}
	for range 2 {
		at := best.vector
		for _, d := range [4][2]int{{-4, 0}, {4, 0}, {0, -4}, {0, 4}} {
			try(int(at.x)+d[0], int(at.y)+d[1])
		}
		if best.vector == at {
			break
		}
	}
}

// refine improves a vector of whole samples to a quarter of one.
func (s *sliceEncoder) refine(from, p vector) motionChoice {
	best := motionChoice{cost: 1 << 30}
	try := func(v vector) {
		cost := s.lambda * vectorBits(v, p)
		if cost >= best.cost {
			return
		}
		pix, stride := s.f.ref.luma(&s.buf[0], 16*s.place.x, 16*s.place.y, v)
		cost += s.src.satd(pix, stride, best.cost-cost)
		if cost < best.cost {
			best = motionChoice{v, cost}
		}
	}
	try(from)
	// The predicted vector costs no bits, and is where a pan comes to rest.
	if p != from && p.x >= -maxVector && p.x <= maxVector && p.y >= -maxVector && p.y <= maxVector {
		try(p)
	}
	for _, step := range [...]int16{2, 1} {
		for range 2 {
			at := best.vector
			for _, d := range [4]vector{{-step, 0}, {step, 0}, {0, -step}, {0, step}} {
				try(vector{at.x + d.x, at.y + d.y})
			}
			if best.vector == at {
				break
			}
		}
	}
	return best
}
