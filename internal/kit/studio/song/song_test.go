package song_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/song"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/tonality"
	"github.com/atelier-project/atelier/internal/worktest"
)

func compose(t testing.TB, r song.Request) (*sound.Clip, song.Score) {
	t.Helper()
	c, s, err := song.Compose(context.Background(), r, nil)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	return c, s
}

// checkSound holds every song to what is promised of its samples.
func checkSound(t *testing.T, name string, c *sound.Clip, seconds float64) {
	t.Helper()
	if want := int(math.Round(seconds * song.Rate)); c.Frames() != want || c.Rate != song.Rate || c.Channels != 2 {
		t.Errorf("%s: %d frames of %d channels at %d Hz, want %d", name, c.Frames(), c.Channels, c.Rate, want)
	}
	if p := c.Peak(); p > 0.9 || p < 0.2 {
		t.Errorf("%s: peak %.3f", name, p)
	}
	if l := c.LUFS(); math.Abs(l+14) > 1 {
		t.Errorf("%s: %.1f LUFS, want -14", name, l)
	}
	for ch := range 2 {
		var sum float64
		for _, s := range c.Plane(ch) {
			sum += float64(s)
		}
		if mean := sum / float64(c.Frames()); math.Abs(mean) > 0.002 {
			t.Errorf("%s: channel %d has an offset of %.4f", name, ch, mean)
		}
	}
	levels := c.Loudness(1)
	for i, l := range levels[:len(levels)-3] {
		if l < 0.004 {
			t.Errorf("%s: second %d is silent (%.4f)", name, i, l)
		}
	}
	if end := c.Cut(c.Frames()-song.Rate/100, c.Frames()).Peak(); end > 0.01 {
		t.Errorf("%s: cut off at the end with a peak of %.3f", name, end)
	}
}

func TestLengthIsExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ seconds, bpm float64 }{{10, 30}, {12.345, 97}, {17, 300}, {40.7, 110}} {
		clip, s := compose(t, song.Request{Prompt: "lofi", Seconds: c.seconds, BPM: c.bpm})
		checkSound(t, fmt.Sprintf("%v s at %v", c.seconds, c.bpm), clip, c.seconds)
		if last := s.Sections[len(s.Sections)-1]; last.Name != "ending" || math.Abs(last.End-c.seconds) > 1e-3 {
			t.Errorf("%v s: the last section is %+v", c.seconds, last)
		}
		for i := 1; i < len(s.Sections); i++ {
			if math.Abs(s.Sections[i].Start-s.Sections[i-1].End) > 1e-6 {
				t.Errorf("%v s: a gap before %+v", c.seconds, s.Sections[i])
			}
		}
	}
}

func TestTempoIsObeyed(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	for _, c := range []struct {
		prompt string
		bpm    float64
		time   int
	}{
		{"rock", 120, 4}, {"house", 128, 4}, {"solo piano", 90, 4}, {"pop", 101.5, 4}, {"waltz", 160, 3},
		{"march", 112, 2}, {"folk jig", 84, 6}, {"ballad", 60, 6},
	} {
		clip, s := compose(t, song.Request{Prompt: c.prompt, BPM: c.bpm, TimeSig: c.time, Seconds: 14})
		if s.BPM != c.bpm || s.TimeSig != c.time {
			t.Errorf("%s: score says %v in %d", c.prompt, s.BPM, s.TimeSig)
		}
		if got := tempoNear(clip, c.bpm); math.Abs(got/c.bpm-1) > 0.01 {
			t.Errorf("%s in %d at %v: %.2f beats a minute are heard", c.prompt, c.time, c.bpm, got)
		}
	}
}

func TestKeyIsObeyed(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	keys := []string{"C major", "A minor", "F# minor", "Eb major", "B major", "D minor"}
	for i, prompt := range []string{"solo piano", "pop", "synthwave"} {
		for _, key := range keys[2*i : 2*i+2] {
			clip, s := compose(t, song.Request{Prompt: prompt, Key: key, Seconds: 24})
			k, _ := tonality.Parse(key)
			if s.Key != k.String() {
				t.Errorf("%s in %s: score says %s", prompt, key, s.Key)
			}
			ch := chroma(clip)
			var in, all float64
			for p, v := range ch {
				all += v
				if k.Has(p) {
					in += v
				}
			}
			if in/all < 0.8 {
				t.Errorf("%s in %s: only %.0f %% of what is heard is in the scale", prompt, key, 100*in/all)
			}
			if tonic, minor := keyHeard(ch); tonic != k.Tonic || minor != (k.Mode == "minor") {
				t.Errorf("%s in %s: heard as tonic %d, minor %v", prompt, key, tonic, minor)
			}
		}
	}
}

