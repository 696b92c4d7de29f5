package flac_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/flac"
	"github.com/atelier-project/atelier/internal/worktest"
)

// samples returns samples of different character, interleaved.
func samples(channels, n int) map[string][]int16 {
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

func TestFLACRoundTrip(t *testing.T) {
	t.Parallel()
	ffmpeg, missing := exec.LookPath("ffmpeg")
	if missing != nil {
		t.Log("ffmpeg is not on the PATH: only our own decoder reads the sound")
	}
	for _, channels := range []int{1, 2} {
		for name, want := range samples(channels, 30001) {
			t.Run(fmt.Sprintf("%s/%d", name, channels), func(t *testing.T) {
				t.Parallel()
				info, packets := encodeFLAC(t, channels, want)
				d, err := flac.NewDecoder(info)
				if err != nil {
					t.Fatal(err)
				}
				var got []int16
				size := 0
				for i, p := range packets {
					if got, err = d.Decode(got, p); err != nil {
						t.Fatalf("packet %d: %v", i, err)
					}
					size += len(p)
				}
				if !slices.Equal(got, want) {
					t.Fatal("our decoder reads other samples")
				}
				t.Logf("%d%% of PCM", size*100/(2*len(want)))
				if missing != nil {
					return
				}
				stream := append([]byte("fLaC\x80\x00\x00\x22"), info...)
				stream = append(stream, bytes.Join(packets, nil)...)
				cmd := exec.Command(ffmpeg, "-v", "error", "-err_detect", "explode", "-f", "flac", "-i", "pipe:0", "-f", "s16le", "pipe:1")
				cmd.Stdin = bytes.NewReader(stream)
				raw, err := cmd.Output()
				if err != nil {
					t.Fatal(err)
				}
				var heard []int16
				for i := 0; i+1 < len(raw); i += 2 {
					heard = append(heard, int16(binary.LittleEndian.Uint16(raw[i:])))
				}
				if !slices.Equal(heard, want) {
					t.Fatal("ffmpeg reads other samples")
				}
			})
		}
	}
}

func FuzzFLAC(f *testing.F) {
	info, packets := encodeFLAC(f, 2, samples(2, 500)["burst"])
	f.Add(info, packets[0])
	f.Fuzz(func(t *testing.T, config, packet []byte) {
		d, err := flac.NewDecoder(config)
		if err != nil {
			return
		}
		// The check sum would stop nearly everything, so it is made right.
		if len(packet) > 8 {
			packet = flac.WithCheckSum(packet)
		}
		worktest.Limit(t, len(packet), worktest.Bound{Base: 8 << 20, PerByte: 64}, func() {
			if got, err := d.Decode(nil, packet); err == nil && len(got) > d.Channels*65536 {
				t.Errorf("%d samples", len(got))
			}
		})
	})
}
