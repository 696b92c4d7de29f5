package voice

import (
	"context"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// SpeechRate is the sample rate of all speech.
const SpeechRate = 24000

// builtin speaks English with the synthesiser of this package, also where
// espeak-ng is installed.
func builtin(ctx context.Context, text string, t Timbre, creativity float64, seed int64, progress func(float64)) ([]float32, int, error) {
	cs := clauses(text)
	chance := sound.NewNoise(uint64(seed) ^ 0x5eed)
	for range 8 {
		chance.Next() // seeds that are close start alike
	}
	throat := newTract(SpeechRate, t, uint64(seed))
	out := make([]float32, SpeechRate/20)
	words := 0
	for i, c := range cs {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		words += len(c.words)
		segs := segmentsOf(c)
		if len(segs) == 0 {
			continue
		}
		timing(segs, t.Pace*(1+0.05*creativity*float64(chance.Next())))
		segs = append(segs, segment{phoneme: silence, seconds: pauseAfter(c.mark) / math.Sqrt(t.Pace)})
		frames := track(targetsOf(segs))
		lively := t
		lively.Range *= 0.75 + 0.28*creativity + 0.12*creativity*float64(chance.Next())
		melody(frames, segs, c.mark, lively)
		out = throat.render(frames, out)
		progress(float64(i+1) / float64(len(cs)))
	}
	if t.Machine {
		robotEcho(out)
	}
	return out, words, nil
}

// robotEcho adds a short echo, for the voice of a robot.
func robotEcho(x []float32) {
	line := sound.NewLine(SpeechRate / 110)
	for i, s := range x {
		line.Push(s + 0.6*line.Tap(SpeechRate/110-1))
		x[i] = line.Tap(0)
	}
}
