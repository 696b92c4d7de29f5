package film_test

import (
	"bytes"
	"errors"
	"image"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// ffmpeg makes a file with options of ours, or skips the test.
func ffmpeg(t *testing.T, name string, args ...string) string {
	t.Helper()
	if !film.Available() {
		t.Skip("ffmpeg is not on the PATH")
	}
	path := filepath.Join(t.TempDir(), name)
	if text, err := exec.Command("ffmpeg", append(append([]string{"-v", "error"}, args...), path)...).CombinedOutput(); err != nil {
		t.Skipf("this ffmpeg cannot make %s: %v: %s", name, err, text)
	}
	return path
}

func count(t *testing.T, r *film.Reader) int {
	t.Helper()
	for n := 0; ; n++ {
		s, err := r.Next()
		if err == io.EOF {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		if b := s.Bounds(); b.Dx() != r.Width || b.Dy() != r.Height {
			t.Fatalf("a frame is %v, and the facts say %dx%d", b, r.Width, r.Height)
		}
	}
}

// What was written is what the facts say, with a broken rate too.
func TestFactsOfOurOwn(t *testing.T) {
	t.Parallel()
	for _, engine := range engines(t) {
		for _, rate := range [][2]int{{24, 1}, {30000, 1001}, {25, 2}} {
			o := film.Options{Width: 96, Height: 64, FPS: rate[0], Den: rate[1], Frames: 14, Format: "mp4", Engine: engine, Sound: tone(48000, 1)}
			info, path := write(t, o)
			r, err := film.Open(t.Context(), path, engine)
			if err != nil {
				t.Fatal(err)
			}
			want := film.Facts{Width: 96, Height: 64, FPS: rate[0], Den: rate[1], Frames: 14, Sound: true}
			if r.Facts != want {
				t.Errorf("%s: facts %+v, want %+v", engine, r.Facts, want)
			}
			if n := count(t, r); n != 14 {
				t.Errorf("%s at %v: %d frames, want 14", engine, rate, n)
			}
			r.Close()
			if d := info.Duration.Seconds() - r.Seconds(); math.Abs(d) > 1e-6 {
				t.Errorf("%s: it lasts %v s, and the facts say %v", engine, info.Duration.Seconds(), r.Seconds())
			}
		}
	}
}

// Samples that are read and written again are the same pictures.
func TestSamplesPassThrough(t *testing.T) {
	t.Parallel()
	for _, engine := range engines(t) {
		o := film.Options{Width: 178, Height: 98, FPS: 10, Frames: 5, Format: "mp4", Engine: engine}
		_, path := write(t, o)
		r, err := film.Open(t.Context(), path, engine)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var kept *film.Samples
		var out bytes.Buffer
		if _, err := film.Write(t.Context(), &out, o, func(int) (image.Image, error) {
			s, err := r.Next()
			if err == nil {
				kept = s.Copy(kept)
			}
			return kept, err
		}, nil); err != nil {
			t.Fatal(err)
		}
		again := filepath.Join(t.TempDir(), "again.mp4")
		if err := os.WriteFile(again, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		for img, err := range film.Frames(t.Context(), again, engine) {
			if err != nil {
				t.Fatal(err)
			}
			checkCard(t, img, 178, 98)
		}
	}
}

// Clips from elsewhere: other containers and codecs, a length that nobody
// wrote down, frames of different lengths, a picture on its side, odd sizes.
func TestReadingClipsFromElsewhere(t *testing.T) {
	t.Parallel()
	source := []string{"-f", "lavfi", "-i", "testsrc=size=98x64:rate=10:duration=1.2"}
	for _, tc := range []struct {
		name string
		args []string
		want film.Facts
	}{
		{"high.mp4", append(source, "-c:v", "libx264", "-bf", "2"), film.Facts{Width: 98, Height: 64, FPS: 10, Den: 1, Frames: 12}},
		{"clip.webm", append(source, "-c:v", "libvpx", "-deadline", "realtime"), film.Facts{Width: 98, Height: 64, FPS: 10, Den: 1, Frames: 12}},
		{"live.webm", append(source, "-c:v", "libvpx", "-deadline", "realtime", "-live", "1"), film.Facts{Width: 98, Height: 64, FPS: 10, Den: 1, Frames: 12}},
		{"uneven.mp4", append(source, "-vf", "select='not(eq(n,3)+eq(n,4))'", "-fps_mode", "vfr"), film.Facts{Width: 98, Height: 64, FPS: 833, Den: 100, Frames: 10}},
		{"odd.mkv", append(source, "-vf", "crop=97:63", "-c:v", "ffv1"), film.Facts{Width: 97, Height: 63, FPS: 10, Den: 1, Frames: 12}},
		{"fragmented.mp4", append(source, "-movflags", "frag_keyframe+empty_moov"), film.Facts{Width: 98, Height: 64, FPS: 10, Den: 1, Frames: 12}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := ffmpeg(t, tc.name, tc.args...)
			r, err := film.Open(t.Context(), path, film.FFmpeg)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if r.Facts != tc.want {
				t.Errorf("facts %+v, want %+v", r.Facts, tc.want)
			}
			if n := count(t, r); n < tc.want.Frames-1 || n > tc.want.Frames+1 {
				t.Errorf("%d frames, want about %d", n, tc.want.Frames)
			}
			if _, err := film.Open(t.Context(), path, film.BuiltIn); err == nil {
				t.Error("our own engine read it")
			}
		})
	}
	t.Run("turned", func(t *testing.T) {
		t.Parallel()
		upright := ffmpeg(t, "upright.mp4", source...)
		r, err := film.Open(t.Context(), ffmpeg(t, "turned.mp4", "-i", upright, "-c", "copy", "-metadata:s:v", "rotate=90"), film.FFmpeg)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if r.Width*r.Height != 98*64 || r.Width != 64 && r.Width != 98 {
			t.Errorf("it is %dx%d", r.Width, r.Height)
		}
		count(t, r)
	})
}

// A file that is no clip is refused, and one that names other files is not
// followed.
func TestReadingWhatIsNoClip(t *testing.T) {
	t.Parallel()
	_, clip := write(t, film.Options{Width: 64, Height: 64, FPS: 10, Frames: 2, Format: "mp4", Engine: film.BuiltIn})
	data, err := os.ReadFile(clip)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"empty": "", "text": "hello", "playlist.mp4": "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" + clip + "\n#EXT-X-ENDLIST\n",
		"list": "ffconcat version 1.0\nfile " + clip + "\n", "half.mp4": string(data[:len(data)/2]), "head.webm": "\x1a\x45\xdf\xa3\x42\x82\x84webm",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, engine := range engines(t) {
			r, err := film.Open(t.Context(), path, engine)
			for err == nil {
				_, err = r.Next()
			}
			if r != nil {
				r.Close()
			}
			if err == io.EOF && name != "half.mp4" {
				t.Errorf("%s: %s was read as a clip", engine, name)
			}
			if _, err := film.ReadSound(t.Context(), path, engine, 60); err == nil && name != "half.mp4" {
				t.Errorf("%s: %s was heard", engine, name)
			}
		}
	}
	if _, err := film.Open(t.Context(), "/nowhere/clip.mp4", film.Auto); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
