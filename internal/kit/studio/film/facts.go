package film

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"

	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/filetype"
)

// Facts is what a clip is, before its frames are read.
type Facts struct {
	Width, Height int  // as it is shown, turned where the file says so
	FPS, Den      int  // frames a second, as a fraction
	Frames        int  // exact where the index says so, else by length and rate
	Sound         bool // there is a track of it
}

// Rate returns frames a second.
func (f Facts) Rate() float64 { return float64(f.FPS) / float64(f.Den) }

// Seconds returns the length of the pictures.
func (f Facts) Seconds() float64 { return float64(f.Frames) * float64(f.Den) / float64(f.FPS) }

// maxRate bounds the rate at which frames are read: a clip with a higher rate,
// as some screen recorders write, loses frames.
const maxRate = 60

// fromIndex reads the facts of an MP4 or MOV file; even reports whether all
// frames have the same duration.
func fromIndex(info mp4.Info) (f Facts, even, ok bool) {
	t := info.Video()
	if t == nil || info.Fragmented || t.Len() == 0 || t.Timescale == 0 {
		return Facts{}, false, false
	}
	f = Facts{Width: t.Width, Height: t.Height, Sound: info.HasAudio, Frames: t.Len()}
	first, err := t.Sample(0)
	if err != nil {
		return Facts{}, false, false
	}
	total, step := t.Duration, uint64(first.Duration)
	if last, err := t.Sample(t.Len() - 1); err == nil && total == 0 {
		total = last.Time + uint64(last.Duration)
	}
	// The last frame is often written a little longer or shorter.
	if off := int64(total) - int64(step)*int64(t.Len()); step > 0 && max(off, -off) <= int64(step) {
		k := gcd(int(t.Timescale), int(step))
		f.FPS, f.Den = int(t.Timescale)/k, int(step)/k
		if f.FPS <= maxRate*f.Den && f.FPS >= f.Den && f.Den <= 1_000_000 {
			return f, true, true
		}
	}
	seconds := float64(total) / float64(t.Timescale)
	if !(seconds > 0) {
		return Facts{}, false, false
	}
	f.setRate(float64(t.Len()) / seconds)
	f.setSeconds(seconds)
	return f, false, true
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, 1)
}

// setRate takes a measured rate for the nearest one in use.
func (f *Facts) setRate(rate float64) {
	rate = min(max(rate, 1), maxRate)
	if !(rate >= 1) {
		rate = 24
	}
	for _, k := range []int{24, 30, 60} {
		if math.Abs(rate-float64(k)*1000/1001) < 0.008 {
			f.FPS, f.Den = k*1000, 1001
			return
		}
	}
	if whole := math.Round(rate); math.Abs(rate-whole) < 0.05 {
		f.FPS, f.Den = int(whole), 1
		return
	}
	f.FPS, f.Den = int(math.Round(rate*100)), 100
}

func (f *Facts) setSeconds(seconds float64) {
	f.Frames = max(1, int(math.Round(min(seconds, 1e6)*f.Rate())))
}

// demuxers are ffmpeg's names for the containers that are read. Naming one
// keeps ffmpeg from guessing: a playlist that passes for a clip could make it
// open other files and addresses.
var demuxers = map[string]string{
	"video/mp4": "mov", "video/quicktime": "mov", "audio/mp4": "mov", "video/webm": "matroska", "video/x-matroska": "matroska",
	"audio/wav": "wav", "audio/flac": "flac", "audio/mpeg": "mp3",
}

// input returns ffmpeg's options to read a file.
func input(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("film: %w", err)
	}
	defer f.Close()
	head := make([]byte, filetype.HeadSize)
	n, err := io.ReadFull(f, head)
	if err != nil && n == 0 {
		return nil, errors.New("film: the file is empty")
	}
	name := demuxers[filetype.Detect(head[:n])]
	if name == "" {
		return nil, errors.New("film: this is no clip or recording of a kind that can be read")
	}
	return []string{"-protocol_whitelist", "file", "-threads", "2", "-max_pixels", strconv.Itoa(maxPixels), "-f", name, "-i", "file:" + path}, nil
}

var (
	saysLength = regexp.MustCompile(`Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)`)
	saysRate   = regexp.MustCompile(`(?m)Stream #0:\d+.*: Video: .*?([\d.]+) fps`)
	saysVideo  = regexp.MustCompile(`(?m)Stream #0:\d+.*: Video: `)
	saysSound  = regexp.MustCompile(`(?m)Stream #0:\d+.*: Audio: `)
	saysTime   = regexp.MustCompile(`time=(\d+):(\d\d):(\d\d(?:\.\d+)?)`)
)

// probeFFmpeg runs ffmpeg to describe a file whose index is not read here. A streamed
// recording does not state its length; ffmpeg then reads it through once, up to
// the length limit of clips.
func probeFFmpeg(ctx context.Context, from []string) (Facts, error) {
	cmd := command(ctx, append([]string{"-v", "info"}, from...)...)
	_ = cmd.Run() // without an output it always fails
	if err := ctx.Err(); err != nil {
		return Facts{}, err
	}
	text := cmd.Stderr.(*excerpt).bytes()
	if !saysVideo.Match(text) {
		return Facts{}, errors.New("film: there are no pictures in this file")
	}
	f := Facts{Sound: saysSound.Match(text)}
	rate := 24.0
	if m := saysRate.FindSubmatch(text); m != nil {
		rate, _ = strconv.ParseFloat(string(m[1]), 64)
	}
	f.setRate(rate)
	m := saysLength.FindSubmatch(text)
	played := m == nil
	if played {
		cmd := command(ctx, append(append([]string{"-v", "error", "-stats"}, from...), "-map", "0:v:0", "-t", strconv.Itoa(maxLength+1), "-f", "null", "-")...)
		if err := cmd.Run(); err != nil {
			return Facts{}, failure(cmd, err)
		}
		if all := saysTime.FindAllSubmatch(cmd.Stderr.(*excerpt).bytes(), -1); len(all) > 0 {
			m = all[len(all)-1]
		}
	}
	if m == nil {
		return Facts{}, errors.New("film: the clip does not say how long it is")
	}
	hours, _ := strconv.ParseFloat(string(m[1]), 64)
	minutes, _ := strconv.ParseFloat(string(m[2]), 64)
	seconds, _ := strconv.ParseFloat(string(m[3]), 64)
	seconds += hours*3600 + minutes*60
	if played && seconds >= maxLength {
		return Facts{}, fmt.Errorf("film: the clip does not say how long it is, and lasts more than %d seconds", maxLength)
	}
	f.setSeconds(seconds)
	return f, nil
}
