package mp4_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/studio/sound"
)

// sounds are samples of different character, interleaved.
func sounds(channels, n int) map[string][]int16 {
	out := map[string][]int16{}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		for c := range channels {
			t := float64(i) / 48000
			out["silence"] = append(out["silence"], 0)
			out["constant"] = append(out["constant"], -123)
			out["tone"] = append(out["tone"], int16(12000*math.Sin(2*math.Pi*t*(440+float64(c)))))
			out["noise"] = append(out["noise"], int16(r.Uint32()))
			out["square"] = append(out["square"], []int16{math.MinInt16, math.MaxInt16}[(i/50+c)%2])
			out["burst"] = append(out["burst"], int16(float64(int16(r.Uint32()))*math.Exp(-float64(i%3000)/200)))
			out["opposite"] = append(out["opposite"], int16(math.MaxInt16*(1-2*c)))
		}
	}
	return out
}

func encodeFLAC(t testing.TB, channels int, samples []int16) (info []byte, packets [][]byte) {
	t.Helper()
	e, err := sound.NewFLACEncoder(48000, channels)
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(samples, sound.FLACBlock*channels) {
		p, err := e.Encode(part)
		if err != nil {
			t.Fatal(err)
		}
		packets = append(packets, p)
	}
	return e.StreamInfo(), packets
}

// What ffmpeg writes, linear prediction and all, is read too.
func TestFLACFromFFmpeg(t *testing.T) {
	t.Parallel()
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("ffmpeg is not on the PATH")
	}
	want := sounds(2, 20000)["tone"]
	var raw []byte
	for _, v := range want {
		raw = binary.LittleEndian.AppendUint16(raw, uint16(v))
	}
	file := t.TempDir() + "/sound.mp4"
	cmd := exec.Command(ffmpeg, "-v", "error", "-f", "s16le", "-ar", "48000", "-ac", "2", "-i", "pipe:0", "-c:a", "flac", "-strict", "experimental", file)
	cmd.Stdin = bytes.NewReader(raw)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	got := readSound(t, file)
	if !slices.Equal(got, want) {
		t.Fatalf("%d samples, want %d, or other ones", len(got), len(want))
	}
}
