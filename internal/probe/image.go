package probe

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
)

// maxChunks bounds how many parts of a file are looked at.
const maxChunks = 4096

// png reads the header of a PNG and its texts.
func (d *Description) png(f io.ReaderAt) error {
	img := &imageFacts{}
	d.Image = img
	for at, n := int64(8), 0; n < maxChunks; n++ {
		head, err := readBytes(f, at, 8)
		if err != nil {
			if n > 0 && img.Width > 0 {
				d.Notes = append(d.Notes, "the file ends before its last chunk")
				return nil
			}
			return err
		}
		size, kind := int64(binary.BigEndian.Uint32(head)), string(head[4:])
		if size > math.MaxInt32 || n == 0 && (kind != "IHDR" || size < 13) {
			return ErrUnreadable
		}
		read := func(most int64) ([]byte, error) { return readBytes(f, at+8, int(min(size, most))) }
		var data []byte
		switch kind {
		case "IHDR":
			if data, err = read(13); err == nil {
				img.Width, img.Height = int(binary.BigEndian.Uint32(data)), int(binary.BigEndian.Uint32(data[4:]))
				img.BitDepth, img.Progressive = int(data[8]), data[12] == 1
				img.Colour = map[byte]string{0: "grey", 2: "rgb", 3: "palette", 4: "grey with alpha", 6: "rgb with alpha"}[data[9]]
				img.Alpha = data[9] == 4 || data[9] == 6
			}
		case "tRNS":
			img.Alpha = true
		case "iCCP":
			img.Profile = true
		case "pHYs":
			if data, err = read(9); err == nil && len(data) == 9 && data[8] == 1 {
				img.DotsPerInch = math.Round(float64(binary.BigEndian.Uint32(data))*0.0254*100) / 100
			}
		case "acTL":
			if data, err = read(8); err == nil && len(data) == 8 {
				img.Frames = int(min(binary.BigEndian.Uint32(data), 1<<20))
			}
		case "tEXt", "iTXt", "zTXt":
			if data, err = read(1 << 16); err == nil {
				d.pngText(kind, data)
			}
		case "eXIf":
			if data, err = read(maxEXIF); err == nil {
				d.exif(data)
			}
		case "IEND":
			return nil
		}
		if err != nil {
			return err
		}
		at += size + 12
	}
	return nil
}

// pngText reads a text chunk in any of its three forms.
func (d *Description) pngText(kind string, data []byte) {
	name, rest, ok := bytes.Cut(data, []byte{0})
	if !ok || len(name) > 79 || len(d.Tags) >= maxTags {
		return
	}
	switch kind {
	case "tEXt":
		d.addTag(string(name), latin(rest))
	case "zTXt":
		if len(rest) > 1 {
			d.addTag(string(name), latin(inflate(rest[1:])))
		}
	case "iTXt":
		if len(rest) < 2 {
			return
		}
		packed := rest[0] == 1
		_, rest, ok = bytes.Cut(rest[2:], []byte{0}) // language
		if !ok {
			return
		}
		if _, rest, ok = bytes.Cut(rest, []byte{0}); !ok { // translated name
			return
		}
		if packed {
			rest = inflate(rest)
		}
		d.addTag(string(name), string(rest))
	}
}

// inflate decompresses a text, up to the length that is reported.
func inflate(data []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	defer z.Close()
	out, _ := io.ReadAll(io.LimitReader(z, maxText+1))
	return out
}

// latin turns ISO 8859-1 into UTF-8.
func latin(b []byte) string {
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
	}
	return string(out)
}

// jpeg reads the segments of a JPEG up to its pixels.
func (d *Description) jpeg(f io.ReaderAt) error {
	img := &imageFacts{BitDepth: 8, Colour: "rgb"}
	d.Image = img
	for at, n := int64(2), 0; n < maxChunks; n++ {
		head, err := readBytes(f, at, 4)
		if err != nil {
			return err
		}
		if head[0] != 0xff {
			return ErrUnreadable
		}
		marker, size := head[1], int64(binary.BigEndian.Uint16(head[2:]))
		if marker == 0xff || marker == 0x01 || marker >= 0xd0 && marker <= 0xd7 {
			at++ // padding, or a marker without content
			if marker != 0xff {
				at++
			}
			continue
		}
		if size < 2 || marker == 0xd9 {
			return ErrUnreadable
		}
		if marker == 0xda {
			break // the pixels begin
		}
		data, err := readBytes(f, at+4, int(size-2))
		if err != nil {
			return err
		}
		d.jpegSegment(img, marker, data)
		at += 2 + size
	}
	if img.Width == 0 {
		return ErrUnreadable
	}
	return nil
}

