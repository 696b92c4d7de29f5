package worker

import (
	"encoding/binary"
	"image"
	_ "image/gif"  // sizes
	_ "image/jpeg" // sizes
	_ "image/png"  // sizes
	"io"
	"os"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/studio/mp4"
)

// Measure fills in what a file says of itself: the width and height of pictures
// and clips, and how long clips are. What it does not say stays as it is.
func (o *Output) Measure() {
	f, err := os.Open(o.Path)
	if err != nil {
		return
	}
	defer f.Close()
	head := make([]byte, filetype.HeadSize)
	n, _ := io.ReadFull(f, head)
	head = head[:n]
	switch kind := filetype.Detect(head); {
	case kind == "image/webp":
		o.Width, o.Height = webpSize(head)
	case filetype.Kind(kind) == "image":
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return
		}
		if c, _, err := image.DecodeConfig(f); err == nil {
			o.Width, o.Height = c.Width, c.Height
		}
	case kind == "video/mp4" || kind == "video/quicktime":
		st, err := f.Stat()
		if err != nil {
			return
		}
		info, err := mp4.Probe(f, st.Size())
		if err != nil {
			return
		}
		if info.Width > 0 && info.Height > 0 {
			o.Width, o.Height = info.Width, info.Height
		}
		if info.Duration > 0 {
			o.DurationSeconds = info.Duration.Seconds()
		}
	}
}

// webpSize reads the size of a WebP picture from its first chunk.
func webpSize(head []byte) (int, int) {
	if len(head) < 30 {
		return 0, 0
	}
	le := binary.LittleEndian
	switch string(head[12:16]) {
	case "VP8 ":
		return int(le.Uint16(head[26:]) & 0x3fff), int(le.Uint16(head[28:]) & 0x3fff)
	case "VP8L":
		bits := le.Uint32(head[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X":
		wide := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
		return wide(head[24:]) + 1, wide(head[27:]) + 1
	}
	return 0, 0
}
