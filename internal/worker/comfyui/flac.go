package comfyui

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/atelier-project/atelier/internal/codec/flac"
)

// ComfyUI's core saves sound as FLAC, and the service orders WAV by default, so
// FLAC is converted to WAV here, frame by frame, with the same bit depth.

// toWAV converts a FLAC file to a WAV file of the same bit depth.
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
	if err := decodeFLAC(in, out, maxWAV); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// maxWAV is the largest WAV file that is made from FLAC, in bytes: a few kilobytes
// of compressed silence can have any length. An hour in stereo needs half of it.
const maxWAV = 1 << 30

// decodeFLAC decodes a stream of up to `most` bytes. The header of the WAV
// file, which holds its length, is written last.
func decodeFLAC(in io.Reader, out io.WriteSeeker, most int64) error {
	f, err := flac.NewReader(bufio.NewReader(in))
	if err != nil {
		return err
	}
	f.Unchecked = true // the transfer checks that the file is complete
	width := (f.Bits + 7) / 8
	shift := width*8 - f.Bits
	if _, err := out.Write(make([]byte, 44)); err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 64<<10)
	var size int64
	for {
		planes, err := f.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if size += int64(len(planes[0]) * f.Channels * width); size > most {
			return errTooLarge
		}
		for i := range planes[0] {
			for _, plane := range planes {
				s := plane[i] << shift
				if width == 1 {
					s += 128 // 8-bit WAV is unsigned
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
	_, err = out.Write(wavHead(f.Info, width, size))
	return err
}

func wavHead(i flac.Info, width int, size int64) []byte {
	h := make([]byte, 44)
	copy(h, "RIFF")
	copy(h[8:], "WAVEfmt ")
	copy(h[36:], "data")
	le := binary.LittleEndian
	le.PutUint32(h[4:], uint32(36+size+size&1))
	le.PutUint32(h[16:], 16)
	le.PutUint16(h[20:], 1)
	le.PutUint16(h[22:], uint16(i.Channels))
	le.PutUint32(h[24:], uint32(i.Rate))
	le.PutUint32(h[28:], uint32(i.Rate*i.Channels*width))
	le.PutUint16(h[32:], uint16(i.Channels*width))
	le.PutUint16(h[34:], uint16(width*8))
	le.PutUint32(h[40:], uint32(size))
	return h
}
