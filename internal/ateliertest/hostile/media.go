package hostile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"

	"github.com/atelier-project/atelier/internal/ateliertest"
)

// How large the pictures are that uploads must decode: as large as is taken.
const (
	wide = 7680
	high = 4320
)

// deepPNG is a black picture with 16 bits a channel.
func deepPNG(wide, high int) []byte {
	var out bytes.Buffer
	out.WriteString("\x89PNG\r\n\x1a\n")
	chunk := func(name string, data []byte) {
		body := append([]byte(name), data...)
		_ = binary.Write(&out, binary.BigEndian, uint32(len(data)))
		out.Write(body)
		_ = binary.Write(&out, binary.BigEndian, crc32.ChecksumIEEE(body))
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(wide))
	head = binary.BigEndian.AppendUint32(head, uint32(high))
	chunk("IHDR", append(head, 16, 6, 0, 0, 0))
	var data bytes.Buffer
	z := zlib.NewWriter(&data)
	row := make([]byte, 1+wide*8)
	for range high {
		_, _ = z.Write(row) // into memory
	}
	_ = z.Close()
	chunk("IDAT", data.Bytes())
	chunk("IEND", nil)
	return out.Bytes()
}

// slowSamples is how many samples of sound the slow clip lists one by one.
const slowSamples = 250_000

// slowMovie is a clip whose sound is listed sample by sample in one chunk: a
// reader that adds up sizes from the chunk's start takes the square of their
// number.
func slowMovie() []byte {
	clip, err := ateliertest.Sample("video/quicktime")
	if err != nil {
		panic(err) // it is embedded
	}
	video := box(box(clip, "moov"), "trak")
	mvhd := box(box(clip, "moov"), "mvhd")
	out := bytes.Replace(clip, []byte("moov"), []byte("free"), 1)
	at := len(out) + 8
	out = append(out, makeBox("mdat", make([]byte, 4*slowSamples))...)

	entry := make([]byte, 28)
	binary.BigEndian.PutUint16(entry[6:], 1)
	binary.BigEndian.PutUint16(entry[16:], 2)
	binary.BigEndian.PutUint16(entry[18:], 16)
	binary.BigEndian.PutUint32(entry[24:], 48000<<16)
	stbl := makeBox("stbl", join(
		makeBox("stsd", join(words(0, 1), makeBox("sowt", entry))),
		makeBox("stts", words(0, 1, slowSamples, 1)),
		makeBox("stsc", words(0, 1, 1, slowSamples, 1)),
		makeBox("stsz", join(words(0, 0, slowSamples), bytes.Repeat(words(4), slowSamples))),
		makeBox("stco", words(0, 1, uint32(at)))))
	sound := makeBox("trak", join(
		makeBox("tkhd", join(words(0x00000007, 0, 0, 2, 0, slowSamples/48), make([]byte, 60))),
		makeBox("mdia", join(
			makeBox("mdhd", words(0, 0, 0, 48000, slowSamples, 0)),
			makeBox("hdlr", join(words(0), []byte("mhlrsoun"), make([]byte, 13))),
			makeBox("minf", join(makeBox("smhd", words(0, 0)), stbl))))))
	return append(out, makeBox("moov", join(makeBox("mvhd", mvhd), makeBox("trak", video), sound))...)
}

// box is the content of the first box of a name.
func box(in []byte, name string) []byte {
	for len(in) >= 8 {
		n := int(binary.BigEndian.Uint32(in))
		if n < 8 || n > len(in) {
			return nil
		}
		if string(in[4:8]) == name {
			return in[8:n]
		}
		in = in[n:]
	}
	return nil
}

func makeBox(name string, body []byte) []byte {
	return join(words(uint32(8+len(body))), []byte(name), body)
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func words(v ...uint32) (out []byte) {
	for _, w := range v {
		out = binary.BigEndian.AppendUint32(out, w)
	}
	return out
}
