package wav

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/atelier-project/atelier/internal/codec/pcm"
)

// Depth is how a WAV file holds a sample.
type Depth int

// The depths that are written. All of them, and 8 and 32-bit integers and
// 64-bit floats, are read.
const (
	PCM16 Depth = iota
	PCM24
	Float32
)

const (
	formatPCM        = 1
	formatFloat      = 3
	formatExtensible = 0xFFFE
)

// Write writes a recording as a RIFF WAVE file.
func Write(w io.Writer, c *pcm.Sound, d Depth) error {
	if err := c.Check(); err != nil {
		return fmt.Errorf("write WAV: %w", err)
	}
	width, tag := 2, formatPCM
	switch d {
	case PCM24:
		width = 3
	case Float32:
		width, tag = 4, formatFloat
	}
	size := len(c.PCM) * width
	if uint64(size)+64 > math.MaxUint32 {
		return errors.New("write WAV: the clip is longer than a WAV file can say")
	}
	pad := size & 1
	h := make([]byte, 44)
	copy(h, "RIFF")
	binary.LittleEndian.PutUint32(h[4:], uint32(36+size+pad))
	copy(h[8:], "WAVEfmt ")
	binary.LittleEndian.PutUint32(h[16:], 16)
	binary.LittleEndian.PutUint16(h[20:], uint16(tag))
	binary.LittleEndian.PutUint16(h[22:], uint16(c.Channels))
	binary.LittleEndian.PutUint32(h[24:], uint32(c.Rate))
	binary.LittleEndian.PutUint32(h[28:], uint32(c.Rate*c.Channels*width))
	binary.LittleEndian.PutUint16(h[32:], uint16(c.Channels*width))
	binary.LittleEndian.PutUint16(h[34:], uint16(width*8))
	copy(h[36:], "data")
	binary.LittleEndian.PutUint32(h[40:], uint32(size))

	out := bufio.NewWriterSize(w, 1<<16)
	out.Write(h) // a bufio.Writer keeps its first error for Flush
	var b [4]byte
	for _, s := range c.PCM {
		switch d {
		case PCM24:
			b[0], b[1], b[2] = 0, byte(s), byte(s>>8)
		case Float32:
			binary.LittleEndian.PutUint32(b[:], math.Float32bits(float32(s)/32768))
		default:
			b[0], b[1] = byte(s), byte(s>>8)
		}
		out.Write(b[:width])
	}
	if pad == 1 {
		out.WriteByte(0)
	}
	return out.Flush()
}

type format struct {
	tag, channels, rate, bits int
}

func (f format) check() error {
	switch {
	case f.rate < pcm.MinRate || f.rate > pcm.MaxRate:
		return fmt.Errorf("read WAV: sample rate %d is outside %d to %d", f.rate, pcm.MinRate, pcm.MaxRate)
	case f.channels < 1 || f.channels > pcm.MaxChannels:
		return fmt.Errorf("read WAV: %d channels; 1 to %d are allowed", f.channels, pcm.MaxChannels)
	case f.tag == formatPCM && (f.bits == 8 || f.bits == 16 || f.bits == 24 || f.bits == 32):
	case f.tag == formatFloat && (f.bits == 32 || f.bits == 64):
	default:
		return fmt.Errorf("read WAV: format %d with %d bits is not supported", f.tag, f.bits)
	}
	return nil
}

// Read reads a RIFF WAVE file of at most maxFrames frames. A data chunk that
// claims more than arrives, as files of interrupted or streaming recorders do,
// ends where the bytes end.
func Read(r io.Reader, maxFrames int) (*pcm.Sound, error) {
	c := &pcm.Sound{}
	err := ReadBlocks(r, func(block *pcm.Sound) error {
		c.Rate, c.Channels = block.Rate, block.Channels
		if c.Frames()+block.Frames() > maxFrames {
			return fmt.Errorf("read WAV: more than %d frames: %w", maxFrames, pcm.ErrTooLong)
		}
		c.PCM = append(c.PCM, block.PCM...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// ReadBlocks reads a file as Read does, and calls use with some thousand frames at a time:
// they are valid until use returns. A file without frames has one empty block.
func ReadBlocks(r io.Reader, use func(block *pcm.Sound) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	var head [12]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return fmt.Errorf("read WAV: the header is incomplete: %w", err)
	}
	if string(head[:4]) != "RIFF" || string(head[8:]) != "WAVE" {
		return errors.New("read WAV: this is not a WAV file")
	}
	var f format
	for {
		var chunk [8]byte
		if _, err := io.ReadFull(in, chunk[:]); err != nil {
			return fmt.Errorf("read WAV: there is no sound in the file: %w", err)
		}
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		switch string(chunk[:4]) {
		case "fmt ":
			if size < 16 || size > 4096 {
				return fmt.Errorf("read WAV: a format chunk of %d bytes", size)
			}
			body := make([]byte, size+size&1)
			if _, err := io.ReadFull(in, body); err != nil {
				return fmt.Errorf("read WAV: the format is incomplete: %w", err)
			}
			f = format{
				tag:      int(binary.LittleEndian.Uint16(body)),
				channels: int(binary.LittleEndian.Uint16(body[2:])),
				rate:     int(binary.LittleEndian.Uint32(body[4:])),
				bits:     int(binary.LittleEndian.Uint16(body[14:])),
			}
			if f.tag == formatExtensible && size >= 26 {
				f.tag = int(binary.LittleEndian.Uint16(body[24:]))
			}
			if err := f.check(); err != nil {
				return err
			}
		case "data":
			if f.rate == 0 {
				return errors.New("read WAV: sound comes before its format")
			}
			return readFrames(io.LimitReader(in, size), f, use)
		default:
			if _, err := io.CopyN(io.Discard, in, size+size&1); err != nil {
				return fmt.Errorf("read WAV: there is no sound in the file: %w", err)
			}
		}
	}
}

func readFrames(r io.Reader, f format, use func(*pcm.Sound) error) error {
	c := &pcm.Sound{Rate: f.rate, Channels: f.channels}
	width := f.bits / 8
	block := make([]byte, width*f.channels*4096)
	for {
		n, end := io.ReadFull(r, block)
		if end != nil && end != io.EOF && end != io.ErrUnexpectedEOF {
			return fmt.Errorf("read WAV: %w", end)
		}
		c.PCM = c.PCM[:0]
		for i := range n / (width * f.channels) * f.channels {
			c.PCM = append(c.PCM, sample(block[i*width:], f))
		}
		if err := use(c); err != nil || end != nil {
			return err
		}
	}
}

func sample(b []byte, f format) int16 {
	switch {
	case f.tag == formatFloat && f.bits == 64:
		return pcm.Quantise(float32(math.Float64frombits(binary.LittleEndian.Uint64(b))))
	case f.tag == formatFloat:
		return pcm.Quantise(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case f.bits == 8:
		return int16(int(b[0])-128) << 8
	}
	// The two most significant bytes are the 16-bit sample.
	return int16(binary.LittleEndian.Uint16(b[f.bits/8-2:]))
}
