package audio

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/song"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/kit/studio/voice"
	"github.com/atelier-project/atelier/internal/worker"
)

// GenerateMusic composes and renders songs.
func GenerateMusic(ctx context.Context, t task.Task) ([]worker.Output, error) {
	r := musicRequest(t)
	return t.ForEachArtifact("composing", func(slot apitype.AssignmentArtifact, seed int64, progress func(float64)) (worker.Output, error) {
		r.Seed = seed
		clip, score, err := song.Compose(ctx, r, progress)
		if err != nil {
			return worker.Output{}, task.Failure(err)
		}
		return write(ctx, t, slot, clip, map[string]any{"score": score})
	})
}

// musicRequest returns the song request of a job. Tempo, key and time signature
// always have a value, by default that of the catalog; the prompt has
// precedence over such a default.
func musicRequest(t task.Task) song.Request {
	r := song.Request{
		Prompt: t.Text("prompt"), Lyrics: t.Text("lyrics"), Seconds: t.Number("duration", 30), BPM: t.Number("bpm", 0),
		Key: t.Text("keyscale"), TimeSig: int(t.Number("timesig", 0)), Model: t.ModelID,
	}
	said := song.ReadMeasures(r.Prompt)
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

// GenerateSpeech speaks a text.
func GenerateSpeech(ctx context.Context, t task.Task) ([]worker.Output, error) {
	r := voice.Request{
		Text: t.Text("prompt"), Voice: t.Text("voice"), Language: t.Text("language"),
		Creativity: t.Number("creativity", 0), ReferenceText: t.Text("voiceTranscript"),
	}
	// The model decides between cloned, designed and named voices; without a
	// model, the arguments do.
	path := t.Files["voiceSourceIndex"]
	if path == "" {
		path = t.Files["voice_source_url"]
	}
	clone, design := strings.Contains(t.ModelID, "_clone"), strings.Contains(t.ModelID, "_design")
	named := strings.Contains(t.ModelID, "_voice")
	switch {
	case clone && path == "":
		return nil, worker.Failf("To clone a voice, generate_speech needs a recording of it.")
	case design && t.Text("voiceDescription") == "":
		return nil, worker.Failf("To design a voice, generate_speech needs its description.")
	case path != "" && !design && !named:
		var err error
		if r.Reference, err = t.Sound(ctx, path); err != nil {
			return nil, err
		}
	case !named:
		r.Description = t.Text("voiceDescription")
	}
	return t.ForEachArtifact("speaking", func(slot apitype.AssignmentArtifact, seed int64, progress func(float64)) (worker.Output, error) {
		r.Seed = seed
		clip, info, err := voice.Speak(ctx, r, progress)
		if err != nil {
			return worker.Output{}, task.Failure(err)
		}
		return write(ctx, t, slot, clip, map[string]any{"speech": info})
	})
}

// write writes a recording in the type of its artifact.
func write(ctx context.Context, t task.Task, slot apitype.AssignmentArtifact, clip *sound.Clip, meta map[string]any) (worker.Output, error) {
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
		return worker.Output{}, task.Failure(err)
	}
	return worker.Output{Path: path, DurationSeconds: clip.Duration().Seconds(), Metadata: meta}, nil
}
