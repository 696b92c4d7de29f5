package h264

import "encoding/binary"

// The costs work on four 16-bit lanes in a word. Between two operations a
// lane may have borrowed from the one above it; the sum over the word is exact
// all the same, and absLanes repairs it.

const (
	lanes   = 0x0001000100010001
	oddEven = 0x00ff00ff00ff00ff
	fourths = 0x000000ff000000ff
)

// absLanes returns the magnitude in each lane.
func absLanes(a uint64) uint64 {
	s := a >> 15 & lanes * 0xffff
	return (a + s) ^ s
}

// sumLanes adds the lanes, none of which is negative.
func sumLanes(a uint64) int {
	return int(a&0xffff + a>>16&0xffff + a>>32&0xffff + a>>48)
}

// source16 is a macroblock's luma unpacked for comparing it with many
// predictions: for sad every other byte, for satd every fourth.
type source16 struct {
	even, odd [32]uint64
	fourth    [16][4]uint64
}

func (s *source16) load(pix []byte, stride int) {
	for y := range 16 {
		row := pix[y*stride : y*stride+16 : y*stride+16]
		lo, hi := binary.LittleEndian.Uint64(row), binary.LittleEndian.Uint64(row[8:])
		s.even[2*y], s.odd[2*y] = lo&oddEven, lo>>8&oddEven
		s.even[2*y+1], s.odd[2*y+1] = hi&oddEven, hi>>8&oddEven
		for k := range 4 {
			s.fourth[y][k] = lo>>(8*k)&fourths | hi>>(8*k)&fourths<<16
		}
	}
}

// sad returns the sum of absolute differences. It gives up beyond limit.
func (s *source16) sad(pix []byte, stride, limit int) int {
	total := 0
	for y := 0; y < 16; y += 4 {
		var acc uint64
		for r := y; r < y+4; r++ {
			row := pix[r*stride : r*stride+16 : r*stride+16]
			lo, hi := binary.LittleEndian.Uint64(row), binary.LittleEndian.Uint64(row[8:])
			acc += absLanes(s.even[2*r] - lo&oddEven)
			acc += absLanes(s.odd[2*r] - lo>>8&oddEven)
			acc += absLanes(s.even[2*r+1] - hi&oddEven)
			acc += absLanes(s.odd[2*r+1] - hi>>8&oddEven)
		}
		if total += sumLanes(acc); total >= limit {
			return total
		}
	}
	return total
}

// satd returns half the sum of absolute values of the 4x4 Hadamard transforms of
// the difference: near to what coding it will cost.
func (s *source16) satd(pix []byte, stride, limit int) int {
	total := 0
	var t [4][4]uint64
	for y := 0; y < 16; y += 4 {
		for r := range 4 {
			row := pix[(y+r)*stride : (y+r)*stride+16 : (y+r)*stride+16]
			lo, hi := binary.LittleEndian.Uint64(row), binary.LittleEndian.Uint64(row[8:])
			f := &s.fourth[y+r]
			a := f[0] - (lo&fourths | hi&fourths<<16)
			b := f[1] - (lo>>8&fourths | hi>>8&fourths<<16)
			c := f[2] - (lo>>16&fourths | hi>>16&fourths<<16)
			d := f[3] - (lo>>24&fourths | hi>>24&fourths<<16)
			ab, cd := a+b, c+d
			a, c = a-b, c-d
			t[r] = [4]uint64{ab + cd, ab - cd, a + c, a - c}
		}
		var acc uint64
		for k := range 4 {
			ab, cd := t[0][k]+t[1][k], t[2][k]+t[3][k]
			a, c := t[0][k]-t[1][k], t[2][k]-t[3][k]
			acc += absLanes(ab+cd) + absLanes(ab-cd) + absLanes(a+c) + absLanes(a-c)
		}
		if total += sumLanes(acc) / 2; total >= limit {
			return total
		}
	}
	return total
}

// satd4 returns satd for one 4x4 block whose source is in raster order.
func satd4(src *[16]int32, pred *[16]byte) int {
	var t [16]int32
	for i := 0; i < 16; i += 4 {
		a, b := src[i]-int32(pred[i]), src[i+1]-int32(pred[i+1])
		c, d := src[i+2]-int32(pred[i+2]), src[i+3]-int32(pred[i+3])
		ab, cd, a, c := a+b, c+d, a-b, c-d
		t[i], t[i+1], t[i+2], t[i+3] = ab+cd, ab-cd, a+c, a-c
	}
	var total int32
	for i := range 4 {
		ab, cd := t[i]+t[i+4], t[i+8]+t[i+12]
		a, c := t[i]-t[i+4], t[i+8]-t[i+12]
		total += abs(ab+cd) + abs(ab-cd) + abs(a+c) + abs(a-c)
	}
	return int(total) / 2
}

func abs(v int32) int32 {
	m := v >> 31
	return (v ^ m) - m
}
