package remote_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worker/remote"
)

// clipFile writes a clip of one colour, with a tone of a level.
func clipFile(t *testing.T, w, h, frames int, c color.RGBA, level int16) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "reel.mp4")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := 0; i < len(img.Pix); i += 4 {
		copy(img.Pix[i:], []byte{c.R, c.G, c.B, 255})
	}
	sound := &film.Sound{Rate: 48000, Channels: 1, Samples: make([]int16, 48000*frames/24)}
	for i := range sound.Samples {
		sound.Samples[i] = int16(float64(level) * math.Sin(float64(i)/20))
	}
	if _, err := film.Write(t.Context(), f, film.Options{Width: w, Height: h, FPS: 24, Frames: frames, Sound: sound}, func(int) (image.Image, error) { return img, nil }, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

// colours are the letters of the strongest colours of a clip's frames.
func colours(t *testing.T, path string) string {
	t.Helper()
	var b strings.Builder
	for img, err := range film.Frames(t.Context(), path, film.Auto) {
		if err != nil {
			t.Fatal(err)
		}
		p := img.Pix[img.PixOffset(img.Rect.Dx()/2, img.Rect.Dy()/2):]
		b.WriteByte("rgb"[map[bool]int{p[0] > p[1] && p[0] > p[2]: 0, p[1] > p[0] && p[1] > p[2]: 1, p[2] > p[0] && p[2] > p[1]: 2}[true]])
	}
	return b.String()
}

// loud is how loud a part of a clip is.
func loud(t *testing.T, path string, from, to float64) (most int16) {
	t.Helper()
	s, err := film.ReadSound(t.Context(), path, film.Auto, 60)
	if err != nil || s == nil {
		t.Fatalf("there is no sound: %v", err)
	}
	for _, v := range s.Samples[int(from*float64(s.Rate))*s.Channels : min(int(to*float64(s.Rate))*s.Channels, len(s.Samples))] {
		most = max(most, v)
	}
	return most
}

var (
	red   = color.RGBA{200, 20, 20, 255}
	green = color.RGBA{20, 200, 20, 255}
)

// A clip is extended, or a part of it replaced, with a clip that the vendor makes
// from the frames next to it.
func TestAClipIsJoined(t *testing.T) {
	t.Parallel()
	if !film.Available() {
		t.Skip("left out: no ffmpeg")
	}
	source := clipFile(t, 64, 48, 48, red, 3000)
	for name, c := range map[string]struct {
		tool         string
		args         map[string]any
		length       float64 // requested from the vendor
		want         string  // colours, by runs
		first, last  bool    // the frames that lead the vendor
		inside, tail bool    // whether the new part, and the end, are as loud as the new clip
	}{
		"extend": {"extend_video", map[string]any{"duration": 1.0, "prompt": "it continues"}, 1, strings.Repeat("r", 48) + strings.Repeat("g", 24), true, false, true, true},
		"replace": {"replace_video_segment", map[string]any{"startSeconds": 0.5, "endSeconds": 1.5, "prompt": "something else"}, 4,
			strings.Repeat("r", 12) + strings.Repeat("g", 24) + strings.Repeat("r", 12), true, true, true, false},
		"replace the beginning": {"replace_video_segment", map[string]any{"startSeconds": 0.0, "endSeconds": 1.0, "keepOriginalAudio": true}, 4,
			strings.Repeat("g", 24) + strings.Repeat("r", 24), true, true, false, false},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newFakeQueue(t)
			s.clip = read(t, clipFile(t, 48, 48, 60, green, 20000)) // another size and length than requested
			k, _ := task(t, c.tool, seedance, c.args, clip, "videoIndex", source)
			out, err := open(t, s.URL, seedance, adapter(t, "generic")).Render(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			if got := colours(t, out[0].Path); got != c.want {
				t.Errorf("the frames are\n %s, want\n %s", got, c.want)
			}
			if o := out[0]; o.Width != 64 || o.Height != 48 || math.Abs(o.DurationSeconds-float64(len(c.want))/24) > 0.1 || o.Metadata["joined"] == nil {
				t.Errorf("the output: %+v", o)
			}
			body := s.submits[0].body
			if body["duration"] != c.length || (body["first_frame"] != nil) != c.first || (body["last_frame"] != nil) != c.last || body["video"] != nil {
				t.Errorf("the submit: %.300v", body)
			}
			frame, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(body["first_frame"].(string), "data:image/png;base64,"))
			if err != nil {
				t.Fatal(err)
			}
			if img, err := png.Decode(bytes.NewReader(frame)); err != nil || img.Bounds().Dx() != 64 {
				t.Errorf("the first frame: %v", err)
			}
			whole := out[0].DurationSeconds
			middle := [2]float64{2.2, 2.9}
			switch c.tool {
			case "replace_video_segment":
				middle = [2]float64{0.6, 0.9}
			}
			if got := loud(t, out[0].Path, middle[0], middle[1]) > 10000; got != c.inside {
				t.Errorf("the new part is loud: %v, want %v", got, c.inside)
			}
			if got := loud(t, out[0].Path, whole-0.3, whole-0.1) > 10000; c.tool != "extend_video" && got != c.tail {
				t.Errorf("the end is loud: %v, want %v", got, c.tail)
			}
		})
	}
	s := newFakeQueue(t)
	k, _ := task(t, "replace_video_segment", seedance, map[string]any{"startSeconds": 5.0, "endSeconds": 6.0}, clip, "videoIndex", source)
	if _, err := open(t, s.URL, seedance, adapter(t, "generic")).Render(t.Context(), k); verdict(err) != "error" || len(s.submits) > 0 {
		t.Errorf("behind the end: %v", err)
	}
}

// The last frame is the vendor's, or else that of the clip.
func TestTheLastFrame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		if !film.Available() {
			t.Skip("left out: no ffmpeg")
		}
		for name, a := range map[string]*remote.Adapter{
			"of the clip":   notIdempotent(t),
			"of the vendor": adapter(t, "generic", "last_frame: output.last_frame_url", "last_frame: still"),
		} {
			s := newFakeQueue(t)
			s.tasks["x"] = "running"
			s.clip = read(t, clipFile(t, 64, 48, 24, green, 100))
			var still bytes.Buffer
			if err := jpeg.Encode(&still, image.NewGray(image.Rect(0, 0, 40, 30)), nil); err != nil {
				t.Fatal(err)
			}
			picture := "data:image/jpeg;base64," + b64(still.Bytes())
			s.result = func(string) string { return s.URL + `/files/1"},"still":"` + picture + `","z":{"a":"` }
			k, _ := task(t, "generate_video", "seedance-2-5", map[string]any{"prompt": "x", "returnLastFrame": true}, []string{"video/mp4", "image/png"})
			out, err := open(t, s.URL, "seedance-2-5", a).Render(t.Context(), k)
			if err != nil || len(out) != 2 || out[1].Metadata["lastFrameOf"] != "a0" || (out[1].Width == 64) != (name == "of the clip") {
				t.Errorf("%s: got %+v, %v", name, out, err)
			}
		}
	})
}
