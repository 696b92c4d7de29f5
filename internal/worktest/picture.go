package worktest

import (
	"bytes"
	"encoding/binary"
)

// JPEG is a progressive JPEG of black pixels with a number of scans, each of which
// passes over all of them in some fifty bytes.
func JPEG(width, height, scans int) []byte {
	var b bytes.Buffer
	segment := func(marker byte, content ...byte) {
		b.Write([]byte{0xff, marker, byte((len(content) + 2) >> 8), byte(len(content) + 2)})
		b.Write(content)
	}
	table := func(class, symbol byte) { // one code of one bit
		segment(0xc4, append(append([]byte{class, 1}, make([]byte, 15)...), symbol)...)
	}
	b.Write([]byte{0xff, 0xd8})
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	segment(0xc2, 8, byte(height>>8), byte(height), byte(width>>8), byte(width), 1, 1, 0x11, 0)
	table(0x00, 0)
	table(0x10, 0xe0) // the end of 2^14 blocks, and of as many more as 14 bits say
	blocks := (width + 7) / 8 * ((height + 7) / 8)
	for range scans {
		segment(0xda, 1, 1, 0, 1, 1, 0)
		var bits bitBuffer
		for left := blocks; left > 0; left -= 1<<15 - 1 {
			bits.put(0, 1)
			bits.put(1<<14-1, 14)
		}
		bits.put(1<<8-1, (8-bits.n)%8)
		b.Write(bytes.ReplaceAll(bits.out, []byte{0xff}, []byte{0xff, 0}))
	}
	b.Write([]byte{0xff, 0xd9})
	return b.Bytes()
}

// bitBuffer collects bits, the highest first.
type bitBuffer struct {
	out []byte
	acc uint32
	n   int // of acc
}

func (b *bitBuffer) put(v uint32, n int) {
	b.acc = b.acc<<n | v&(1<<n-1)
	for b.n += n; b.n >= 8; b.n -= 8 {
		b.out = append(b.out, byte(b.acc>>(b.n-8)))
	}
}

// WebP is a lossless WebP of pixels of one colour, in thirty bytes whatever its
// size is.
func WebP(width, height int) []byte {
	b := []byte("RIFF\x16\x00\x00\x00WEBPVP8L\x09\x00\x00\x00\x2f")
	b = binary.LittleEndian.AppendUint32(b, uint32(width-1)|uint32(height-1)<<14)
	// No transform, no cache, one group of codes: each of them simple, with one
	// symbol of one bit, which is zero.
	return append(b, 0b10001000, 0b10001000, 0b00001000, 0, 0)
}
