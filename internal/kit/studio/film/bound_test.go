package film_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/codec/mp4/mp4test"
	"github.com/atelier-project/atelier/internal/kit/codec/h264"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worktest"
)

// pcm returns a track of silence in stereo: n samples of one size in chunks of each.
func pcm(n, each int) mp4test.Track {
	t := mp4test.Track{
		Kind: "soun", Codec: mp4.PCM, Timescale: 48000, Duration: uint32(n), Rate: 48000, Channels: 2,
		Size: 4, Count: uint32(n), Times: []uint32{uint32(n), 1}, PerChunk: []uint32{1, uint32(each)},
	}
	for at := 0; at < n; at += each {
		t.Chunks = append(t.Chunks, uint32(4*at))
	}
	return t
}

// hostile writes a short clip with another track for its sound.
func hostile(t *testing.T, sound mp4test.Track, data []byte) string {
	t.Helper()
	_, path := write(t, film.Options{Width: 64, Height: 64, FPS: 24, Frames: 4, Format: "mov", Engine: film.BuiltIn})
	clip, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return keep(t, mp4test.WithSound(t, clip, sound, data))
}

func keep(t *testing.T, file []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clip.mov")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Sound whose index lists each of its samples in one chunk is read as quickly
// as any other: a lookup that adds up all sizes before it would take hours.
func TestListenToOneChunk(t *testing.T) {
	t.Parallel()
	const n = 1_000_000
	track := pcm(n, n)
	track.Size, track.Sizes = 0, make([]uint32, n)
	for i := range track.Sizes {
		track.Sizes[i] = 4
	}
	data := bytes.Repeat([]byte{1, 0, 2, 0}, n)
	got, err := film.ReadSound(t.Context(), hostile(t, track, data), film.BuiltIn, 60)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Samples) != 2*n || got.Samples[2*n-2] != 1 || got.Samples[2*n-1] != 2 {
		t.Errorf("%d samples", len(got.Samples))
	}
	if got, err = film.ReadSound(t.Context(), hostile(t, track, data), film.BuiltIn, 10); err != nil || len(got.Samples) != 10*48000*2 {
		t.Errorf("ten seconds are %d samples, %v", len(got.Samples), err)
	}
}

// Chunks that share their bytes unfold to any length, so no engine reads them.
func TestSharedBytesAreRefused(t *testing.T) {
	t.Parallel()
	track := pcm(1000, 1000)
	track.Count, track.Chunks = 1000*20_000, make([]uint32, 20_000)
	path := hostile(t, track, make([]byte, 4000))
	for _, engine := range []film.Engine{film.BuiltIn, film.FFmpeg} {
		if _, err := film.Open(t.Context(), path, engine); !errors.Is(err, mp4.ErrOverlap) {
			t.Errorf("opened with %s: %v", engine, err)
		}
		if _, err := film.ReadSound(t.Context(), path, engine, 60); !errors.Is(err, mp4.ErrOverlap) {
			t.Errorf("listened with %s: %v", engine, err)
		}
	}
}

// The loop over the samples ends with its context.
func TestListenLooksAtItsContext(t *testing.T) {
	t.Parallel()
	path := hostile(t, pcm(1000, 10), make([]byte, 4000))
	ctx := worktest.EndAfter(t.Context(), 5)
	if _, err := film.ReadSound(ctx, path, film.BuiltIn, 60); !errors.Is(err, context.Canceled) || ctx.Over() > 1 {
		t.Errorf("%v after %d looks more", err, ctx.Over())
	}
}

// A rate that no recording has would make a second last for ever.
func TestListenRefusesAbsurdRates(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{0, 1, 999} {
		track := pcm(1000, 1000)
		track.Rate = rate
		if _, err := film.ReadSound(t.Context(), hostile(t, track, make([]byte, 4000)), film.BuiltIn, 60); err == nil {
			t.Errorf("sound of %d Hz was read", rate)
		}
	}
}

