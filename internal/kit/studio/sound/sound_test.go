package sound_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/codec/flac"
	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/codec/wav"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/worktest"
)

const rate = 44100

func sine(hz, level float64, frames int) []float32 {
	out := make([]float32, frames)
	for i := range out {
		out[i] = float32(level * math.Sin(2*math.Pi*hz*float64(i)/rate))
	}
	return out
}

func FuzzReadWAV(f *testing.F) {
	for _, d := range []wav.Depth{wav.PCM16, wav.PCM24, wav.Float32} {
		var b bytes.Buffer
		if err := wav.Write(&b, (*pcm.Sound)(sound.NewClip(8000, 2, 50)), d); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		worktest.Limit(t, len(data), worktest.Bound{Base: 1 << 20, PerByte: 64}, func() {
			c, err := sound.ReadWAV(bytes.NewReader(data), 10000)
			if err != nil {
				return
			}
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
			if c.Frames() > 10000 {
				t.Fatalf("%d frames", c.Frames())
			}
			c.LUFS()
			c.Loudness(30)
		})
	})
}

//atelier:concurrent
func TestEncode(t *testing.T) {
	t.Parallel()
	c := sound.FromPlanes(rate, sine(440, 0.3, rate), sine(330, 0.3, rate))
	var b bytes.Buffer
	if err := sound.Encode(context.Background(), c, "ogg", &b); err == nil {
		t.Error("ogg: no error")
	}
	_, missing := exec.LookPath("ffmpeg")
	for _, format := range []string{"mp3", "flac"} {
		b.Reset()
		err := sound.Encode(context.Background(), c, format, &b)
		if missing != nil && format == "mp3" {
			if !errors.Is(err, sound.ErrNeedsFFmpeg) {
				t.Errorf("%s without ffmpeg: got %v", format, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if format == "flac" {
			back, err := flac.Read(&b, 10*rate)
			if err != nil || (*sound.Clip)(back).Duration() != time.Second {
				t.Errorf("flac: %v, %v; want a second", back, err)
			}
			continue
		}
		path := filepath.Join(t.TempDir(), "sound.mp3")
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		back, err := film.ReadSound(t.Context(), path, film.FFmpeg, 10)
		if err != nil {
			t.Fatal(err)
		}
		if d := float64(len(back.Samples)/back.Channels) / float64(back.Rate); math.Abs(d-1) > 0.1 {
			t.Errorf("mp3: %.2f s came back, want 1", d)
		}
	}
}

func TestNormaliseMeetsLoudnessWithoutClipping(t *testing.T) {
	t.Parallel()
	for _, level := range []float64{0.01, 0.1, 0.9} {
		x := sine(997, level, 5*rate)
		for i := 0; i < len(x); i += rate / 2 { // peaks that a plain gain would clip
			x[i] = float32(min(1, 5*level))
		}
		c := sound.FromPlanes(rate, x, x)
		c.Normalise(-14, -1)
		if got := c.LUFS(); math.Abs(got+14) > 0.5 {
			t.Errorf("level %v: %.2f LUFS, want -14", level, got)
		}
		if got := c.Peak(); got > 0.8925 {
			t.Errorf("level %v: peak %.4f is above -1 dB", level, got)
		}
	}
	// The reference of the recommendation: a full-scale 997 Hz sine on one side.
	c := sound.FromPlanes(48000, func() []float32 {
		x := make([]float32, 48000*4)
		for i := range x {
			x[i] = float32(math.Sin(2 * math.Pi * 997 * float64(i) / 48000))
		}
		return x
	}(), make([]float32, 48000*4))
	if got := c.LUFS(); math.Abs(got+3.01) > 0.1 {
		t.Errorf("reference tone: %.2f LUFS, want -3.01", got)
	}
}

func TestResampleKeepsPitchAndRemovesMirrors(t *testing.T) {
	t.Parallel()
	down := sound.Resample(sine(440, 0.5, rate), rate, 24000)
	if len(down) != 24000 {
		t.Fatalf("%d samples, want 24000", len(down))
	}
	median, _, _ := sound.PitchRange(sound.Pitches(down, 24000, 100, 900))
	if math.Abs(median-440) > 1 {
		t.Errorf("440 Hz became %.2f Hz", median)
	}
	var power float64
	mirrored := sound.Resample(sine(15000, 0.5, rate), rate, 24000)
	for _, s := range mirrored[1000 : len(mirrored)-1000] {
		power += float64(s) * float64(s)
	}
	if rms := math.Sqrt(power / 22000); rms > 0.002 {
		t.Errorf("15 kHz left %.4f at 24 kHz", rms)
	}
}

func TestPitchesOfASaw(t *testing.T) {
	t.Parallel()
	for _, hz := range []float64{70, 110, 220, 410} {
		o := sound.NewOscillator(0)
		x := make([]float32, rate)
		for i := range x {
			x[i] = 0.4 * o.Saw(float32(hz/rate))
		}
		median, low, high := sound.PitchRange(sound.Pitches(x, rate, 50, 500))
		if math.Abs(median/hz-1) > 0.01 || low/hz < 0.97 || high/hz > 1.03 {
			t.Errorf("%v Hz: heard %.1f (%.1f to %.1f)", hz, median, low, high)
		}
	}
	noise := sound.NewNoise(1)
	x := make([]float32, rate)
	for i := range x {
		x[i] = 0.3 * noise.Next()
	}
	voiced := 0
	track := sound.Pitches(x, rate, 50, 500)
	for _, p := range track {
		if p.Hz > 0 {
			voiced++
		}
	}
	if voiced > len(track)/20 {
		t.Errorf("noise: %d of %d moments are called voiced", voiced, len(track))
	}
}

func TestFiltersPassAndStop(t *testing.T) {
	t.Parallel()
	level := func(f *sound.Biquad, hz float64) float64 {
		x := sine(hz, 1, rate/2)
		f.Process(x)
		var p float64
		for _, s := range x[rate/4:] {
			p += float64(s) * float64(s)
		}
		return 10 * math.Log10(2*p/float64(rate/4))
	}
	for _, c := range []struct {
		name string
		f    *sound.Biquad
		hz   float64
		want float64
		off  float64
	}{
		{"low pass", sound.Lowpass(rate, 1000, 0.707), 100, 0, 0.1},
		{"low stop", sound.Lowpass(rate, 1000, 0.707), 10000, -43, 1},
		{"high stop", sound.Highpass(rate, 1000, 0.707), 100, -40, 1},
		{"band", sound.Bandpass(rate, 1000, 2), 1000, 0, 0.1},
		{"bell", sound.Bell(rate, 1000, 1, 6), 1000, 6, 0.1},
		{"high shelf", sound.HighShelf(rate, 1000, -6), 15000, -6, 0.2},
	} {
		if got := level(c.f, c.hz); math.Abs(got-c.want) > c.off {
			t.Errorf("%s at %v Hz: %.2f dB, want %.2f", c.name, c.hz, got, c.want)
		}
	}
}

// Blocks of any size give the same result as the whole.
func TestProcessorsKeepTheirStateBetweenBlocks(t *testing.T) {
	t.Parallel()
	noise := sound.NewNoise(3)
	send := make([]float32, rate)
	for i := range send[:rate/4] {
		send[i] = noise.Next()
	}
	run := func(block int) (l, r []float32) {
		l, r = make([]float32, rate), make([]float32, rate)
		room, echo := sound.NewReverb(rate, 1, 1.5, 0.3), sound.NewEcho(rate, 0.25, 0.4)
		chorus, press := sound.NewChorus(rate, 0.8, 2), sound.NewCompressor(rate, -20, 3, 0.01, 0.1)
		for at := 0; at < rate; at += block {
			end := min(at+block, rate)
			room.Process(send[at:end], l[at:end], r[at:end])
			echo.Process(send[at:end], l[at:end], r[at:end])
			chorus.Process(l[at:end], r[at:end])
			press.Process(l[at:end], r[at:end])
		}
		return l, r
	}
	l1, r1 := run(rate)
	l2, r2 := run(777)
	for i := range l1 {
		if l1[i] != l2[i] || r1[i] != r2[i] {
			t.Fatalf("frame %d differs", i)
		}
	}
}

func TestReverbDiesAway(t *testing.T) {
	t.Parallel()
	room := sound.NewReverb(rate, 1, 1.2, 0.3)
	send, l, r := make([]float32, 3*rate), make([]float32, 3*rate), make([]float32, 3*rate)
	send[0] = 1
	room.Process(send, l, r)
	c := sound.FromPlanes(rate, l, r)
	levels := c.Loudness(10)
	if levels[1] <= 0 || levels[len(levels)-1] > levels[1]/1000 {
		t.Errorf("room: %.6f after 0.1 s, %.8f after 3 s", levels[1], levels[len(levels)-1])
	}
}

func TestSawIsBandLimited(t *testing.T) {
	t.Parallel()
	const n = 16384
	const hz = 2637.0
	o := sound.NewOscillator(0)
	x := make([]float32, n)
	for i := range x {
		x[i] = o.Saw(float32(hz / rate))
	}
	var wanted, mirrored float64
	for k, v := range sound.Spectrum(x, 0, n) {
		f := float64(k) * rate / n
		off := math.Abs(f/hz - math.Round(f/hz))
		if off*hz < 30 {
			wanted += v * v
		} else if f > 100 {
			mirrored += v * v
		}
	}
	if db := 10 * math.Log10(mirrored/wanted); db > -26 {
		t.Errorf("mirrored overtones at %.1f dB", db)
	}
}

func TestTrimAndLoudness(t *testing.T) {
	t.Parallel()
	x := make([]float32, 3*rate)
	copy(x[rate:], sine(200, 0.5, rate))
	c := sound.FromPlanes(rate, x)
	if got := c.Trim(0.01, 100).Frames(); got < rate || got > rate+250 {
		t.Errorf("trimmed to %d frames, want about %d", got, rate)
	}
	if got := c.Loudness(3); got[0] != 0 || math.Abs(got[4]-0.5/math.Sqrt2) > 0.01 || len(got) != 9 {
		t.Errorf("loudness: %v", got)
	}
	if got := sound.NewClip(rate, 2, 10).Trim(0.1, 5).Frames(); got != 0 {
		t.Errorf("silence trimmed to %d frames", got)
	}
	on := sound.Onsets(x, 441)
	best := 0
	for i, v := range on {
		if v > on[best] {
			best = i
		}
	}
	if best < 98 || best > 102 {
		t.Errorf("onset at hop %d, want 100", best)
	}
}

func BenchmarkReverb(b *testing.B) {
	room := sound.NewReverb(rate, 1, 1.5, 0.3)
	send, l, r := make([]float32, rate), make([]float32, rate), make([]float32, rate)
	for b.Loop() {
		room.Process(send, l, r)
	}
}

func BenchmarkNormalise(b *testing.B) {
	c := sound.FromPlanes(rate, sine(440, 0.3, rate), sine(330, 0.3, rate))
	for b.Loop() {
		c.Normalise(-14, -1)
	}
}
