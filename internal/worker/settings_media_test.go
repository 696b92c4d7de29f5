package worker_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/mediameta"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/worker"
)

// deliver has a worker deliver a file, and returns what the service stores.
func deliver(t *testing.T, name string, file []byte, set ...func(*config.Config)) []byte {
	t.Helper()
	st := open(t, func(_ context.Context, task worker.Task) ([]worker.Output, error) {
		path := filepath.Join(task.Folder, name)
		out := worker.Output{ID: task.Artifacts[0].ID, Path: path, Seed: task.Seed}
		err := os.WriteFile(path, file, 0o600)
		out.Measure()
		return []worker.Output{out}, err
	}, set...)
	contentType := filetype.Detect(file)
	j := st.submit(func(s *fleet.Submission) {
		s.Spec.Tool = "generate_music"
		s.Spec.Arguments = map[string]any{"prompt": "a fox", "source_url": "https://example.org/a.wav?signature=secret"}
		s.Spec.Artifacts = []atelier.JobArtifact{{ID: "a0", Kind: filetype.Kind(contentType), ContentType: contentType}}
	})
	p := st.project(j.ProjectID)
	if p.Status != "completed" {
		t.Fatalf("%s: project: %+v", name, p)
	}
	resp, err := http.Get(p.CompletedWorkerJobs[0].ResultURL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	stored, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var made []atelier.Artifact
	err = st.s.Node.DB.Read(t.Context(), func(tx *store.Tx) error {
		made, err = tx.Artifacts(j.ID)
		return err
	})
	if err != nil || len(made) != 1 || made[0].Bytes != int64(len(stored)) {
		t.Errorf("%s: %d bytes are stored, recorded are %+v, %v", name, len(stored), made, err)
	}
	return stored
}

// Clips and recordings of any worker have in them what they were made with, unless an operator turns it off. The sizes
// that the service records are those of the files that it stores.
func TestClipsAndRecordingsHaveTheirSettings(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"video.mp4", "video.mov", "sound.wav", "sound.flac", "sound.mp3"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain, err := os.ReadFile("../ateliertest/media/" + name)
			if err != nil {
				t.Fatal(err)
			}
			file := deliver(t, name, plain)
			got, err := mediameta.Read(bytes.NewReader(file), int64(len(file)))
			if err != nil || got.Tool != "generate_music" || got.Model != model || got.Seed == nil || *got.Seed != 7 || len(got.Arguments) != 1 || got.Arguments["prompt"] != "a fox" {
				t.Errorf("got %+v, %v", got, err)
			}
			if bytes.Contains(file, []byte("secret")) {
				t.Error("the file has a secret in it")
			}
			if filetype.Kind(filetype.Detect(plain)) == "video" {
				if _, err := mp4.Probe(bytes.NewReader(file), int64(len(file))); err != nil {
					t.Error(err)
				}
			}
			without := deliver(t, name, file, func(c *config.Config) { c.Workers.EmbedSettings = false })
			if _, err := mediameta.Read(bytes.NewReader(without), int64(len(without))); !errors.Is(err, mediameta.ErrNone) || bytes.Contains(without, []byte("a fox")) {
				t.Errorf("settings that a renderer wrote are delivered although they are turned off: %v", err)
			}
		})
	}
}

// A file into which nothing can be written is delivered as it is.
func TestFilesWithoutPlaceForSettings(t *testing.T) {
	t.Parallel()
	sound, err := os.ReadFile("../ateliertest/media/sound.mp3")
	if err != nil {
		t.Fatal(err)
	}
	old := append([]byte("ID3\x02\x00\x00\x00\x00\x00\x08TT2\x00\x00\x02\x00F"), sound[mp3Head(sound):]...)
	if got := deliver(t, "old.mp3", old); !bytes.Equal(got, old) {
		t.Error("a tag of an old version was changed")
	}
}

// mp3Head is how long the tag of an MP3 is.
func mp3Head(file []byte) int {
	if !bytes.HasPrefix(file, []byte("ID3")) {
		return 0
	}
	return 10 + int(file[6])<<21 + int(file[7])<<14 + int(file[8])<<7 + int(file[9])
}
