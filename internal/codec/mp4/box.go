package mp4

import "encoding/binary"

// boxes builds nested boxes in one buffer.
type boxes struct{ buf []byte }

// box appends a box whose content is what fill appends (14496-12, 4.2).
func (b *boxes) box(name string, fill func()) {
	at := len(b.buf)
	b.buf = append(append(b.buf, 0, 0, 0, 0), name...)
	fill()
	binary.BigEndian.PutUint32(b.buf[at:], uint32(len(b.buf)-at))
}

// full appends a box that begins with a version and flags.
func (b *boxes) full(name string, version byte, flags uint32, fill func()) {
	b.box(name, func() {
		b.u32(uint32(version)<<24 | flags)
		fill()
	})
}

func (b *boxes) u8(v byte)      { b.buf = append(b.buf, v) }
func (b *boxes) u16(v uint16)   { b.buf = binary.BigEndian.AppendUint16(b.buf, v) }
func (b *boxes) u32(v uint32)   { b.buf = binary.BigEndian.AppendUint32(b.buf, v) }
func (b *boxes) u64(v uint64)   { b.buf = binary.BigEndian.AppendUint64(b.buf, v) }
func (b *boxes) bytes(p []byte) { b.buf = append(b.buf, p...) }
func (b *boxes) text(s string)  { b.buf = append(b.buf, s...) }
func (b *boxes) zeros(n int)    { b.buf = append(b.buf, make([]byte, n)...) }
func (b *boxes) words(v ...uint32) {
	for _, w := range v {
		b.u32(w)
	}
}

// matrix is the identity transformation of mvhd and tkhd.
func (b *boxes) matrix() { b.words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000) }
