package worker

import (
	"context"
	"os"

	"github.com/atelier-project/atelier/internal/probe"
)

// Measure reads the width and height of pictures and clips, and the length of clips and
// recordings, from the file. Values that the file does not have stay unchanged.
func (o *Output) Measure() {
	f, err := os.Open(o.Path)
	if err != nil {
		return
	}
	defer f.Close()
	x, err := probe.Measure(context.Background(), f)
	if err != nil {
		return
	}
	if x.Width > 0 && x.Height > 0 {
		o.Width, o.Height = x.Width, x.Height
	}
	if x.Seconds > 0 {
		o.DurationSeconds = x.Seconds
	}
}
