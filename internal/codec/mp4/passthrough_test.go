package mp4_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/mp4"
)

// AAC from ffmpeg, taken out of its file and written into ours, sounds the
// same to the last sample: the skip at the beginning survives too.
func TestAACPassesThrough(t *testing.T) {
	t.Parallel()
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("ffmpeg is not on the PATH")
	}
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from.mp4"), filepath.Join(dir, "to.mp4")
	if text, err := exec.Command(ffmpeg, "-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=1:sample_rate=44100", "-f", "lavfi", "-i", "color=s=64x64:d=1:r=24",
		"-c:a", "aac", "-c:v", "libx264", "-bf", "0", "-pix_fmt", "yuv420p", from).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := probe(f)
	if err != nil {
		t.Fatal(err)
	}
	audio, video := info.Audio(), info.Video()
	sps, pps, err := video.ParameterSets()
	if err != nil {
		t.Fatal(err)
	}
	w, err := mp4.NewWriter(&spool{}, mp4.Options{
		Video: mp4.Video{Width: 64, Height: 64, Num: 24, Den: 1, SPS: sps, PPS: pps},
		Audio: &mp4.Audio{Codec: mp4.AAC, Rate: audio.Rate, Channels: audio.Channels, Config: audio.AudioConfig(), Skip: int(audio.Skip)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range video.Len() {
		s, _ := video.Sample(i)
		data, err := video.Read(f, i, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.AddVideo(data, s.Key); err != nil {
			t.Fatal(err)
		}
	}
	for i := range audio.Len() {
		s, _ := audio.Sample(i)
		data, err := audio.Read(f, i, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.AddAudio(data, int(s.Duration)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteTo(out); err != nil {
		t.Fatal(err)
	}
	out.Close()
	decode := func(path, stream string) []byte {
		raw, err := exec.Command(ffmpeg, "-v", "error", "-i", path, "-map", stream, "-f", map[string]string{"0:a": "s16le", "0:v": "rawvideo"}[stream], "pipe:1").Output()
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	for _, stream := range []string{"0:a", "0:v"} {
		a, b := decode(from, stream), decode(to, stream)
		if len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%s: %d bytes went in and %d came out, or other ones", stream, len(a), len(b))
		}
	}
}
