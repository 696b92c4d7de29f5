package h264

import "strings"

// code is one variable length code.
type code struct {
	bits uint16
	len  uint8
}

// parseCodes reads codes written as the standard prints them.
func parseCodes(s string) []code {
	fields := strings.Fields(s)
	out := make([]code, len(fields))
	for i, f := range fields {
		if f == "-" {
			continue
		}
		var c code
		for _, b := range f {
			c.bits = c.bits<<1 | uint16(b-'0')
			c.len++
		}
		out[i] = c
	}
	return out
}

// coeffToken holds table 9-5: a column for 0<=nC<2, 2<=nC<4, 4<=nC<8, 8<=nC
// and nC=-1. The row is 4*TotalCoeff+TrailingOnes.
var coeffToken = [5][]code{
	parseCodes(`1 - - -
		000101 01 - -
		00000111 000100 001 -
		000000111 00000110 0000101 00011
		0000000111 000000110 00000101 000011
		00000000111 0000000110 000000101 0000100
		0000000001111 00000000110 0000000101 00000100
		0000000001011 0000000001110 00000000101 000000100
		0000000001000 0000000001010 0000000001101 0000000100
		00000000001111 00000000001110 0000000001001 00000000100
		00000000001011 00000000001010 00000000001101 0000000001100
		000000000001111 000000000001110 00000000001001 00000000001100
		000000000001011 000000000001010 000000000001101 00000000001000
		0000000000001111 000000000000001 000000000001001 000000000001100
		0000000000001011 0000000000001110 0000000000001101 000000000001000
		0000000000000111 0000000000001010 0000000000001001 0000000000001100
		0000000000000100 0000000000000110 0000000000000101 0000000000001000`),
	parseCodes(`11 - - -
		001011 10 - -
		000111 00111 011 -
		0000111 001010 001001 0101
		00000111 000110 000101 0100
		00000100 0000110 0000101 00110
		000000111 00000110 00000101 001000
		00000001111 000000110 000000101 000100
		00000001011 00000001110 00000001101 0000100
		000000001111 00000001010 00000001001 000000100
		000000001011 000000001110 000000001101 00000001100
		000000001000 000000001010 000000001001 00000001000
		0000000001111 0000000001110 0000000001101 000000001100
		0000000001011 0000000001010 0000000001001 0000000001100
		0000000000111 00000000001011 0000000000110 0000000001000
		00000000001001 00000000001000 00000000001010 0000000000001
		00000000000111 00000000000110 00000000000101 00000000000100`),
	parseCodes(`1111 - - -
		001111 1110 - -
		001011 01111 1101 -
		001000 01100 01110 1100
		0001111 01010 01011 1011
		0001011 01000 01001 1010
		0001001 001110 001101 1001
		0001000 001010 001001 1000
		00001111 0001110 0001101 01101
		00001011 00001110 0001010 001100
		000001111 00001010 00001101 0001100
		000001011 000001110 00001001 00001100
		000001000 000001010 000001101 00001000
		0000001101 000000111 000001001 000001100
		0000001001 0000001100 0000001011 0000001010
		0000000101 0000001000 0000000111 0000000110
		0000000001 0000000100 0000000011 0000000010`),
	fixedTokens(),
	parseCodes(`01 - - -
		000111 1 - -
		000100 000110 001 -
		000011 0000011 0000010 000101
		000010 00000011 00000010 0000000`),
}

// fixedTokens returns the fourth column of table 9-5: six bits that spell the
// numbers, with the one combination that cannot occur meaning none.
func fixedTokens() []code {
	out := make([]code, 17*4)
	out[0] = code{3, 6}
	for total := 1; total <= 16; total++ {
		for ones := 0; ones <= min(total, 3); ones++ {
			out[4*total+ones] = code{uint16((total-1)<<2 | ones), 6}
		}
	}
	return out
}

