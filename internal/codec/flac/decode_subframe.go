package flac

// fixedFactors are the predictors of RFC 9639, 9.2.5.
var fixedFactors = [5][]int32{{}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}}

// subframe reads one channel (RFC 9639, 9.2) of a width in bits.
func (r *bitReader) subframe(out []int32, width int) bool {
	head := r.bits(8)
	wasted := 0
	if head&1 == 1 {
		for wasted = 1; wasted < width && r.bits(1) == 0 && !r.failed; wasted++ {
		}
	}
	width -= wasted
	if width < 1 {
		return false
	}
	kind := int(head >> 1)
	switch {
	case kind == 0:
		v := r.signed(width)
		for i := range out {
			out[i] = v
		}
	case kind == 1:
		for i := range out {
			out[i] = r.signed(width)
		}
	case kind >= 8 && kind <= 12:
		order := kind - 8
		if !r.warmUp(out, order, width) || !r.residual(out, order, fixedFactors[order], 0) {
			return false
		}
	case kind >= 32 && kind < 64:
		order := kind - 31
		if !r.warmUp(out, order, width) {
			return false
		}
		precision := int(r.bits(4)) + 1
		shift := int(r.signed(5))
		if precision == 16 || shift < 0 {
			return false
		}
		factors := make([]int32, order)
		for i := range factors {
			factors[i] = r.signed(precision)
		}
		if !r.residual(out, order, factors, uint(shift)) {
			return false
		}
	default:
		return false
	}
	for i := range out {
		out[i] <<= wasted
	}
	return true
}

// warmUp reads the samples that have no prediction.
func (r *bitReader) warmUp(out []int32, order, width int) bool {
	if order > len(out) {
		return false
	}
	for i := range order {
		out[i] = r.signed(width)
	}
	return true
}

// residual reads the remainder in Rice codes and adds the prediction.
func (r *bitReader) residual(out []int32, order int, factors []int32, shift uint) bool {
	method := r.bits(2)
	if method > 1 {
		return false
	}
	width := 4 + int(method)
	partition := r.bits(4)
	size := len(out) >> partition
	if size<<partition != len(out) || size < order {
		return false
	}
	at := order
	for k := range 1 << partition {
		param := int(r.bits(width))
		plain := -1
		if param == 1<<width-1 {
			plain = int(r.bits(5))
		}
		for end := (k + 1) * size; at < end; at++ {
			var v int32
			if plain >= 0 {
				v = r.signed(plain)
			} else {
				v = r.rice(param)
			}
			var sum int64
			for i, f := range factors {
				sum += int64(f) * int64(out[at-1-i])
			}
			out[at] = v + int32(sum>>shift)
		}
		if r.failed {
			return false
		}
	}
	return true
}
