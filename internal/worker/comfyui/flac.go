package comfyui

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// ComfyUI's core saves sound as FLAC, and the service orders WAV by default, so
// FLAC is decoded here: RFC 9639, frame by frame, without any seeking.

var errFLAC = errors.New("the FLAC file is damaged")

// flacInfo is what a FLAC file says of itself.
type flacInfo struct {
	rate     int
	channels int
	bits     int
	frames   int64 // samples of one channel; 0 when it is not known
}

func (i flacInfo) seconds() float64 {
	if i.rate == 0 {
		return 0
	}
	return float64(i.frames) / float64(i.rate)
}

// readFLACInfo reads the head of a FLAC stream, up to its first frame.
func readFLACInfo(r *bufio.Reader) (info flacInfo, err error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(r, head); err != nil || string(head) != "fLaC" {
		return info, errFLAC
	}
	for last, first := false, true; !last; first = false {
		if _, err := io.ReadFull(r, head); err != nil {
			return info, errFLAC
		}
		last = head[0]&0x80 != 0
		kind, size := head[0]&0x7f, int64(head[1])<<16|int64(head[2])<<8|int64(head[3])
		if first != (kind == 0) || first && size < 18 {
			return info, errFLAC
		}
		if first {
			b := make([]byte, 18)
			if _, err := io.ReadFull(r, b); err != nil {
				return info, errFLAC
			}
			packed := binary.BigEndian.Uint64(b[10:])
			info = flacInfo{
				rate: int(packed >> 44), channels: int(packed>>41&7) + 1, bits: int(packed>>36&31) + 1, frames: int64(packed & (1<<36 - 1)),
			}
			size -= 18
		}
		if _, err := io.CopyN(io.Discard, r, size); err != nil {
			return info, errFLAC
		}
	}
	if info.rate == 0 || info.bits < 4 || info.bits > 24 {
		return info, fmt.Errorf("FLAC of %d bits at %d Hz is not supported", info.bits, info.rate)
	}
	return info, nil
}

// toWAV turns a FLAC file into a WAV file of the same depth.
func toWAV(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if err := decodeFLAC(in, out); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// decodeFLAC decodes a stream. The header of the WAV file, which holds its
// length, is written last.
func decodeFLAC(in io.Reader, out io.WriteSeeker) error {
	r := bufio.NewReaderSize(in, 64<<10)
	info, err := readFLACInfo(r)
	if err != nil {
		return err
	}
	width := (info.bits + 7) / 8
	if _, err := out.Write(make([]byte, 44)); err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 64<<10)
	d := &flacDecoder{bits: bitReader{r: r}, info: info}
	var size int64
	for {
		n, err := d.frame()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if size += int64(n * info.channels * width); size > math.MaxUint32-64 {
			return errTooLarge
		}
		shift := uint(width*8 - info.bits)
		for i := range n {
			for c := range info.channels {
				s := d.samples[c][i] << shift
				if width == 1 {
					s += 128 // WAV has no sign in eight bits
				}
				for b := range width {
					w.WriteByte(byte(s >> (8 * b))) // a bufio.Writer keeps its first error for Flush
				}
			}
		}
	}
	if size&1 == 1 {
		w.WriteByte(0)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = out.Write(wavHead(info, width, size))
	return err
}

func wavHead(i flacInfo, width int, size int64) []byte {
	h := make([]byte, 44)
	copy(h, "RIFF")
	copy(h[8:], "WAVEfmt ")
	copy(h[36:], "data")
	le := binary.LittleEndian
	le.PutUint32(h[4:], uint32(36+size+size&1))
	le.PutUint32(h[16:], 16)
	le.PutUint16(h[20:], 1)
	le.PutUint16(h[22:], uint16(i.channels))
	le.PutUint32(h[24:], uint32(i.rate))
	le.PutUint32(h[28:], uint32(i.rate*i.channels*width))
	le.PutUint16(h[32:], uint16(i.channels*width))
	le.PutUint16(h[34:], uint16(width*8))
	le.PutUint32(h[40:], uint32(size))
	return h
}

// flacDecoder decodes frames.
type flacDecoder struct {
	bits    bitReader
	info    flacInfo
	samples [8][]int64
}

// blockSizes and the like are the fixed values of a frame's header.
var flacBlocks = [16]int{0, 192, 576, 1152, 2304, 4608, 0, 0, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768}

var flacDepths = [8]int{0, 8, 12, 0, 16, 20, 24, 32}

// frame decodes the next frame and returns how many samples each channel has.
func (d *flacDecoder) frame() (int, error) {
	b := &d.bits
	if b.end() {
		return 0, io.EOF
	}
	if b.read(15) != 0x7ffc {
		return 0, errFLAC
	}
	b.read(1) // whether blocks differ in length, which each tells anyway
	block, rate := int(b.read(4)), int(b.read(4))
	mode, depth := int(b.read(4)), int(b.read(3))
	b.read(1)
	b.number()
	n := flacBlocks[block]
	switch block {
	case 6:
		n = int(b.read(8)) + 1
	case 7:
		n = int(b.read(16)) + 1
	}
	switch rate {
	case 12:
		b.read(8)
	case 13, 14:
		b.read(16)
	}
	b.read(8) // a checksum; the one of the whole file is the transfer's affair
	size := flacDepths[depth]
	if size == 0 {
		size = d.info.bits
	}
	channels := mode + 1
	if mode >= 8 {
		channels = 2
	}
	if b.err != nil || n == 0 || mode > 10 || rate == 15 || depth == 3 || channels != d.info.channels || size != d.info.bits {
		return 0, errFLAC
	}
	for c := range channels {
		wide := size
		if mode == 8 && c == 1 || mode == 9 && c == 0 || mode == 10 && c == 1 {
			wide++ // the difference of two channels
		}
		if cap(d.samples[c]) < n {
			d.samples[c] = make([]int64, n)
		}
		d.samples[c] = d.samples[c][:n]
		if err := d.subframe(d.samples[c], wide); err != nil {
			return 0, err
		}
	}
	d.join(mode, n)
	b.align()
	b.read(16)
	if b.err != nil {
		return 0, errFLAC
	}
	return n, nil
}

// join makes two channels of one and a difference.
func (d *flacDecoder) join(mode, n int) {
	x, y := d.samples[0], d.samples[1]
	for i := range n {
		switch mode {
		case 8: // left and left minus right
			y[i] = x[i] - y[i]
		case 9: // left minus right and right
			x[i] += y[i]
		case 10: // middle and difference
			m := x[i]<<1 | y[i]&1
			x[i], y[i] = (m+y[i])>>1, (m-y[i])>>1
		}
	}
}
