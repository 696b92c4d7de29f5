package mp4_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os/exec"
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/flac"
)

// tone returns a tone in two channels, interleaved.
func tone(n int) (samples []int16) {
	for i := range n {
		for c := range 2 {
			samples = append(samples, int16(12000*math.Sin(2*math.Pi*float64(i)/48000*(440+float64(c)))))
		}
	}
	return samples
}

func encodeFLAC(t testing.TB, channels int, samples []int16) (info []byte, packets [][]byte) {
	t.Helper()
	e, err := flac.NewEncoder(48000, channels)
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(samples, flac.Block*channels) {
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
	want := tone(20000)
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