func (d *Description) jpegSegment(img *imageFacts, marker byte, data []byte) {
	switch {
	case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
		if len(data) >= 6 {
			img.BitDepth = int(data[0])
			img.Height, img.Width = int(binary.BigEndian.Uint16(data[1:])), int(binary.BigEndian.Uint16(data[3:]))
			img.Colour = map[byte]string{1: "grey", 3: "rgb", 4: "cmyk"}[data[5]]
			img.Progressive = marker == 0xc2 || marker == 0xc6 || marker == 0xca || marker == 0xce
		}
	case marker == 0xe0 && len(data) >= 12 && string(data[:5]) == "JFIF\x00":
		if x := float64(binary.BigEndian.Uint16(data[8:])); data[7] == 1 {
			img.DotsPerInch = x
		} else if data[7] == 2 {
			img.DotsPerInch = math.Round(x*2.54*100) / 100
		}
	case marker == 0xe1 && len(data) > 6 && string(data[:6]) == "Exif\x00\x00":
		d.exif(data[6:])
	case marker == 0xe2 && len(data) > 12 && string(data[:11]) == "ICC_PROFILE":
		img.Profile = true
	case marker == 0xfe:
		d.addTag("comment", string(data))
	}
}

// OrientationOf returns how the camera of a JPEG was held, 1 when it does not say.
func OrientationOf(f io.ReaderAt) int {
	d := Description{Tags: map[string]any{}}
	if err := d.jpeg(f); err != nil || d.Image.Orientation < 1 || d.Image.Orientation > 8 {
		return 1
	}
	return d.Image.Orientation
}

// gif counts the frames of a GIF and how long they are shown.
func (d *Description) gif(f io.ReaderAt) error {
	head, err := readBytes(f, 0, 13)
	if err != nil {
		return err
	}
	img := &imageFacts{Width: int(binary.LittleEndian.Uint16(head[6:])), Height: int(binary.LittleEndian.Uint16(head[8:])), BitDepth: 8, Colour: "palette"}
	d.Image = img
	at := int64(13)
	if head[10]&0x80 != 0 {
		at += 3 << (head[10]&7 + 1)
	}
	hundredths := 0
	skip := func() error { // the blocks of an extension or of a frame
		for range 1 << 20 {
			n, err := readBytes(f, at, 1)
			if err != nil {
				return err
			}
			if at += 1 + int64(n[0]); n[0] == 0 {
				return nil
			}
		}
		return ErrUnreadable
	}
	for range 1 << 16 {
		kind, err := readBytes(f, at, 2)
		if err != nil {
			break // a missing end is common
		}
		switch kind[0] {
		case 0x21:
			if kind[1] == 0xf9 {
				if c, err := readBytes(f, at+2, 5); err == nil {
					hundredths += int(binary.LittleEndian.Uint16(c[2:]))
					img.Alpha = img.Alpha || c[1]&1 != 0
				}
			}
			at += 2
			err = skip()
		case 0x2c:
			var c []byte
			if c, err = readBytes(f, at, 10); err == nil {
				img.Frames++
				img.Progressive = img.Progressive || c[9]&0x40 != 0
				at += 11
				if c[9]&0x80 != 0 {
					at += 3 << (c[9]&7 + 1)
				}
				err = skip()
			}
		default:
			at = -1
		}
		if err != nil || at < 0 {
			break
		}
	}
	if img.Frames == 0 {
		return ErrUnreadable
	}
	if img.Frames > 1 {
		img.Seconds = float64(hundredths) / 100
	}
	return nil
}

// webp reads the header chunks of a WebP.
func (d *Description) webp(f io.ReaderAt) error {
	img := &imageFacts{BitDepth: 8, Colour: "rgb"}
	d.Image = img
	milliseconds := 0
	for at, n := int64(12), 0; n < maxChunks; n++ {
		head, err := readBytes(f, at, 8)
		if err != nil {
			break
		}
		size, kind := int64(binary.LittleEndian.Uint32(head[4:])), string(head[:4])
		read := func(most int64) []byte {
			b, _ := readBytes(f, at+8, int(min(size, most)))
			return b
		}
		switch b := read(16); {
		case kind == "VP8X" && len(b) >= 10:
			img.Alpha, img.Profile = b[0]&0x10 != 0, b[0]&0x20 != 0
			img.Width, img.Height = 1+uint24(b[4:]), 1+uint24(b[7:])
		case kind == "VP8L" && len(b) >= 5 && img.Width == 0:
			bits := binary.LittleEndian.Uint32(b[1:])
			img.Width, img.Height, img.Alpha = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1, bits>>28&1 == 1
			d.addTag("compression", "lossless")
		case kind == "VP8 " && len(b) >= 10 && img.Width == 0:
			img.Width, img.Height = int(binary.LittleEndian.Uint16(b[6:])&0x3fff), int(binary.LittleEndian.Uint16(b[8:])&0x3fff)
			d.addTag("compression", "lossy")
		case kind == "ANMF" && len(b) >= 16:
			img.Frames++
			milliseconds += uint24(b[12:])
		case kind == "EXIF":
			if e := read(maxEXIF); e != nil {
				d.exif(bytes.TrimPrefix(e, []byte("Exif\x00\x00")))
			}
		}
		at += 8 + size + size&1
	}
	img.Seconds = float64(milliseconds) / 1000
	if img.Width == 0 {
		return ErrUnreadable
	}
	return nil
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
