package hostile

import (
	"bytes"
	"image/png"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/worktest"
	"golang.org/x/image/webp"
)

// The files are what they should be: a file that is refused at once attacks
// nothing.
func TestMedia(t *testing.T) {
	t.Parallel()
	if c, err := webp.DecodeConfig(bytes.NewReader(worktest.WebP(wide, high))); err != nil || c.Width != wide || c.Height != high {
		t.Errorf("the WebP is %d by %d: %v", c.Width, c.Height, err)
	}
	if p, err := png.Decode(bytes.NewReader(deepPNG(80, 60))); err != nil || p.Bounds().Dx() != 80 || p.Bounds().Dy() != 60 {
		t.Errorf("the PNG cannot be read: %v", err)
	}
	clip := slowMovie()
	info, err := mp4.Probe(bytes.NewReader(clip), int64(len(clip)))
	if err != nil || info.Video() == nil || info.Audio() == nil || info.Audio().Len() != slowSamples {
		t.Errorf("the clip has video %v and sound %v: %v", info.Video(), info.Audio(), err)
	}
}
