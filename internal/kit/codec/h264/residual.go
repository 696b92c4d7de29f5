package h264

import "math/bits"

// chromaDC is the context of a chroma plane's DC values, nC=-1 of table 9-5.
const chromaDC = -1

// tokenTable returns the column of table 9-5 for a context.
func tokenTable(nC int) int {
	switch {
	case nC < 0:
		return 4
	case nC < 2:
		return 0
	case nC < 4:
		return 1
	case nC < 8:
		return 2
	}
	return 3
}

// residual writes levels, given in scan order, as residual_block_cavlc of
// 7.3.5.3.2 and returns how many are not zero.
func (w *bitWriter) residual(levels []int32, nC int) uint8 {
	var value [16]int32
	var run [16]uint8
	total, zeros, gap := 0, 0, 0
	for i := len(levels) - 1; i >= 0; i-- {
		if levels[i] == 0 {
			gap++
			continue
		}
		if total > 0 {
			run[total-1] = uint8(gap)
			zeros += gap
		}
		value[total] = levels[i]
		total++
		gap = 0
	}
	if total == 0 {
		c := coeffToken[tokenTable(nC)][0]
		w.put(uint32(c.bits), uint(c.len))
		return 0
	}
	zeros += gap // those before the first coefficient
	run[total-1] = uint8(gap)
	ones := 0
	for ones < min(total, 3) && (value[ones] == 1 || value[ones] == -1) {
		ones++
	}
	c := coeffToken[tokenTable(nC)][4*total+ones]
	w.put(uint32(c.bits), uint(c.len))
	for _, v := range value[:ones] {
		w.put(uint32(v)>>31, 1)
	}
	w.levels(value[ones:total], total, ones)
	if total < len(levels) {
		table := totalZeros[total-1]
		if nC == chromaDC {
			table = totalZerosDC[total-1]
		}
		w.put(uint32(table[zeros].bits), uint(table[zeros].len))
	}
	for i := 0; i < total-1 && zeros > 0; i++ {
		c := runBefore[min(zeros, 7)-1][run[i]]
		w.put(uint32(c.bits), uint(c.len))
		zeros -= int(run[i])
	}
	return uint8(total)
}

// levels writes what is left after the trailing ones (9.2.2.1). The encoder
// keeps QP at ten or more, which keeps levels below what the longest prefix of
// this profile can say.
func (w *bitWriter) levels(value []int32, total, ones int) {
	length := uint(0)
	if total > 10 && ones < 3 {
		length = 1
	}
	for i, v := range value {
		size := abs(v)
		n := uint32(2*size - 2)
		if v < 0 {
			n++
		}
		if i == 0 && ones < 3 {
			n -= 2
		}
		switch {
		case length == 0 && n < 14:
			w.put(1, uint(n)+1)
		case length == 0 && n < 30:
			w.put(1, 15)
			w.put(n-14, 4)
		case length == 0:
			w.put(1, 16)
			w.put(n-30, 12)
		case n < 15<<length:
			w.put(1, uint(n>>length)+1)
			w.put(n&(1<<length-1), length)
		default:
			w.put(1, 16)
			w.put(n-15<<length, 12)
		}
		if length == 0 {
			length = 1
		}
		if size > 3<<(length-1) && length < 6 {
			length++
		}
	}
}

// residual reads a block of size levels into scan order, as 9.2 says.
func (r *bitReader) residual(levels []int32, nC int) uint8 {
	t := decodeTables()
	token := t.token[tokenTable(nC)][r.peek()>>16]
	if token.len == 0 {
		r.setError()
		return 0
	}
	r.skip(int(token.len))
	total, ones := int(token.value>>2), int(token.value&3)
	if total == 0 {
		return 0
	}
	if total > len(levels) {
		r.setError()
		return 0
	}
	var value [16]int32
	for i := range ones {
		value[i] = 1 - 2*int32(r.bits(1))
	}
	r.levels(value[ones:total], total, ones)
	zeros := 0
	if total < len(levels) {
		table := &t.zeros[total-1]
		if nC == chromaDC {
			table = &t.zerosDC[total-1]
		}
		c := table[r.peek()>>(32-9)]
		if c.len == 0 {
			r.setError()
			return 0
		}
		r.skip(int(c.len))
		zeros = int(c.value)
	}
	if total+zeros > len(levels) {
		r.setError()
		return 0
	}
	at := total + zeros - 1
	for i := range total {
		levels[at] = value[i]
		if zeros > 0 && i < total-1 {
			c := t.run[min(zeros, 7)-1][r.peek()>>(32-11)]
			if c.len == 0 || int(c.value) > zeros {
				r.setError()
				return 0
			}
			r.skip(int(c.len))
			zeros -= int(c.value)
			at -= int(c.value)
		}
		at--
	}
	return uint8(total)
}

func (r *bitReader) levels(value []int32, total, ones int) {
	length := 0
	if total > 10 && ones < 3 {
		length = 1
	}
	for i := range value {
		prefix := bits.LeadingZeros32(r.peek())
		if prefix > 15 {
			r.setError()
			return
		}
		r.skip(prefix + 1)
		n := min(15, prefix) << length
		switch {
		case prefix == 15:
			n += int(r.bits(12))
			if length == 0 {
				n += 15
			}
		case prefix == 14 && length == 0:
			n += int(r.bits(4))
		default:
			n += int(r.bits(length))
		}
		if i == 0 && ones < 3 {
			n += 2
		}
		size := int32(n+2) >> 1
		value[i] = size
		if n&1 == 1 {
			value[i] = -size
		}
		if length == 0 {
			length = 1
		}
		if size > 3<<(length-1) && length < 6 {
			length++
		}
	}
}
