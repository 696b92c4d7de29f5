package openai

import (
	"encoding/binary"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/pcm"
)

// Samples of any rate and number of channels become one channel at 24 kHz.
func TestSamples(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		sound pcm.Sound
		want  []int16
	}{
		"as it is": {pcm.Sound{Rate: 24000, Channels: 1, PCM: []int16{1, -2, 3}}, []int16{1, -2, 3}},
		"halved":   {pcm.Sound{Rate: 48000, Channels: 1, PCM: []int16{10, 20, 30, 40}}, []int16{10, 30}},
		"doubled":  {pcm.Sound{Rate: 12000, Channels: 1, PCM: []int16{10, 20}}, []int16{10, 15, 20, 20}},
		"mixed":    {pcm.Sound{Rate: 24000, Channels: 2, PCM: []int16{10, 20, -32768, -32768}}, []int16{15, -32768}},
		"nothing":  {pcm.Sound{Rate: 24000, Channels: 1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want []byte
			for _, v := range tc.want {
				want = binary.LittleEndian.AppendUint16(want, uint16(v))
			}
			if got := Samples(&tc.sound); string(got) != string(want) {
				t.Errorf("got % x, want % x", got, want)
			}
		})
	}
}
