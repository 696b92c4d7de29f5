package remote_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"image/png"
	"math"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/atelier-project/atelier/internal/kit"
	"github.com/atelier-project/atelier/internal/worker/remote"
)

// Clips of one colour, with 24 frames a second.
const (
	redClip   = "testdata/red.mp4"   // 48 frames of 64 by 48 pixels
	greenClip = "testdata/green.mp4" // 60 frames of 48 by 48
)

// anyClips is the editor of the tests: it reads all clips that there are in them, also where there
// is no ffmpeg.
type anyClips struct{ kit.Renderer }

func (anyClips) ReadsAnyClip() bool { return true }

// colours are the letters of the strongest colours of a clip's frames.
func colours(t *testing.T, path string) string {
	t.Helper()
	facts, err := anyClips{}.ClipFacts(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range facts.Frames {
		img, _, err := anyClips{}.EdgeFrames(t.Context(), path, n+1, -1)
		if err != nil {
			t.Fatal(err)
		}
		red, green, blue, _ := img.At(img.Bounds().Dx()/2, img.Bounds().Dy()/2).RGBA()
		b.WriteByte("rgb"[map[bool]int{red > green && red > blue: 0, green > red && green > blue: 1, blue > red && blue > green: 2}[true]])
	}
	return b.String()
}

// A clip is extended, or a part of it replaced, with a clip that the vendor makes
// from the frames next to it.
func TestAClipIsJoined(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool        string
		args        map[string]any
		length      float64 // requested from the vendor
		want        string  // colours, by runs
		first, last bool    // the frames that lead the vendor
	}{
		"extend": {"extend_video", map[string]any{"duration": 1.0, "prompt": "the camera moves"}, 1, strings.Repeat("r", 48) + strings.Repeat("g", 24), true, false},
		"replace": {"replace_video_segment", map[string]any{"startSeconds": 0.5, "endSeconds": 1.5, "prompt": "something else"}, 4,
			strings.Repeat("r", 12) + strings.Repeat("g", 24) + strings.Repeat("r", 12), true, true},
		"replace the beginning": {"replace_video_segment", map[string]any{"startSeconds": 0.0, "endSeconds": 1.0, "keepOriginalAudio": true}, 4,
			strings.Repeat("g", 24) + strings.Repeat("r", 24), true, true},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newFakeQueue(t)
			s.clip = read(t, greenClip) // another size and length than requested
			k, _ := task(t, c.tool, seedance, c.args, clip, "videoIndex", redClip)
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
		})
	}
	s := newFakeQueue(t)
	k, _ := task(t, "replace_video_segment", seedance, map[string]any{"startSeconds": 5.0, "endSeconds": 6.0}, clip, "videoIndex", redClip)
	if _, err := open(t, s.URL, seedance, adapter(t, "generic")).Render(t.Context(), k); verdict(err) != "error" || len(s.submits) > 0 {
		t.Errorf("behind the end: %v", err)
	}
}

// The last frame is the vendor's, or else that of the clip.
func TestTheLastFrame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, a := range map[string]*remote.Adapter{
			"of the clip":   notIdempotent(t),
			"of the vendor": adapter(t, "generic", "last_frame: output.last_frame_url", "last_frame: still"),
		} {
			s := newFakeQueue(t)
			s.tasks["x"] = "running"
			s.clip = read(t, redClip)
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
