package h264

// Thresholds of the filter (tables 8-16 and 8-17).
var (
	deblockAlpha = [52]uint8{16: 4, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 17, 20, 22, 25, 28, 32, 36, 40, 45, 50, 56, 63, 71, 80, 90, 101, 113, 127, 144, 162, 182, 203, 226, 255, 255}
	deblockBeta  = [52]uint8{16: 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18}
	deblockClip  = [52][3]uint8{
		17: {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 1, 1}, {0, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1},
		{1, 1, 2}, {1, 1, 2}, {1, 1, 2}, {1, 1, 2}, {1, 2, 3}, {1, 2, 3}, {2, 2, 3}, {2, 2, 4}, {2, 3, 4}, {2, 3, 4},
		{3, 3, 5}, {3, 4, 6}, {3, 4, 6}, {4, 5, 7}, {4, 5, 8}, {4, 6, 9}, {5, 7, 10}, {6, 8, 11}, {6, 8, 13}, {7, 10, 14},
		{8, 11, 16}, {9, 12, 18}, {10, 13, 20}, {11, 15, 23}, {13, 17, 25},
	}
)

// deblockRun is how many macroblocks a worker filters before it signals the one
// that follows.
const deblockRun = 8

// deblock filters the picture (8.7). A macroblock's filtering reads what that
// of its left, top and top right neighbours left behind, so the workers take
// rows in turn and each stays a run behind the row above.
func (f *frame) deblock(workers, alpha, beta int) {
	runs := (f.mbWidth + deblockRun - 1) / deblockRun
	done := make([]chan struct{}, f.mbHeight)
	for y := range done {
		done[y] = make(chan struct{}, runs)
	}
	workers = min(max(workers, 1), f.mbHeight)
	work := parts{name: "deblocking"}
	for k := range workers {
		work.start(func() {
			defer func() { // nobody waits for the rows of one that panicked
				for y := k; y < f.mbHeight; y += workers {
					close(done[y])
				}
			}()
			for y := k; y < f.mbHeight; y += workers {
				above := 0 // runs finished in the row above
				for r := range runs {
					for ; y > 0 && above < min(r+2, runs); above++ {
						<-done[y-1]
					}
					for x := r * deblockRun; x < min((r+1)*deblockRun, f.mbWidth); x++ {
						f.deblockMacroblock(x, y, alpha, beta)
					}
					done[y] <- struct{}{}
				}
			}
		})
	}
	work.wait()
}

func (f *frame) deblockMacroblock(x, y, alpha, beta int) {
	i := y*f.mbWidth + x
	m := &f.mbs[i]
	luma, stride := f.cur.y.at(16*x, 16*y), f.cur.y.stride
	chroma, cstride := f.cur.cb.at(8*x, 8*y), f.cur.cb.stride
	for pass := range 2 { // vertical edges, then horizontal ones
		across, along, cacross, calong := 1, stride, 1, cstride
		n := m
		if pass == 0 && x > 0 {
			n = &f.mbs[i-1]
		}
		if pass == 1 {
			across, along, cacross, calong = stride, 1, cstride, 1
			if y > 0 {
				n = &f.mbs[i-f.mbWidth]
			}
		}
		for e := range 4 {
			p := m
			if e == 0 {
				if n == m {
					continue
				}
				p = n
			}
			var strength [4]uint8
			if !edgeStrength(&strength, p, m, e, pass) {
				continue
			}
			t := edgeThresholds(int(p.qp)+int(m.qp), alpha, beta)
			t.filterLuma(f.cur.y.pix, luma+4*e*across, across, along, &strength)
			if e%2 == 0 {
				t := edgeThresholds(int(chromaQP[p.qp])+int(chromaQP[m.qp]), alpha, beta)
				o := chroma + 2*e*cacross
				t.filterChroma(f.cur.cb.pix, o, cacross, calong, &strength)
				t.filterChroma(f.cur.cr.pix, o, cacross, calong, &strength)
			}
		}
	}
}

// edgeStrength is bS of 8.7.2.1 for the four blocks along edge e between p
// and q, and reports whether any is above zero. Only edge 0 has two macroblocks.
func edgeStrength(s *[4]uint8, p, q *macroblock, e, pass int) bool {
	switch {
	case p.intra() || q.intra():
		v := uint8(3)
		if e == 0 {
			v = 4
		}
		*s = [4]uint8{v, v, v, v}
		return true
	case e > 0 && q.kind == mbSkip:
		return false
	}
	var base uint8
	if e == 0 && differ(p.vector, q.vector) {
		base = 1
	}
	any := false
	for k := range 4 {
		a, b := 4*k+e, 4*k+e-1 // q's block, p's block
		if e == 0 {
			b = 4*k + 3
		}
		if pass == 1 {
			a, b = 4*e+k, 4*e+k-4
			if e == 0 {
				b = 12 + k
			}
		}
		s[k] = base
		if q.total[a]|p.total[b] != 0 {
			s[k] = 2
		}
		any = any || s[k] != 0
	}
	return any
}

