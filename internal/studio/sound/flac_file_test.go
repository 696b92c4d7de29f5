package sound_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/atelier-project/atelier/internal/studio/sound"
)

func hum(channels, frames int) []int16 {
	out := make([]int16, 0, channels*frames)
	for i := range frames {
		for c := range channels {
			out = append(out, int16(9000*math.Sin(float64(i*(c+3))*0.031)))
		}
	}
	return out
}

// A file of FLAC comes back as it was, and others read it.
func TestFLACFiles(t *testing.T) {
	t.Parallel()
	for _, channels := range []int{1, 2} {
		for _, frames := range []int{0, 1, 4096, 10000} {
			want := hum(channels, frames)
			var b bytes.Buffer
			if err := sound.WriteFLAC(&b, &sound.Clip{Rate: 24000, Channels: channels, PCM: want}); err != nil {
				t.Fatal(err)
			}
			got, err := sound.ReadFLAC(iotest.HalfReader(bytes.NewReader(b.Bytes())), 20000)
			if err != nil || got.Rate != 24000 || got.Channels != channels || !slices.Equal(got.PCM, want) {
				t.Errorf("%d channels, %d frames: %+v, %v", channels, frames, got, err)
			}
			if _, err := sound.ReadFLAC(bytes.NewReader(b.Bytes()), 9000); frames == 10000 && !errors.Is(err, sound.ErrTooLong) {
				t.Errorf("it is longer than it may be: %v", err)
			}
			if _, err := sound.ReadFLAC(bytes.NewReader(b.Bytes()[:b.Len()-1]), 20000); frames > 0 && err == nil {
				t.Error("it was cut off, and read")
			}
			ffmpeg, err := exec.LookPath("ffmpeg")
			if err != nil || frames == 0 {
				continue
			}
			path := filepath.Join(t.TempDir(), "sound.flac")
			if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			if text, err := exec.Command(ffmpeg, "-v", "warning", "-xerror", "-i", path, "-f", "null", "-").CombinedOutput(); err != nil || len(text) > 0 {
				t.Errorf("ffmpeg says %v: %s", err, text)
			}
			theirs := filepath.Join(t.TempDir(), "theirs.flac")
			if text, err := exec.Command(ffmpeg, "-v", "error", "-i", path, theirs).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			data, err := os.ReadFile(theirs)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := sound.ReadFLAC(bytes.NewReader(data), 20000); err != nil || !slices.Equal(got.PCM, want) {
				t.Errorf("ffmpeg's file: %+v, %v; want %d samples", got, err, len(want))
			}
		}
	}
}

func FuzzReadFLAC(f *testing.F) {
	var b bytes.Buffer
	if err := sound.WriteFLAC(&b, &sound.Clip{Rate: 8000, Channels: 2, PCM: hum(2, 300)}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := sound.ReadFLAC(bytes.NewReader(data), 1<<16); err == nil && len(got.PCM)%got.Channels != 0 {
			t.Errorf("%d samples in %d channels", len(got.PCM), got.Channels)
		}
	})
}
