package voice_test

import (
	"context"
	"errors"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/kit/studio/voice"
	"github.com/atelier-project/atelier/internal/worktest"
)

const fox = "The quick brown fox jumps over the lazy dog, and nobody knows why it always does."

func speak(t testing.TB, r voice.Request) (*sound.Clip, voice.Info) {
	t.Helper()
	r.BuiltIn = true
	c, info, err := voice.Speak(context.Background(), r, nil)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	return c, info
}

func pitch(c *sound.Clip) (median, low, high float64) {
	return sound.PitchRange(sound.Pitches(c.Mono(), c.Rate, 60, 450))
}

func TestVoicesHaveTheirPitchAndPace(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	clips := map[string]*sound.Clip{}
	for _, name := range voice.Voices() {
		c, info := speak(t, voice.Request{Text: fox, Voice: name})
		clips[name] = c
		want, _ := voice.Named(name)
		if median, _, _ := pitch(c); math.Abs(median/want.Pitch-1) > 0.07 {
			t.Errorf("%s speaks at %.0f Hz, want %.0f", name, median, want.Pitch)
		}
		wpm := float64(info.Words) / info.Seconds * 60
		if wpm < 120*want.Pace || wpm > 230*want.Pace {
			t.Errorf("%s speaks %.0f words a minute", name, wpm)
		}
		if p := c.Peak(); p > 0.86 || p < 0.2 {
			t.Errorf("%s: peak %.2f", name, p)
		}
		if l := c.LUFS(); math.Abs(l+17) > 1.5 {
			t.Errorf("%s: %.1f LUFS", name, l)
		}
		if c.Rate != voice.SpeechRate || c.Channels != 1 || info.Engine != "built-in" || info.Words != 16 {
			t.Errorf("%s: %d Hz, %d channels, %+v", name, c.Rate, c.Channels, info)
		}
		if c.Trim(0.01, 0).Frames() < c.Frames()-voice.SpeechRate/2 {
			t.Errorf("%s: silence is left at the ends", name)
		}
	}
	if clips["dylan"].Frames() >= clips["uncle_fu"].Frames() {
		t.Error("dylan is not faster than uncle_fu")
	}
}

func TestSameRequestSameSamples(t *testing.T) {
	t.Parallel()
	r := voice.Request{Text: fox, Voice: "ryan", Seed: 7}
	a, _ := speak(t, r)
	b, _ := speak(t, r)
	if !slices.Equal(a.PCM, b.PCM) {
		t.Error("two takes differ")
	}
	r.Seed = 8
	if c, _ := speak(t, r); slices.Equal(a.PCM, c.PCM) {
		t.Error("another seed gives the same take")
	}
}

func TestQuestionsRise(t *testing.T) {
	t.Parallel()
	end := func(text string) float64 {
		c, _ := speak(t, voice.Request{Text: text, Voice: "ryan"})
		track := sound.Pitches(c.Mono(), c.Rate, 60, 400)
		median, _, _ := sound.PitchRange(track)
		last, _, _ := sound.PitchRange(track[len(track)*4/5:])
		return last / median
	}
	if q, s := end("Are you going home now?"), end("You are going home now."); q < s*1.15 {
		t.Errorf("a question ends at %.2f of its middle, a statement at %.2f", q, s)
	}
}

func TestDesign(t *testing.T) {
	t.Parallel()
	deep, _ := voice.Design("a deep old man with a warm voice")
	high, _ := voice.Design("a high, young female voice, fast")
	if deep.Pitch >= 110 || high.Pitch < 200 || deep.Pace >= high.Pace || deep.Rough <= high.Rough || deep.Size >= high.Size {
		t.Errorf("deep %+v, high %+v", deep, high)
	}
	if w, used := voice.Design("whispering robot"); w.Breath < 0.9 || !w.Machine || len(used) != 2 {
		t.Errorf("whispering robot: %+v, %v", w, used)
	}
	c, info := speak(t, voice.Request{Text: fox, Description: "deep male narrator"})
	if median, _, _ := pitch(c); median > 110 || info.Voice != "designed" {
		t.Errorf("deep male narrator speaks at %.0f Hz: %+v", median, info)
	}
	whisper, _ := speak(t, voice.Request{Text: fox, Description: "whisper"})
	voiced := 0
	track := sound.Pitches(whisper.Mono(), whisper.Rate, 60, 400)
	for _, p := range track {
		if p.Hz > 0 {
			voiced++
		}
	}
	if voiced > len(track)/3 {
		t.Errorf("a whisper is voiced %d of %d times", voiced, len(track))
	}
	if _, info := speak(t, voice.Request{Text: fox, Description: "xyzzy"}); len(info.Notes) == 0 {
		t.Error("a description nobody understands is not mentioned")
	}
}