// differ reports whether motion differs by a whole sample or more.
func differ(a, b vector) bool {
	dx, dy := int(a.x)-int(b.x), int(a.y)-int(b.y)
	return dx >= 4 || dx <= -4 || dy >= 4 || dy <= -4
}

type thresholds struct {
	alpha, beta int32
	clip        *[3]uint8
}

func edgeThresholds(qps, alpha, beta int) thresholds {
	qp := (qps + 1) >> 1
	a, b := min(max(qp+alpha, 0), 51), min(max(qp+beta, 0), 51)
	return thresholds{int32(deblockAlpha[a]), int32(deblockBeta[b]), &deblockClip[a]}
}

// filterLuma filters sixteen lines across an edge at o (8.7.2.2 on).
func (t *thresholds) filterLuma(pix []byte, o, across, along int, strength *[4]uint8) {
	if t.alpha == 0 {
		return
	}
	for k, s := range strength {
		if s == 0 {
			continue
		}
		for i := 4 * k; i < 4*k+4; i++ {
			at := o + i*along
			// One check of the bounds for the eight samples.
			w := pix[at-4*across : at+3*across+1]
			p0, p1, q0, q1 := int32(w[3*across]), int32(w[2*across]), int32(w[4*across]), int32(w[5*across])
			if abs(p0-q0) >= t.alpha || abs(p1-p0) >= t.beta || abs(q1-q0) >= t.beta {
				continue
			}
			p2, q2 := int32(w[across]), int32(w[6*across])
			if s < 4 {
				tc0 := int32(t.clip[s-1])
				tc := tc0
				mid := (p0 + q0 + 1) >> 1
				if abs(p2-p0) < t.beta {
					tc++
					w[2*across] = byte(p1 + limit((p2+mid-2*p1)>>1, tc0))
				}
				if abs(q2-q0) < t.beta {
					tc++
					w[5*across] = byte(q1 + limit((q2+mid-2*q1)>>1, tc0))
				}
				d := limit(((q0-p0)<<2+p1-q1+4)>>3, tc)
				w[3*across], w[4*across] = clip(p0+d), clip(q0-d)
				continue
			}
			small := abs(p0-q0) < t.alpha>>2+2
			if small && abs(p2-p0) < t.beta {
				p3 := int32(w[0])
				w[3*across] = byte((p2 + 2*p1 + 2*p0 + 2*q0 + q1 + 4) >> 3)
				w[2*across] = byte((p2 + p1 + p0 + q0 + 2) >> 2)
				w[across] = byte((2*p3 + 3*p2 + p1 + p0 + q0 + 4) >> 3)
			} else {
				w[3*across] = byte((2*p1 + p0 + q1 + 2) >> 2)
			}
			if small && abs(q2-q0) < t.beta {
				q3 := int32(w[7*across])
				w[4*across] = byte((q2 + 2*q1 + 2*q0 + 2*p0 + p1 + 4) >> 3)
				w[5*across] = byte((q2 + q1 + q0 + p0 + 2) >> 2)
				w[6*across] = byte((2*q3 + 3*q2 + q1 + q0 + p0 + 4) >> 3)
			} else {
				w[4*across] = byte((2*q1 + q0 + p1 + 2) >> 2)
			}
		}
	}
}

// filterChroma filters eight lines; each strength covers two of them.
func (t *thresholds) filterChroma(pix []byte, o, across, along int, strength *[4]uint8) {
	if t.alpha == 0 {
		return
	}
	for i := range 8 {
		s := strength[i/2]
		if s == 0 {
			continue
		}
		at := o + i*along
		w := pix[at-2*across : at+across+1]
		p1, p0, q0, q1 := int32(w[0]), int32(w[across]), int32(w[2*across]), int32(w[3*across])
		if abs(p0-q0) >= t.alpha || abs(p1-p0) >= t.beta || abs(q1-q0) >= t.beta {
			continue
		}
		if s < 4 {
			d := limit(((q0-p0)<<2+p1-q1+4)>>3, int32(t.clip[s-1])+1)
			w[across], w[2*across] = clip(p0+d), clip(q0-d)
			continue
		}
		w[across] = byte((2*p1 + p0 + q1 + 2) >> 2)
		w[2*across] = byte((2*q1 + q0 + p1 + 2) >> 2)
	}
}

func limit(v, to int32) int32 { return min(max(v, -to), to) }
