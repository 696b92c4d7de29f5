package wav_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/codec/wav"
)

const rate = 44100

func silence(rate, channels, frames int) *pcm.Sound {
	return &pcm.Sound{Rate: rate, Channels: channels, PCM: make([]int16, channels*frames)}
}

func TestItComesBackAsItWas(t *testing.T) {
	t.Parallel()
	for _, channels := range []int{1, 2, 3} {
		c := silence(rate, channels, 1001)
		noise := rand.New(rand.NewPCG(7, 7))
		for i := range c.PCM {
			c.PCM[i] = pcm.Quantise(2*noise.Float32() - 1)
		}
		for _, d := range []wav.Depth{wav.PCM16, wav.PCM24, wav.Float32} {
			var b bytes.Buffer
			if err := wav.Write(&b, c, d); err != nil {
				t.Fatal(err)
			}
			if got := int(binary.LittleEndian.Uint32(b.Bytes()[4:])) + 8; got != b.Len() {
				t.Errorf("depth %d: RIFF size says %d bytes, file has %d", d, got, b.Len())
			}
			back, err := wav.Read(&b, 2000)
			if err != nil {
				t.Fatal(err)
			}
			if back.Rate != rate || back.Channels != channels || back.Frames() != 1001 {
				t.Fatalf("depth %d: got %d Hz, %d channels, %d frames", d, back.Rate, back.Channels, back.Frames())
			}
			for i := range c.PCM {
				if e := int(back.PCM[i]) - int(c.PCM[i]); e > 1 || e < -1 {
					t.Fatalf("depth %d sample %d: got %d want %d", d, i, back.PCM[i], c.PCM[i])
				}
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	var good bytes.Buffer
	if err := wav.Write(&good, silence(8000, 1, 100), wav.PCM16); err != nil {
		t.Fatal(err)
	}
	edit := func(at int, b ...byte) []byte {
		out := bytes.Clone(good.Bytes())
		copy(out[at:], b)
		return out
	}
	for name, data := range map[string][]byte{
		"empty":        nil,
		"not RIFF":     edit(0, 'J'),
		"zero rate":    edit(24, 0, 0, 0, 0),
		"no channels":  edit(22, 0),
		"99 channels":  edit(22, 99),
		"odd bits":     edit(34, 13),
		"ADPCM":        edit(20, 2),
		"data first":   edit(12, 'd', 'a', 't', 'a'),
		"huge format":  edit(16, 255, 255, 255, 255),
		"cut in chunk": good.Bytes()[:30],
	} {
		if _, err := wav.Read(bytes.NewReader(data), 1000); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := wav.Read(bytes.NewReader(good.Bytes()), 99); !errors.Is(err, pcm.ErrTooLong) {
		t.Errorf("100 frames with a limit of 99: got %v", err)
	}
	// A size that lies is not an error: recorders that were cut off write it.
	c, err := wav.Read(bytes.NewReader(edit(40, 255, 255, 255, 255)), 1000)
	if err != nil || c.Frames() != 100 {
		t.Errorf("a data chunk of unknown length: %v", err)
	}
}
