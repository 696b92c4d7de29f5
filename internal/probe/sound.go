package probe

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"strings"
	"unicode/utf16"
)

// wav reads the chunks of a RIFF WAVE file up to its samples, and the texts
// before and after them.
func (d *Description) wav(f io.ReaderAt, size int64) error {
	a := &audioFacts{Codec: "pcm"}
	d.Audio = a
	var data int64 = -1
	block := 0
	for at, n := int64(12), 0; n < maxChunks && at+8 <= size; n++ {
		head, err := readBytes(f, at, 8)
		if err != nil {
			return err
		}
		length, kind := int64(binary.LittleEndian.Uint32(head[4:])), string(head[:4])
		switch kind {
		case "fmt ":
			b, err := readBytes(f, at+8, int(min(length, 40)))
			if err != nil || len(b) < 16 {
				return ErrUnreadable
			}
			code := binary.LittleEndian.Uint16(b)
			if code == 0xfffe && len(b) >= 26 {
				code = binary.LittleEndian.Uint16(b[24:])
			}
			a.Codec = map[uint16]string{1: "pcm", 3: "float", 6: "a-law", 7: "mu-law"}[code]
			a.Channels, a.Rate = int(binary.LittleEndian.Uint16(b[2:])), int(binary.LittleEndian.Uint32(b[4:]))
			block, a.BitsPerSample = int(binary.LittleEndian.Uint16(b[12:])), int(binary.LittleEndian.Uint16(b[14:]))
			a.BitRate = 8 * int(binary.LittleEndian.Uint32(b[8:]))
		case "data":
			// Recorders that were interrupted claim more than there is.
			data = min(length, size-at-8)
		case "LIST":
			if b, err := readBytes(f, at+8, int(min(length, 1<<16, size-at-8))); err == nil && len(b) > 4 && string(b[:4]) == "INFO" {
				d.riffInfo(b[4:])
			}
		}
		at += 8 + length + length&1
	}
	if a.Rate == 0 || data < 0 {
		return ErrUnreadable
	}
	if block > 0 {
		a.Seconds = math.Round(float64(data/int64(block))/float64(a.Rate)*1000) / 1000
	}
	return nil
}

// riffInfo reads the texts of a RIFF file.
func (d *Description) riffInfo(b []byte) {
	names := map[string]string{"INAM": "title", "IART": "artist", "ICMT": "comment", "ICRD": "date", "ISFT": "software", "IGNR": "genre", "IPRD": "album"}
	for len(b) >= 8 {
		n := int(min(binary.LittleEndian.Uint32(b[4:]), uint32(len(b)-8)))
		if name := names[string(b[:4])]; name != "" {
			d.addTag(name, string(b[8:8+n]))
		}
		b = b[min(8+n+n&1, len(b)):]
	}
}

// flac reads STREAMINFO and the comments of a FLAC file.
func (d *Description) flac(f io.ReaderAt, size int64) error {
	a := &audioFacts{Codec: "flac"}
	d.Audio = a
	for at, n := int64(4), 0; n < 128; n++ {
		head, err := readBytes(f, at, 4)
		if err != nil {
			return err
		}
		length := int(head[1])<<16 | int(head[2])<<8 | int(head[3])
		switch head[0] & 0x7f {
		case 0:
			b, err := readBytes(f, at+4, 34)
			if err != nil {
				return err
			}
			bits := binary.BigEndian.Uint64(b[10:])
			a.Rate, a.Channels, a.BitsPerSample = int(bits>>44), int(bits>>41&7)+1, int(bits>>36&31)+1
			if samples := bits & (1<<36 - 1); a.Rate > 0 && samples > 0 {
				a.Seconds = math.Round(float64(samples)/float64(a.Rate)*1000) / 1000
				a.BitRate = int(float64(size) * 8 / max(a.Seconds, 0.001))
			}
		case 4:
			if b, err := readBytes(f, at+4, min(length, 1<<16)); err == nil {
				d.vorbisComments(b)
			}
		}
		if at += 4 + int64(length); head[0]&0x80 != 0 {
			break
		}
	}
	if a.Rate == 0 {
		return ErrUnreadable
	}
	return nil
}

func (d *Description) vorbisComments(b []byte) {
	next := func() ([]byte, bool) {
		if len(b) < 4 {
			return nil, false
		}
		n := int(min(binary.LittleEndian.Uint32(b), uint32(len(b)-4)))
		text := b[4 : 4+n]
		b = b[4+n:]
		return text, true
	}
	if maker, ok := next(); ok {
		d.addTag("software", string(maker))
	}
	if len(b) < 4 {
		return
	}
	count := min(binary.LittleEndian.Uint32(b), 64)
	b = b[4:]
	for range count {
		text, ok := next()
		if !ok {
			return
		}
		if name, value, ok := strings.Cut(string(text), "="); ok {
			d.addTag(strings.ToLower(name), value)
		}
	}
}