// totalZeros holds tables 9-7 and 9-8; the first index is TotalCoeff-1.
var totalZeros = [15][]code{
	parseCodes("1 011 010 0011 0010 00011 00010 000011 000010 0000011 0000010 00000011 00000010 000000011 000000010 000000001"),
	parseCodes("111 110 101 100 011 0101 0100 0011 0010 00011 00010 000011 000010 000001 000000"),
	parseCodes("0101 111 110 101 0100 0011 100 011 0010 00011 00010 000001 00001 000000"),
	parseCodes("00011 111 0101 0100 110 101 100 0011 011 0010 00010 00001 00000"),
	parseCodes("0101 0100 0011 111 110 101 100 011 0010 00001 0001 00000"),
	parseCodes("000001 00001 111 110 101 100 011 010 0001 001 000000"),
	parseCodes("000001 00001 101 100 011 11 010 0001 001 000000"),
	parseCodes("000001 0001 00001 011 11 10 010 001 000000"),
	parseCodes("000001 000000 0001 11 10 001 01 00001"),
	parseCodes("00001 00000 001 11 10 01 0001"),
	parseCodes("0000 0001 001 010 1 011"),
	parseCodes("0000 0001 01 1 001"),
	parseCodes("000 001 1 01"),
	parseCodes("00 01 1"),
	parseCodes("0 1"),
}

// totalZerosDC is table 9-9(a), for the four DC values of a chroma plane.
var totalZerosDC = [3][]code{
	parseCodes("1 01 001 000"),
	parseCodes("1 01 00"),
	parseCodes("1 0"),
}

// runBefore is table 9-10; the first index is min(zerosLeft, 7)-1.
var runBefore = [7][]code{
	parseCodes("1 0"),
	parseCodes("1 01 00"),
	parseCodes("11 10 01 00"),
	parseCodes("11 10 01 001 000"),
	parseCodes("11 10 011 010 001 000"),
	parseCodes("11 000 001 011 010 101 100"),
	parseCodes("111 110 101 100 011 010 001 0001 00001 000001 0000001 00000001 000000001 0000000001 00000000001"),
}

// patternIntra and patternInter give coded_block_pattern by codeNum (table
// 9-4, columns for ChromaArrayType 1).
var (
	patternIntra = [48]uint8{47, 31, 15, 0, 23, 27, 29, 30, 7, 11, 13, 14, 39, 43, 45, 46, 16, 3, 5, 10, 12, 19, 21, 26, 28, 35, 37, 42, 44, 1, 2, 4, 8, 17, 18, 20, 24, 6, 9, 22, 25, 32, 33, 34, 36, 40, 38, 41}
	patternInter = [48]uint8{0, 16, 1, 2, 4, 8, 32, 3, 5, 10, 12, 15, 47, 7, 11, 13, 14, 6, 9, 31, 35, 37, 42, 44, 33, 34, 36, 40, 39, 43, 45, 46, 17, 18, 20, 24, 19, 21, 26, 28, 23, 27, 29, 30, 22, 25, 38, 41}

	patternIntraCode = invert(patternIntra)
	patternInterCode = invert(patternInter)
)

func invert(t [48]uint8) (out [48]uint8) {
	for i, v := range t {
		out[v] = uint8(i)
	}
	return out
}

// zigzag is the frame scan of 4x4 blocks (figure 8-8): scan position to
// raster position.
var zigzag = [16]uint8{0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15}

// blockX and blockY are where the sixteen luma blocks stand, in blocks, in
// the order in which they are coded (figure 6-10).
var (
	blockX = [16]int{0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3}
	blockY = [16]int{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3}
)

// hasTopRight says of each luma block whether the samples above and to the
// right of it belong to blocks coded before it, when they lie in the same
// macroblock or right above it.
var hasTopRight = [16]bool{true, true, true, false, true, false, true, false, true, true, true, false, true, false, true, false}

// chromaQP is table 8-15 from 30 on; below, chroma has the QP of luma.
var chromaQP = [52]uint8{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
	29, 30, 31, 32, 32, 33, 34, 34, 35, 35, 36, 36, 37, 37, 37, 38, 38, 38, 39, 39, 39, 39,
}
