package flac_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/atelier-project/atelier/internal/codec/flac"
	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/worktest"
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
			if err := flac.Write(&b, &pcm.Sound{Rate: 24000, Channels: channels, PCM: want}); err != nil {
				t.Fatal(err)
			}
			got, err := flac.Read(iotest.HalfReader(bytes.NewReader(b.Bytes())), 20000)
			if err != nil || got.Rate != 24000 || got.Channels != channels || !slices.Equal(got.PCM, want) {
				t.Errorf("%d channels, %d frames: %+v, %v", channels, frames, got, err)
			}
			if _, err := flac.Read(bytes.NewReader(b.Bytes()), 9000); frames == 10000 && !errors.Is(err, pcm.ErrTooLong) {
				t.Errorf("it is longer than it may be: %v", err)
			}
			if _, err := flac.Read(bytes.NewReader(b.Bytes()[:b.Len()-1]), 20000); frames > 0 && err == nil {
				t.Error("it was cut off, and read")
			}
			ffmpeg, err := exec.LookPath("ffmpeg")
			if err != nil || frames == 0 {
				continue
			}
			path := filepath.Join(t.TempDir(), "flac.flac")
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
			if got, err := flac.Read(bytes.NewReader(data), 20000); err != nil || !slices.Equal(got.PCM, want) {
				t.Errorf("ffmpeg's file: %+v, %v; want %d samples", got, err, len(want))
			}
		}
	}
}

// constantFLAC returns a file of frames that each hold 65536 samples of one value in
// eight channels, in some forty bytes.
func constantFLAC(rate uint32, frames int) []byte {
	head := []byte("fLaC\x80\x00\x00\x22")
	info := make([]byte, 34)
	binary.BigEndian.PutUint64(info[10:], uint64(rate)<<44|7<<41|15<<36)
	frame := []byte{0xff, 0xf8, 0x70, 0x70, 0, 0xff, 0xff, 0}
	for range 8 {
		frame = append(frame, 0, 0x12, 0x34)
	}
	frame = flac.WithCheckSum(append(frame, 0, 0))
	return slices.Concat(head, info, bytes.Repeat(frame, frames))
}

// What a file of FLAC unfolds to is cut where the caller says, whatever the
// number of channels and of bytes is.
func TestReadClipIsCut(t *testing.T) {
	t.Parallel()
	file := constantFLAC(48000, 1000) // 34 kB, and a gigabyte of samples
	r, err := flac.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.ReadAll(t.Context(), 100_000)
	if !errors.Is(err, pcm.ErrTooLong) || c.Frames() != 100_000 || c.PCM[799_999] != 0x1234 {
		t.Errorf("%v", err)
	}
	if _, err := flac.Read(bytes.NewReader(file), 100_000); !errors.Is(err, pcm.ErrTooLong) {
		t.Errorf("read whole: %v", err)
	}
	ctx := worktest.EndAfter(t.Context(), 3)
	if r, err = flac.NewReader(bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadAll(ctx, 1<<30); !errors.Is(err, context.Canceled) || ctx.Over() > 1 {
		t.Errorf("with a context that ends: %v", err)
	}
}

func FuzzReadFLAC(f *testing.F) {
	var b bytes.Buffer
	if err := flac.Write(&b, &pcm.Sound{Rate: 8000, Channels: 2, PCM: hum(2, 300)}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(constantFLAC(48000, 100))
	f.Fuzz(func(t *testing.T, data []byte) {
		// A frame of 65536 samples has a plane for each of eight channels.
		worktest.Limit(t, len(data), worktest.Bound{Base: 16 << 20, PerByte: 600}, func() {
			if got, err := flac.Read(bytes.NewReader(data), 1<<16); err == nil && (len(got.PCM)%got.Channels != 0 || got.Frames() > 1<<16) {
				t.Errorf("%d samples in %d channels", len(got.PCM), got.Channels)
			}
		})
	})
}