func TestPromptsSoundDifferent(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	bright := map[string]float64{}
	for _, prompt := range []string{"ambient", "lofi", "rock", "house", "lullaby", "punk", "chiptune"} {
		c, _ := compose(t, song.Request{Prompt: prompt, Seconds: 10})
		checkSound(t, prompt, c, 10)
		bright[prompt] = brightness(c)
	}
	for _, pair := range [][2]string{{"ambient", "rock"}, {"lofi", "chiptune"}, {"lullaby", "punk"}, {"ambient", "house"}} {
		if bright[pair[0]]*1.3 > bright[pair[1]] {
			t.Errorf("%s (%.0f Hz) is not darker than %s (%.0f Hz)", pair[0], bright[pair[0]], pair[1], bright[pair[1]])
		}
	}
	same := song.Request{Prompt: "pop song", Seconds: 10}
	a, _ := compose(t, same)
	for _, other := range []song.Request{{Prompt: "pop song", Seconds: 10, Seed: 1}, {Prompt: "pop song", Seconds: 10, Model: "ace_step_1.5_turbo"}, {Prompt: "pop tune", Seconds: 10}} {
		b, _ := compose(t, other)
		if slices.Equal(a.PCM, b.PCM) {
			t.Errorf("%+v sounds like %+v", other, same)
		}
	}
	b, _ := compose(t, same)
	if !slices.Equal(a.PCM, b.PCM) {
		t.Error("the same request gave another song")
	}
}

func TestEveryGenreSounds(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	for i, prompt := range song.Genres() {
		time := []int{4, 3, 4, 6, 2}[i%5]
		c, s := compose(t, song.Request{Prompt: prompt, Seconds: 10, TimeSig: time})
		checkSound(t, fmt.Sprintf("%s in %d", prompt, time), c, 10)
		if s.Genre != prompt || s.TimeSig != time || s.Notes == 0 {
			t.Errorf("%s in %d: %+v", prompt, time, s)
		}
	}
}

func TestLyricsAreSung(t *testing.T) {
	t.Parallel()
	r := song.Request{Prompt: "folk song", Seconds: 30, Lyrics: "[Verse 1]\nShine a little light on me\nOver the mountain and over the sea\n\n[Chorus]\nWe are the stars in the night\nHolding on to the morning light"}
	c, s := compose(t, r)
	checkSound(t, "sung", c, 30)
	if !s.Sung || !slices.Contains(s.Instruments, "vocals") {
		t.Errorf("nobody sings: %+v", s)
	}
}

// Whatever the lyrics are, there is a song.
func TestAnyLyrics(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	for _, lyrics := range []string{"la", "[chorus]\nla la la", "\n\n[verse]\n", "日本語", "one\n\ntwo\n\nthree\n\nfour\n\nfive\n\nsix", "a very long line that has far too many syllables for one or even two bars of any song that was ever sung by anyone at all"} {
		c, _ := compose(t, song.Request{Prompt: "pop", Seconds: 12, Lyrics: lyrics})
		checkSound(t, lyrics, c, 12)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, r := range []song.Request{
		{Seconds: 9}, {Seconds: 601}, {Seconds: math.NaN()}, {Seconds: math.Inf(1)}, {Seconds: 301, Model: "music3"}, {Seconds: 301, Model: "minimax_music3"},
		{BPM: 29}, {BPM: 301}, {BPM: math.NaN()}, {TimeSig: 5}, {TimeSig: -1}, {Key: "H major"}, {Key: "C sideways"},
	} {
		if _, _, err := song.Compose(context.Background(), r, nil); !errors.Is(err, song.ErrRequest) {
			t.Errorf("%+v: got %v", r, err)
		}
	}
}

//atelier:concurrent
func TestCancellationAndProgress(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	_, _, err := song.Compose(ctx, song.Request{Prompt: "rock", Seconds: 300, Model: "turbo"}, func(f float64) {
		if calls++; calls == 3 {
			cancel()
		}
		if f < 0 || f > 1 {
			t.Errorf("progress %v", f)
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if calls > 4 {
		t.Errorf("went on for %d blocks", calls)
	}
}

func FuzzCompose(f *testing.F) {
	f.Add("lofi in c major at 90 bpm", "la la", "D minor", 10.0, 0.0, 4, int64(1))
	f.Add("no drums no bass no melody", "", "", 11.3, 300.0, 6, int64(-5))
	f.Add("\x00 bpm 🎵 # ♭ 3/4", "[chorus]\n''''\n9999999999999", "bb", 10.0, 30.0, 2, int64(0))
	f.Fuzz(func(t *testing.T, prompt, lyrics, key string, seconds, bpm float64, time int, seed int64) {
		if seconds > 20 {
			seconds = 10 + math.Mod(seconds, 10)
		}
		r := song.Request{Prompt: prompt, Lyrics: lyrics, Key: key, Seconds: seconds, BPM: bpm, TimeSig: time, Seed: seed}
		c, _, err := song.Compose(context.Background(), r, nil)
		if errors.Is(err, song.ErrRequest) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Seconds == 0 {
			r.Seconds = 30
		}
		if c.Frames() != int(math.Round(r.Seconds*song.Rate)) {
			t.Fatalf("%d frames for %v s", c.Frames(), r.Seconds)
		}
	})
}

// A song is made faster than it plays, by far.
func BenchmarkCompose(b *testing.B) {
	for _, prompt := range []string{"solo piano", "pop", "epic orchestral trailer", "house", "folk"} {
		b.Run(prompt, func(b *testing.B) {
			for b.Loop() {
				compose(b, song.Request{Prompt: prompt, Seconds: 30})
			}
		})
	}
}

func BenchmarkTenMinutes(b *testing.B) {
	for b.Loop() {
		compose(b, song.Request{Prompt: "ambient", Seconds: 600, Model: "turbo"})
	}
}
