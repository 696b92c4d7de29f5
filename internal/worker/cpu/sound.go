package cpu

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/codec/flac"
	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/studio/film"
	"github.com/atelier-project/atelier/internal/studio/footage"
	"github.com/atelier-project/atelier/internal/studio/song"
	"github.com/atelier-project/atelier/internal/studio/sound"
	"github.com/atelier-project/atelier/internal/studio/voice"
	"github.com/atelier-project/atelier/internal/worker"
)

// compose writes and plays songs.
func compose(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	r := order(t)
	var out []worker.Output
	for i, slot := range t.Artifacts {
		n := float64(len(t.Artifacts))
		r.Seed = t.Seed + int64(i)
		clip, score, err := song.Compose(ctx, r, func(f float64) { t.Report((float64(i)+0.9*f)/n, "composing") })
		if err != nil {
			return nil, plainly(err)
		}
		o, err := record(ctx, t, slot, clip)
		if err != nil {
			return nil, err
		}
		o.Seed = r.Seed
		o.Metadata = map[string]any{"score": score}
		out = append(out, o)
	}
	return out, nil
}

// order is what a job asks of a composer. Tempo, key and metre always come, with
// the catalog's defaults where the caller was silent; a default steps back when
// the prompt itself says otherwise.
func order(t worker.Task) song.Request {
	r := song.Request{
		Prompt: text(t, "prompt"), Lyrics: text(t, "lyrics"), Seconds: number(t, "duration", 30), BPM: number(t, "bpm", 0),
		Key: text(t, "keyscale"), TimeSig: int(number(t, "timesig", 0)), Model: t.ModelID,
	}
	said := song.Named(r.Prompt)
	if r.BPM == 120 && said.Tempo {
		r.BPM = 0
	}
	if strings.EqualFold(r.Key, "C major") && said.Key {
		r.Key = ""
	}
	if r.TimeSig == 4 && said.Time {
		r.TimeSig = 0
	}
	return r
}

// maxReference is as long as a WAV file may be, in frames: its samples are no
// more than its bytes.
const maxReference = 10 * 60 * pcm.MaxRate

// speak says texts.
func speak(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	r := voice.Request{
		Text: text(t, "prompt"), Voice: text(t, "voice"), Language: text(t, "language"),
		Creativity: number(t, "creativity", 0), ReferenceText: text(t, "voiceTranscript"),
	}
	// The model decides whose voice it is; without one, what was sent does.
	path := t.Files["voiceSourceIndex"]
	if path == "" {
		path = t.Files["voice_source_url"]
	}
	clone, design := strings.Contains(t.ModelID, "_clone"), strings.Contains(t.ModelID, "_design")
	named := strings.Contains(t.ModelID, "_voice")
	switch {
	case clone && path == "":
		return nil, worker.Failf("To clone a voice, generate_speech needs a recording of it.")
	case design && text(t, "voiceDescription") == "":
		return nil, worker.Failf("To design a voice, generate_speech needs its description.")
	case path != "" && !design && !named:
		var err error
		if r.Reference, err = hear(ctx, path); err != nil {
			return nil, err
		}
	case !named:
		r.Description = text(t, "voiceDescription")
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
	if filetype.Kind(slot.ContentType) != "audio" || extension == "" {
		return worker.Output{}, worker.Failf("The CPU renderer writes sound as WAV, FLAC and MP3, not as %s.", slot.ContentType)
	}
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

// hear reads the recording in a file: WAV and FLAC by ourselves, and what else
// there is, the sound of clips included, as film does.
func hear(ctx context.Context, path string) (*sound.Clip, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, filetype.HeadSize)
	n, _ := io.ReadFull(f, head)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	switch filetype.Detect(head[:n]) {
	case "audio/wav":
		c, err := sound.ReadWAV(wanted{ctx, f}, maxReference)
		if err == nil && c.Duration().Seconds() > maxSeconds {
			c = c.Cut(0, maxSeconds*c.Rate)
		}
		return c, plainly(err)
	case "audio/flac":
		c, err := hearFLAC(ctx, f)
		if err == nil || ctx.Err() != nil {
			return c, err
		}
	}
	s, err := film.Listen(ctx, path, engineOf(ctx), maxSeconds)
	if err != nil {
		return nil, plainly(err)
	}
	if s == nil || len(s.Samples) == 0 {
		return nil, worker.Failf("There is no sound in the recording.")
	}
	return footage.SoundOf(s), nil
}

// hearFLAC reads the beginning of a file of FLAC, as much as is worked on.
func hearFLAC(ctx context.Context, f io.Reader) (*sound.Clip, error) {
	r, err := flac.NewReader(f)
	if err != nil {
		return nil, err
	}
	c, err := r.ReadAll(ctx, min(maxSeconds*r.Rate, pcm.MaxSamples/r.Channels))
	if errors.Is(err, pcm.ErrTooLong) {
		err = nil
	}
	return (*sound.Clip)(c), err
}
