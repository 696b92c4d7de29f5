package flac

import "math/bits"

const (
	maxOrder     = 4
	maxPartition = 6 // at most 64 partitions of a block
	maxRice      = 14
)

// subframe writes one channel (RFC 9639, 9.2): constant when nothing moves,
// else the fixed predictor with the smallest remainder, in Rice codes; verbatim
// when nothing can be predicted.
func (e *Encoder) subframe(v []int32, width int) {
	w := &e.w
	if constant(v) {
		w.put(0, 8)
		w.put(uint32(v[0])&(1<<width-1), uint(width))
		return
	}
	order := bestOrder(v)
	e.buf = residual(e.buf[:0], v, order)
	partition, params, cost := e.partitions(e.buf, len(v), order)
	if cost+uint64(order*width) >= uint64(len(v)*width) {
		w.put(1<<1, 8)
		for _, x := range v {
			w.put(uint32(x)&(1<<width-1), uint(width))
		}
		return
	}
	w.put(uint32(8+order)<<1, 8)
	for _, x := range v[:order] {
		w.put(uint32(x)&(1<<width-1), uint(width))
	}
	w.put(0, 2) // parameters of four bits
	w.put(uint32(partition), 4)
	size := len(v) >> partition
	at := 0
	for k, p := range params {
		n := size
		if k == 0 {
			n -= order
		}
		w.put(uint32(p), 4)
		for _, x := range e.buf[at : at+n] {
			w.rice(x, p)
		}
		at += n
	}
}

func constant(v []int32) bool {
	for _, x := range v {
		if x != v[0] {
			return false
		}
	}
	return true
}

// bestOrder compares the sums of the differences of each order.
func bestOrder(v []int32) int {
	if len(v) <= 2*maxOrder {
		return 0
	}
	var sums [maxOrder + 1]uint64
	var last [maxOrder]int32
	for i, x := range v {
		d := x
		for o := range sums {
			if i >= maxOrder {
				sums[o] += uint64(max(d, -d))
			}
			if o < maxOrder {
				d, last[o] = d-last[o], d
			}
		}
	}
	best := 0
	for o, s := range sums {
		if s < sums[best] {
			best = o
		}
	}
	return best
}

// residual appends what the predictor of an order leaves.
func residual(dst, v []int32, order int) []int32 {
	for i := order; i < len(v); i++ {
		var d int32
		switch order {
		case 0:
			d = v[i]
		case 1:
			d = v[i] - v[i-1]
		case 2:
			d = v[i] - 2*v[i-1] + v[i-2]
		case 3:
			d = v[i] - 3*v[i-1] + 3*v[i-2] - v[i-3]
		case 4:
			d = v[i] - 4*v[i-1] + 6*v[i-2] - 4*v[i-3] + v[i-4]
		}
		dst = append(dst, d)
	}
	return dst
}

// partitions finds into how many parts to cut the remainder so that each has
// its own Rice parameter, and what it all costs in bits.
func (e *Encoder) partitions(rest []int32, n, order int) (partition int, params []uint, cost uint64) {
	cost = 1 << 62
	for p := 0; p <= maxPartition && n%(1<<p) == 0 && n>>p > order; p++ {
		var list []uint
		total, at := uint64(0), 0
		for k := range 1 << p {
			size := n >> p
			if k == 0 {
				size -= order
			}
			var sum uint64
			for _, x := range rest[at : at+size] {
				sum += uint64(zigzag(x))
			}
			param := uint(0)
			if size > 0 {
				param = min(uint(bits.Len64(sum/uint64(size)*2/3)), maxRice)
			}
			total += 4 + uint64(size)*uint64(1+param) + sum>>param
			list = append(list, param)
			at += size
		}
		if total < cost {
			partition, params, cost = p, list, total
		}
	}
	return partition, params, cost
}

// zigzag folds the sign into the lowest bit.
func zigzag(v int32) uint32 { return uint32(v<<1 ^ v>>31) }
