// Package mp4test builds clips with the index that a test chooses, also a wrong
// one, which the writer of package mp4 cannot write. Only tests import it.
//
//atelier:sequential
package mp4test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/mp4"
)

// Track is a track with its index as it will stand in the file.
type Track struct {
	Kind      string // vide or soun
	Codec     string
	Timescale uint32
	Duration  uint32
	Width     int
	Height    int
	Rate      int
	Channels  int
	Config    []byte // a whole box behind the sample entry: avcC or dfLa

	Size     uint32   // of every sample; zero for a table
	Count    uint32   // of samples, where Size is not zero
	Sizes    []uint32 // the table
	Times    []uint32 // pairs of a count and a duration
	PerChunk []uint32 // pairs of a chunk, from 1 on, and its number of samples
	Chunks   []uint32 // offsets into the data
}

// MOV returns a QuickTime file of these tracks and data.
func MOV(data []byte, tracks ...Track) []byte {
	head := movie(tracks, 0)
	head = movie(tracks, uint32(len(head))+8)
	return append(append(head, box("mdat", nil, uint32(len(data)))...), data...)
}

// WithSound returns a clip that the writer has made, with another track for its
// sound. The offsets of that track count from the start of data.
func WithSound(t testing.TB, clip []byte, sound Track, data []byte) []byte {
	t.Helper()
	info, err := mp4.Probe(bytes.NewReader(clip), int64(len(clip)))
	if err != nil {
		t.Fatal(err)
	}
	track := info.Video()
	video := Track{
		Kind: "vide", Codec: track.Codec, Timescale: track.Timescale, Duration: uint32(track.Duration),
		Width: track.Width, Height: track.Height, Config: box("avcC", track.Config, 0), PerChunk: []uint32{1, uint32(track.Len())},
	}
	var frames []byte
	for n := range track.Len() {
		sample, err := track.Read(bytes.NewReader(clip), n, nil)
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, sample...)
		video.Sizes = append(video.Sizes, uint32(len(sample)))
	}
	first, err := track.Sample(0)
	if err != nil {
		t.Fatal(err)
	}
	video.Times = []uint32{uint32(track.Len()), first.Duration}
	video.Chunks = []uint32{uint32(len(data))}
	return MOV(append(append([]byte(nil), data...), frames...), video, sound)
}

func movie(tracks []Track, base uint32) []byte {
	var moov []byte
	for i, t := range tracks {
		header := make([]byte, 84)
		binary.BigEndian.PutUint32(header[12:], uint32(i+1))
		binary.BigEndian.PutUint32(header[76:], uint32(t.Width)<<16)
		binary.BigEndian.PutUint32(header[80:], uint32(t.Height)<<16)
		media := box("mdhd", words(0, 0, 0, t.Timescale, t.Duration, 0), 0)
		media = append(media, box("hdlr", append(append(words(0, 0), t.Kind...), make([]byte, 13)...), 0)...)
		media = append(media, box("minf", box("stbl", t.table(base), 0), 0)...)
		moov = append(moov, box("trak", append(box("tkhd", header, 0), box("mdia", media, 0)...), 0)...)
	}
	return append(box("ftyp", []byte("qt  \x00\x00\x02\x00qt  "), 0), box("moov", moov, 0)...)
}

func (t Track) table(base uint32) []byte {
	entry := make([]byte, 78)
	if t.Kind == "soun" {
		entry = entry[:28]
		binary.BigEndian.PutUint16(entry[16:], uint16(t.Channels))
		binary.BigEndian.PutUint16(entry[18:], 16)
		binary.BigEndian.PutUint32(entry[24:], uint32(t.Rate)<<16)
	} else {
		binary.BigEndian.PutUint16(entry[24:], uint16(t.Width))
		binary.BigEndian.PutUint16(entry[26:], uint16(t.Height))
	}
	out := box("stsd", append(words(0, 1), box(t.Codec, append(entry, t.Config...), 0)...), 0)
	out = append(out, box("stts", append(words(0, uint32(len(t.Times)/2)), words(t.Times...)...), 0)...)
	var runs []uint32
	for i := 0; i+1 < len(t.PerChunk); i += 2 {
		runs = append(runs, t.PerChunk[i], t.PerChunk[i+1], 1)
	}
	out = append(out, box("stsc", append(words(0, uint32(len(runs)/3)), words(runs...)...), 0)...)
	if t.Size != 0 {
		out = append(out, box("stsz", words(0, t.Size, t.Count), 0)...)
	} else {
		out = append(out, box("stsz", append(words(0, 0, uint32(len(t.Sizes))), words(t.Sizes...)...), 0)...)
	}
	offsets := words(0, uint32(len(t.Chunks)))
	for _, at := range t.Chunks {
		offsets = binary.BigEndian.AppendUint32(offsets, base+at)
	}
	return append(out, box("stco", offsets, 0)...)
}

// box returns a box with its content, and says that more bytes follow.
func box(name string, content []byte, more uint32) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(content))+8+more)
	return append(append(out, name...), content...)
}

func words(v ...uint32) []byte {
	var out []byte
	for _, w := range v {
		out = binary.BigEndian.AppendUint32(out, w)
	}
	return out
}