// What a clip unfolds to is bounded by its file: some bytes a frame are enough
// for hours of work otherwise. It is still told what the clip is.
func TestFramesAreBoundedByTheFile(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		width, height, frames int
		timescale             uint32
		refusal               string
	}{
		"an hour":       {64, 64, 3600, 1, "lasts 3600 seconds"},
		"large frames":  {4096, 2304, 14400, 24, "unfold to"},
		"a little clip": {64, 64, 24, 24, "frame 0"}, // read, and found to be no H.264
	} {
		e, err := h264.NewEncoder(h264.Options{Width: tt.width, Height: tt.height, Rate: h264.Rate{Num: 24, Den: 1}, Frames: 1})
		if err != nil {
			t.Fatal(err)
		}
		config := []byte{1, 66, 0xc0, 40, 0xff, 0xe1, 0, byte(len(e.SPS()))}
		config = append(append(config, e.SPS()...), 1, 0, byte(len(e.PPS())))
		config = append(config, e.PPS()...)
		box := append([]byte{0, 0, 0, byte(len(config) + 8)}, "avcC"...)
		track := mp4test.Track{
			Kind: "vide", Codec: "avc1", Timescale: tt.timescale, Duration: uint32(tt.frames), Width: tt.width, Height: tt.height,
			Config: append(box, config...), Size: 10, Count: uint32(tt.frames), Times: []uint32{uint32(tt.frames), 1},
			PerChunk: []uint32{1, uint32(tt.frames)}, Chunks: []uint32{0},
		}
		path := keep(t, mp4test.MOV(make([]byte, 10*tt.frames), track))
		r, err := film.Open(t.Context(), path, film.BuiltIn)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer r.Close()
		if r.Frames != tt.frames || r.Width != tt.width {
			t.Errorf("%s: %+v", name, r.Facts)
		}
		if _, err := r.Next(); err == nil || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), tt.refusal) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// ffmpeg is told which file to read, by which demuxer and how much of it, so
// that nothing in the file decides that. It is not run in parallel with others,
// because the ffmpeg on its PATH only writes down what it is asked.
func TestFFmpegIsBounded(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	path := hostile(t, pcm(1000, 1000), make([]byte, 4000))
	dir := t.TempDir()
	said := filepath.Join(dir, "said")
	script := "#!/bin/sh\necho \"$@\" >>" + said + "\necho YUV4MPEG2 W64 H64 F24:1\n"
	if err := os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	r, err := film.Open(t.Context(), path, film.FFmpeg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("the first frame: %v", err)
	}
	r.Close()
	if _, err := film.ReadSound(t.Context(), path, film.FFmpeg, 7); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	runs := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(runs) != 2 {
		t.Fatalf("ffmpeg ran %d times: %s", len(runs), text)
	}
	for i, bound := range []string{"-frames:v 29 ", "-t 7 "} {
		for _, want := range []string{"-nostdin ", "-protocol_whitelist file -threads 2 -max_pixels 33177600 -f mov -i file:" + path + " ", bound} {
			if !strings.Contains(runs[i], want) {
				t.Errorf("ffmpeg was not told %q: %s", want, runs[i])
			}
		}
	}
}

// FuzzClip opens any file as a clip, reads its first frames and listens to it.
func FuzzClip(f *testing.F) {
	var clip bytes.Buffer
	o := film.Options{Width: 32, Height: 32, FPS: 24, Frames: 2, Format: "mov", Engine: film.BuiltIn}
	if _, err := film.Write(f.Context(), &clip, o, card(32, 32), nil); err != nil {
		f.Fatal(err)
	}
	one := pcm(1000, 1000)
	one.Size, one.Sizes = 0, make([]uint32, 1000)
	for i := range one.Sizes {
		one.Sizes[i] = 4
	}
	shared := pcm(100, 100)
	shared.Count, shared.Chunks = 100*2000, make([]uint32, 2000)
	f.Add(mp4test.WithSound(f, clip.Bytes(), one, make([]byte, 4000)))
	f.Add(mp4test.WithSound(f, clip.Bytes(), shared, make([]byte, 400)))
	o.Format, o.Sound = "mp4", tone(48000, 1)
	clip.Reset()
	if _, err := film.Write(f.Context(), &clip, o, card(32, 32), nil); err != nil {
		f.Fatal(err)
	}
	f.Add(clip.Bytes())
	path := filepath.Join(f.TempDir(), "clip")
	f.Fuzz(func(t *testing.T, file []byte) {
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		// A decoder has the planes of its frames, whatever the file is; sound
		// of one value takes some bytes for 65536 samples in two channels.
		worktest.Limit(t, len(file), worktest.Bound{Base: 200 << 20, PerByte: 64 << 10}, func() {
			ctx := worktest.EndAfter(t.Context(), 1000)
			if heard, err := film.ReadSound(ctx, path, film.BuiltIn, 10); err == nil && heard != nil && len(heard.Samples) > 10*heard.Rate*heard.Channels {
				t.Errorf("%d samples", len(heard.Samples))
			}
			r, err := film.Open(ctx, path, film.BuiltIn)
			if err != nil {
				return
			}
			defer r.Close()
			for range 3 {
				if _, err := r.Next(); err != nil {
					return
				}
			}
		})
	})
}