// mp3 reads the tags of an MP3 and its first frames. A header of a variable
// rate states the length; else it is estimated from the rate of the first
// frame.
func (d *Description) mp3(f io.ReaderAt, size int64) error {
	a := &audioFacts{Codec: "mp3"}
	d.Audio = a
	at := int64(0)
	if head, err := readBytes(f, 0, 10); err == nil && string(head[:3]) == "ID3" {
		length := int64(head[6]&0x7f)<<21 | int64(head[7]&0x7f)<<14 | int64(head[8]&0x7f)<<7 | int64(head[9]&0x7f)
		if b, err := readBytes(f, 10, int(min(length, 1<<18, max(size-10, 0)))); err == nil {
			d.id3(b, head[3])
		}
		at = 10 + length
		if head[5]&0x10 != 0 {
			at += 10
		}
	}
	// The first frame may lie behind padding.
	b := make([]byte, 1<<15)
	n, _ := f.ReadAt(b, at)
	b = b[:n]
	for i := 0; i+4 <= len(b); i++ {
		h, ok := mpegHeader(b[i:])
		if !ok {
			continue
		}
		if next := i + h.length; next+4 <= len(b) {
			if o, ok := mpegHeader(b[next:]); !ok || o.rate != h.rate {
				continue
			}
		}
		a.Rate, a.Channels, a.BitRate = h.rate, h.channels, h.bitRate
		frames := variableRate(b[i:], h)
		if frames > 0 {
			a.Seconds = float64(frames) * float64(h.samples) / float64(h.rate)
			a.BitRate = int(float64(size-at) * 8 / max(a.Seconds, 0.001))
		} else {
			a.Seconds, a.Estimated = float64(size-at-int64(i))*8/float64(h.bitRate), true
		}
		a.Seconds = math.Round(a.Seconds*1000) / 1000
		return nil
	}
	return ErrUnreadable
}

type mpegFacts struct{ rate, channels, bitRate, samples, length int }

// mpegHeader reads the header of a frame of layer III.
func mpegHeader(b []byte) (h mpegFacts, ok bool) {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 || b[1]>>1&3 != 1 {
		return h, false
	}
	version := b[1] >> 3 & 3 // 0 is 2.5, 2 is 2, 3 is 1
	rates := [2][16]int{
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	}
	first := 0
	if version == 3 {
		first = 1
	}
	h.bitRate = rates[first][b[2]>>4] * 1000
	hz := [4]int{44100, 48000, 32000, 0}[b[2]>>2&3]
	if version == 1 || hz == 0 || h.bitRate == 0 {
		return h, false
	}
	h.rate, h.samples = hz, 1152
	if version != 3 {
		h.rate, h.samples = hz/2, 576
	}
	if version == 0 {
		h.rate = hz / 4
	}
	if h.channels = 2; b[3]>>6 == 3 {
		h.channels = 1
	}
	h.length = h.samples/8*h.bitRate/h.rate + int(b[2]>>1&1)
	return h, h.length > 4
}

// variableRate returns the number of frames that a Xing, Info or VBRI header
// states.
func variableRate(b []byte, h mpegFacts) int {
	side := 32
	if h.channels == 1 {
		side = 17
	}
	if h.samples == 576 {
		side = map[int]int{1: 9, 2: 17}[h.channels]
	}
	if x := b[min(4+side, len(b)):]; len(x) >= 12 && (string(x[:4]) == "Xing" || string(x[:4]) == "Info") && x[7]&1 != 0 {
		return int(binary.BigEndian.Uint32(x[8:]))
	}
	if v := b[min(36, len(b)):]; len(v) >= 18 && string(v[:4]) == "VBRI" {
		return int(binary.BigEndian.Uint32(v[14:]))
	}
	return 0
}

// id3 reads the common texts of an ID3 tag of version 2.2 to 2.4.
func (d *Description) id3(b []byte, version byte) {
	names := map[string]string{
		"TIT2": "title", "TPE1": "artist", "TALB": "album", "TYER": "date", "TDRC": "date", "TCON": "genre", "TRCK": "track", "TSSE": "software", "TENC": "software",
		"TT2": "title", "TP1": "artist", "TAL": "album", "TYE": "date", "TCO": "genre",
	}
	head, id := 10, 4
	if version == 2 {
		head, id = 6, 3
	}
	for range 200 {
		if len(b) < head || b[0] == 0 {
			return
		}
		var n int
		switch version {
		case 2:
			n = int(b[3])<<16 | int(b[4])<<8 | int(b[5])
		case 4:
			n = int(b[4]&0x7f)<<21 | int(b[5]&0x7f)<<14 | int(b[6]&0x7f)<<7 | int(b[7]&0x7f)
		default:
			n = int(min(binary.BigEndian.Uint32(b[4:]), 1<<28))
		}
		n = min(n, len(b)-head)
		if name := names[string(b[:id])]; name != "" && n > 1 {
			d.addTag(name, id3Text(b[head:head+n]))
		}
		b = b[head+n:]
	}
}

// id3Text decodes a text by the byte before it.
func id3Text(b []byte) string {
	kind, b := b[0], b[1:]
	if len(b) > 2*maxText {
		b = b[:2*maxText]
	}
	switch kind {
	case 1, 2:
		order := binary.ByteOrder(binary.BigEndian)
		if bytes.HasPrefix(b, []byte{0xff, 0xfe}) {
			order = binary.LittleEndian
		}
		var units []uint16
		for ; len(b) >= 2; b = b[2:] {
			if u := order.Uint16(b); u != 0xfeff && u != 0 {
				units = append(units, u)
			}
		}
		return string(utf16.Decode(units))
	case 0:
		return latin(bytes.TrimRight(b, "\x00"))
	}
	return string(b)
}
