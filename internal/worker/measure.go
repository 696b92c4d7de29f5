package worker

import (
	"image"
	_ "image/gif"  // sizes
	_ "image/jpeg" // sizes
	_ "image/png"  // sizes
	"io"
	"os"

	_ "golang.org/x/image/webp" // sizes

	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/filetype"
)

// Measure reads the width and height of pictures and clips, and the length of
// clips, from the file. Values that the file does not have stay unchanged.
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
