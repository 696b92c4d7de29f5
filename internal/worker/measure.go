package worker

import (
	"context"
	"os"

	"github.com/atelier-project/atelier/internal/probe"
)

// MeasureFile reads the width and height of a picture or a clip, and the length of a clip or a
// recording, from its file. What it does not have, or cannot be read, is zero.
func MeasureFile(path string) probe.Extent {
	f, err := os.Open(path)
	if err != nil {
		return probe.Extent{}
	}
	defer f.Close()
	x, _ := probe.Measure(context.Background(), f) // zero with an error
	return x
}

// Measure sets the extent of the output to that of its file. Values that the file does not
// have stay unchanged.
func (o *Output) Measure() {
	x := MeasureFile(o.Path)
	if x.Width > 0 && x.Height > 0 {
		o.Width, o.Height = x.Width, x.Height
	}
	if x.Seconds > 0 {
		o.DurationSeconds = x.Seconds
	}
}
