package library

import (
	"context"
	"fmt"
	"io"

	"github.com/atelier-project/atelier/internal/codec/flac"
	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/codec/wav"
)

const (
	// soundFrames limits the recordings whose peaks are read: three minutes at 48 kHz.
	soundFrames = 3 * 60 * 48_000

	// peakCount is how many peaks a recording has.
	peakCount = 200
)

// soundReader reads a recording block by block.
type soundReader func(io.Reader, func(*pcm.Sound) error) error

// soundReaders are the readers of those that have peaks, by content type.
var soundReaders = map[string]soundReader{"audio/wav": wav.ReadBlocks, "audio/x-wav": wav.ReadBlocks, "audio/flac": flac.ReadBlocks}

// soundMemory is what reading the peaks of a file takes at most: a block, which has 65536
// samples in eight channels, and what the reader of FLAC reads ahead while it looks for the
// end of a frame.
func soundMemory(size int64) int64 { return 4<<20 + min(5*size, 40<<20) }

// readPeaks reads how loud a recording is over its length, and keeps no more than a block
// of it: a few bytes of FLAC are many samples.
func readPeaks(ctx context.Context, r io.Reader, read soundReader) ([]byte, error) {
	frames := 0
	var l loudness
	err := read(r, func(block *pcm.Sound) error {
		if frames += block.Frames(); frames > soundFrames {
			return pcm.ErrTooLong
		}
		l.add(block.PCM)
		return ctx.Err()
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNoPreview, err)
	case frames == 0:
		return nil, errNoPreview
	}
	return l.peaks(), nil
}

// loudness is the largest sample of each part of a recording, which comes in blocks. As its
// length is not known before, parts that are too many are joined in pairs.
type loudness struct {
	parts []uint16
	width int // the samples of a part
	left  int // how many of them the last part does not have yet
}

// mostParts are far more than the peaks, so that their borders are close to those of parts.
const mostParts = 1 << 16

func (l *loudness) add(samples []int16) {
	for len(samples) > 0 {
		if l.left == 0 {
			l.begin()
		}
		n := min(l.left, len(samples))
		last := &l.parts[len(l.parts)-1]
		for _, s := range samples[:n] {
			*last = max(*last, uint16(max(int(s), -int(s))))
		}
		samples, l.left = samples[n:], l.left-n
	}
}

func (l *loudness) begin() {
	switch len(l.parts) {
	case 0:
		l.width = 1
	case mostParts:
		for i := range mostParts / 2 {
			l.parts[i] = max(l.parts[2*i], l.parts[2*i+1])
		}
		l.parts, l.width = l.parts[:mostParts/2], 2*l.width
	}
	l.parts, l.left = append(l.parts, 0), l.width
}

// peaks are the largest samples of equal parts of the recording, 0 to 100.
func (l *loudness) peaks() []byte {
	out := make([]byte, peakCount)
	n := len(l.parts)
	for i := range out {
		var most uint16
		for _, part := range l.parts[n*i/peakCount : max(n*i/peakCount+1, n*(i+1)/peakCount)] {
			most = max(most, part)
		}
		out[i] = byte(int(most) * 100 / (1 << 15))
	}
	return out
}