func TestClonesResembleTheirReference(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	for _, name := range []string{"eric", "ryan", "serena", "ono_anna"} {
		ref, _ := speak(t, voice.Request{Text: fox, Voice: name})
		want, _, _ := pitch(ref)
		c, info := speak(t, voice.Request{Text: "This is another sentence, which the reference has never said.", Reference: ref, ReferenceText: fox})
		got, _, _ := pitch(c)
		if math.Abs(got/want-1) > 0.08 {
			t.Errorf("%s: the clone speaks at %.0f Hz, the reference at %.0f", name, got, want)
		}
		if info.Voice != "cloned" || len(info.Matched) < 4 || len(info.Notes) == 0 {
			t.Errorf("%s: %+v", name, info)
		}
	}
	slow, _ := speak(t, voice.Request{Text: fox, Description: "slow male"})
	fast, _ := speak(t, voice.Request{Text: fox, Description: "fast male"})
	for _, text := range []string{fox, ""} {
		a, _, _, err := voice.MeasureTimbre(slow, text)
		b, _, _, err2 := voice.MeasureTimbre(fast, text)
		if err != nil || err2 != nil || a.Pace*1.2 > b.Pace {
			t.Errorf("text %q: slow reference %.2f, fast %.2f", text, a.Pace, b.Pace)
		}
	}
	if _, _, err := voice.Speak(context.Background(), voice.Request{Text: "x", Reference: sound.NewClip(8000, 1, 16000), BuiltIn: true}, nil); !errors.Is(err, voice.ErrNoVoice) {
		t.Errorf("silence as a reference: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r    voice.Request
		want error
	}{
		{voice.Request{Text: " \n"}, voice.ErrNoText},
		{voice.Request{Text: "..., !"}, voice.ErrNoText},
		{voice.Request{Text: strings.Repeat("a", voice.MaxText+1)}, voice.ErrTextTooLong},
		{voice.Request{Text: "Guten Tag", Language: "german"}, voice.ErrNeedsEspeak},
		{voice.Request{Text: "こんにちは"}, voice.ErrNeedsEspeak},
		{voice.Request{Text: "hi", Voice: "nobody"}, nil},
		{voice.Request{Text: "hi", Language: "klingon"}, nil},
	} {
		c.r.BuiltIn = true
		_, _, err := voice.Speak(context.Background(), c.r, nil)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%.40q: got %v, want %v", c.r.Text, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := voice.Speak(ctx, voice.Request{Text: fox, BuiltIn: true}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestLongTextIsBounded(t *testing.T) {
	longText := voice.MaxText
	if !worktest.Exhaustive() {
		longText /= 16
	}
	text := strings.Repeat(fox+" ", 60)[:longText]
	var last float64
	c, _, err := voice.Speak(context.Background(), voice.Request{Text: text, BuiltIn: true}, func(f float64) {
		if f < last || f > 1 {
			t.Errorf("progress went from %v to %v", last, f)
		}
		last = f
	})
	if err != nil {
		t.Fatal(err)
	}
	if per := c.Duration() / time.Duration(longText); per < 40*time.Millisecond || per > 110*time.Millisecond || last != 1 {
		t.Errorf("%v of speech, progress %v", c.Duration(), last)
	}
}

func TestEspeak(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		t.Skip("espeak-ng is not installed")
	}
	for name, r := range map[string]voice.Request{
		"english": {Text: fox, Voice: "ryan"},
		"german":  {Text: "Guten Tag, das ist ein Satz.", Language: "german"},
		"markup":  {Text: "-v de <voice name='x'> [[hello]] ; rm -rf", Voice: "serena"},
	} {
		c, info, err := voice.Speak(context.Background(), r, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if info.Engine != "espeak-ng" || c.Duration() < time.Second || c.Rate != voice.SpeechRate {
			t.Errorf("%s: %+v, %v", name, info, c.Duration())
		}
		if want, ok := voice.Named(r.Voice); ok && name == "english" {
			if median, _, _ := pitch(c); math.Abs(median/want.Pitch-1) > 0.12 {
				t.Errorf("%s: %.0f Hz, want %.0f", r.Voice, median, want.Pitch)
			}
		}
	}
}

func FuzzSpeak(f *testing.F) {
	f.Add("Hello, world! 123 $4.50 e.g. 'tis NASA's 21st…", "deep robot", int64(1))
	f.Add("\x00\xff\u202e🎵'''' 99999999999999999999.9,9:9 a'b", "", int64(-1))
	f.Add("bcdfghjklmnpqrstvwxz zzzzzz rhythm", "whisper", int64(0))
	f.Fuzz(func(t *testing.T, text, description string, seed int64) {
		if len(text) > 300 {
			text = text[:300]
		}
		c, _, err := voice.Speak(context.Background(), voice.Request{Text: text, Description: description, Seed: seed, Language: "english", BuiltIn: true}, nil)
		if err != nil {
			if !errors.Is(err, voice.ErrNoText) {
				t.Fatal(err)
			}
			return
		}
		if c.Frames() == 0 || c.Peak() > 0.87 || c.Duration() > 10*time.Minute {
			t.Fatalf("%d frames, peak %v", c.Frames(), c.Peak())
		}
	})
}

func BenchmarkSpeak(b *testing.B) {
	for b.Loop() {
		speak(b, voice.Request{Text: fox})
	}
}
