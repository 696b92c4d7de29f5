package mp4_test

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/studio/mp4"
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
			if err := mp4.WriteFLAC(&b, 24000, channels, want); err != nil {
				t.Fatal(err)
			}
			rate, ch, got, err := mp4.ReadFLAC(b.Bytes(), 20000)
			if err != nil || rate != 24000 || ch != channels || !slices.Equal(got, want) {
				t.Errorf("%d channels, %d frames: %d samples of %d Hz in %d channels, %v", channels, frames, len(got), rate, ch, err)
			}
			if _, _, _, err := mp4.ReadFLAC(b.Bytes(), 9000); frames == 10000 && err == nil {
				t.Error("it is longer than it may be, and was read")
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
			if _, _, got, err := mp4.ReadFLAC(data, 20000); err != nil || !slices.Equal(got, want) {
				t.Errorf("ffmpeg's file: %d samples, %v; want %d", len(got), err, len(want))
			}
		}
	}
}

func FuzzReadFLAC(f *testing.F) {
	var b bytes.Buffer
	if err := mp4.WriteFLAC(&b, 8000, 2, hum(2, 300)); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, ch, got, err := mp4.ReadFLAC(data, 1<<16); err == nil && len(got)%ch != 0 {
			t.Errorf("%d samples in %d channels", len(got), ch)
		}
	})
}
