package film_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// engines returns those that this machine has.
func engines(t *testing.T) []film.Engine {
	if film.Available() {
		return []film.Engine{film.BuiltIn, film.FFmpeg}
	}
	t.Log("ffmpeg is not on the PATH: only our own engine is tested")
	return []film.Engine{film.BuiltIn}
}

func write(t *testing.T, o film.Options) (film.Info, string) {
	t.Helper()
	var out bytes.Buffer
	last := -1.0
	info, err := film.Write(t.Context(), &out, o, card(o.Width, o.Height), func(p float64) {
		if p < last || p > 1 {
			t.Errorf("progress went from %v to %v", last, p)
		}
		last = p
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != 1 {
		t.Errorf("progress ended at %v", last)
	}
	if info.Bytes != int64(out.Len()) {
		t.Errorf("Bytes = %d, wrote %d", info.Bytes, out.Len())
	}
	path := filepath.Join(t.TempDir(), "clip."+o.Format)
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return info, path
}

//atelier:concurrent
func TestWriteAndReadBack(t *testing.T) {
	t.Parallel()
	for _, engine := range engines(t) {
		for _, format := range []string{"mp4", "mov"} {
			t.Run(string(engine)+"/"+format, func(t *testing.T) {
				t.Parallel()
				o := film.Options{Width: 178, Height: 98, FPS: 24, Frames: 30, Format: format, Engine: engine, Sound: tone(48000, 2), Tool: "atelier cpu", Comment: "a test card"}
				info, path := write(t, o)
				again, other := write(t, o)
				a, _ := os.ReadFile(path)
				b, _ := os.ReadFile(other)
				if !bytes.Equal(a, b) || info != again {
					t.Error("the same clip twice is not the same bytes")
				}
				for _, reader := range engines(t) {
					if engine == film.FFmpeg && reader == film.BuiltIn {
						continue // High profile is for ffmpeg
					}
					n := 0
					for img, err := range film.Frames(t.Context(), path, reader) {
						if err != nil {
							t.Fatal(err)
						}
						checkCard(t, img, o.Width, o.Height)
						n++
					}
					if n != o.Frames {
						t.Errorf("%s read %d frames, want %d", reader, n, o.Frames)
					}
				}
				probe(t, path, o, info)
			})
		}
	}
}

func checkCard(t *testing.T, img *image.RGBA, w, h int) {
	t.Helper()
	for k, want := range quarters {
		x, y := w/8+k%2*w/2, h/8+k/2*h/2
		got := img.RGBAAt(x, y)
		if far(got.R, want.R) || far(got.G, want.G) || far(got.B, want.B) {
			t.Fatalf("colour at %d,%d is %v, want %v", x, y, got, want)
		}
	}
}

func far(a, b uint8) bool { return int(a)-int(b) > 5 || int(b)-int(a) > 5 }

// probe asks ffprobe.
func probe(t *testing.T, path string, o film.Options, info film.Info) {
	t.Helper()
	ffprobe, err := exec.LookPath("ffprobe")
	if err != nil {
		t.Log("ffprobe is not on the PATH: the file is not checked by it")
		return
	}
	text, err := exec.Command(ffprobe, "-v", "warning", "-count_frames", "-show_streams", "-show_format", "-of", "json", path).CombinedOutput()
	if err != nil {
		t.Fatalf("ffprobe: %v\n%s", err, text)
	}
	var got struct {
		Streams []struct {
			Codec     string `json:"codec_name"`
			Width     int    `json:"width"`
			Height    int    `json:"height"`
			Rate      string `json:"r_frame_rate"`
			Frames    string `json:"nb_read_frames"`
			Space     string `json:"color_space"`
			Range     string `json:"color_range"`
			Transfer  string `json:"color_transfer"`
			Primaries string `json:"color_primaries"`
			Duration  string `json:"duration"`
		} `json:"streams"`
		Format struct {
			Duration string            `json:"duration"`
			Tags     map[string]string `json:"tags"`
		} `json:"format"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("ffprobe warned: %s", text)
	}
	v := got.Streams[0]
	if v.Codec != "h264" || v.Width != o.Width || v.Height != o.Height || v.Rate != fmt.Sprintf("%d/1", o.FPS) || v.Frames != fmt.Sprint(o.Frames) {
		t.Errorf("video: %+v", v)
	}
	if v.Space != "bt709" || v.Range != "tv" || v.Transfer != "bt709" || v.Primaries != "bt709" {
		t.Errorf("colour: %+v", v)
	}
	if want := fmt.Sprintf("%.6f", info.Duration.Seconds()); v.Duration != want {
		t.Errorf("duration %s, want %s", v.Duration, want)
	}
	if o.Sound != nil {
		if len(got.Streams) != 2 {
			t.Fatalf("%d streams", len(got.Streams))
		}
		want := map[string]string{"fLaC": "flac", "sowt": "pcm_s16le", "mp4a.40.2": "aac"}[info.Audio]
		if got.Streams[1].Codec != want {
			t.Errorf("sound is %s, want %s", got.Streams[1].Codec, want)
		}
	}
	found := false
	for _, value := range got.Format.Tags {
		found = found || value == o.Tool
	}
	if o.Tool != "" && !found {
		t.Errorf("tags %v do not name %q", got.Format.Tags, o.Tool)
	}
}

// Nothing stays behind when the caller gives up, whichever way.
//
//atelier:concurrent
func TestCancelCleansUp(t *testing.T) {
	t.Parallel()
	for _, engine := range engines(t) {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			draw := card(320, 180)
			o := film.Options{Width: 320, Height: 180, FPS: 24, Frames: 1000, Engine: engine, TempDir: dir}
			ctx, stop := context.WithCancel(t.Context())
			_, err := film.Write(ctx, &bytes.Buffer{}, o, func(i int) (image.Image, error) {
				if i == 5 {
					stop()
				}
				return draw(i)
			}, nil)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("err = %v, want %v", err, context.Canceled)
			}
			broken := errors.New("the renderer is broken")
			_, err = film.Write(t.Context(), &bytes.Buffer{}, o, func(i int) (image.Image, error) {
				if i == 3 {
					return nil, broken
				}
				return draw(i)
			}, nil)
			if !errors.Is(err, broken) {
				t.Errorf("err = %v, want %v", err, broken)
			}
			left, _ := os.ReadDir(dir)
			if len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestMaxBytes(t *testing.T) {
	t.Parallel()
	for _, engine := range engines(t) {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			for _, bound := range []int64{200_000, 60_000} {
				o := film.Options{Width: 320, Height: 180, FPS: 24, Frames: 48, Engine: engine, MaxBytes: bound}
				var out bytes.Buffer
				info, err := film.Write(t.Context(), &out, o, static(320, 180), nil)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("bound %d: %d bytes", bound, info.Bytes)
				if info.Bytes > bound {
					t.Errorf("%d bytes in a bound of %d", info.Bytes, bound)
				}
			}
			info, err := film.Write(t.Context(), &bytes.Buffer{}, film.Options{Width: 320, Height: 180, FPS: 24, Frames: 48, Engine: engine, MaxBytes: 1500}, static(320, 180), nil)
			if !errors.Is(err, film.ErrTooLarge) {
				t.Errorf("%d bytes, err = %v, want %v", info.Bytes, err, film.ErrTooLarge)
			}
		})
	}
}

// static returns television after hours: the hardest thing to fit.
func static(w, h int) func(int) (image.Image, error) {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	return func(i int) (image.Image, error) {
		v := uint32(i)*2654435761 + 1
		for k := range img.Pix {
			v ^= v << 13
			v ^= v >> 17
			v ^= v << 5
			img.Pix[k] = byte(v)
			if k%4 == 3 {
				img.Pix[k] = 255
			}
		}
		return img, nil
	}
}

// The own engine makes the same bytes on one processor as on many.
//
//atelier:concurrent
func TestOwnDoesNotDependOnProcessors(t *testing.T) {
	o := film.Options{Width: 320, Height: 320, FPS: 12, Frames: 12, Engine: film.BuiltIn, Format: "mp4"}
	_, many := write(t, o)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	_, one := write(t, o)
	a, _ := os.ReadFile(many)
	b, _ := os.ReadFile(one)
	if !bytes.Equal(a, b) {
		t.Error("the number of processors changes the clip")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, o := range []film.Options{
		{Width: 321, Height: 180, FPS: 24, Frames: 1},
		{Width: 8, Height: 180, FPS: 24, Frames: 1},
		{Width: 320, Height: 180, FPS: 0, Frames: 1},
		{Width: 320, Height: 180, FPS: 24},
		{Width: 320, Height: 180, FPS: 24, Frames: 1, Format: "avi"},
		{Width: 320, Height: 180, FPS: 24, Frames: 1, Engine: "other"},
		{Width: 320, Height: 180, FPS: 24, Frames: 1, Sound: &film.Sound{Rate: 1, Channels: 9}},
	} {
		if _, err := film.Write(t.Context(), &bytes.Buffer{}, o, card(320, 180), nil); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}
