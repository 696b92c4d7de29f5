package cpu

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/studio/song"
	"github.com/atelier-project/atelier/internal/studio/sound"
	"github.com/atelier-project/atelier/internal/studio/voice"
	"github.com/atelier-project/atelier/internal/worker"
)

// compose writes and plays songs.
func compose(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	var out []worker.Output
	for i, slot := range t.Artifacts {
		seed, n := t.Seed+int64(i), float64(len(t.Artifacts))
		clip, score, err := song.Compose(ctx, song.Request{
			Prompt: text(t, "prompt"), Lyrics: text(t, "lyrics"), Seconds: number(t, "duration", 30), BPM: number(t, "bpm", 0),
			Key: text(t, "keyscale"), TimeSig: int(number(t, "timesig", 0)), Model: t.ModelID, Seed: seed,
		}, func(f float64) { t.Report((float64(i)+0.9*f)/n, "composing") })
		if err != nil {
			return nil, plainly(err)
		}
		o, err := record(ctx, t, slot, clip)
		if err != nil {
			return nil, err
		}
		o.Seed = seed
		o.Metadata = map[string]any{"score": score}
		out = append(out, o)
	}
	return out, nil
}

// speak says texts.
func speak(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	r := voice.Request{
		Text: text(t, "prompt"), Voice: text(t, "voice"), Language: text(t, "language"), Description: text(t, "voiceDescription"),
		Creativity: number(t, "creativity", 0), ReferenceText: text(t, "voiceTranscript"),
	}
	if path, ok := t.Files["voiceSourceIndex"]; ok {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if r.Reference, err = sound.Decode(ctx, data, 0); err != nil {
			return nil, plainly(err)
		}
	}
	var out []worker.Output
	for i, slot := range t.Artifacts {
		n := float64(len(t.Artifacts))
		r.Seed = t.Seed + int64(i)
		clip, info, err := voice.Speak(ctx, r, func(f float64) { t.Report((float64(i)+0.9*f)/n, "speaking") })
		if err != nil {
			return nil, plainly(err)
		}
		o, err := record(ctx, t, slot, clip)
		if err != nil {
			return nil, err
		}
		o.Seed = r.Seed
		o.Metadata = map[string]any{"speech": info}
		out = append(out, o)
	}
	return out, nil
}

// record writes a clip in the type of its artifact.
func record(ctx context.Context, t worker.Task, slot client.Slot, clip *sound.Clip) (worker.Output, error) {
	extension := filetype.Extension(slot.ContentType)
	path := filepath.Join(t.Folder, slot.ID+extension)
	f, err := os.Create(path)
	if err != nil {
		return worker.Output{}, err
	}
	err = sound.Encode(ctx, clip, extension[1:], f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return worker.Output{}, plainly(err)
	}
	return worker.Output{ID: slot.ID, Path: path, DurationSeconds: clip.Duration().Seconds()}, nil
}

// plainly makes a failure of what the studio says, unless it was interrupted.
func plainly(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return worker.Failf("%v", err)
}
