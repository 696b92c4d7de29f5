package task

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/worker"
)

// ForEachArtifact makes every artifact of a job, each with a seed of its own.
func (t Task) ForEachArtifact(message string, create func(slot apitype.AssignmentArtifact, seed int64, progress func(float64)) (worker.Output, error)) ([]worker.Output, error) {
	var out []worker.Output
	n := float64(len(t.Artifacts))
	for i, slot := range t.Artifacts {
		seed := t.Seed + int64(i)
		o, err := create(slot, seed, func(f float64) { t.Report((float64(i)+0.9*f)/n, message) })
		if err != nil {
			return nil, err
		}
		o.ID, o.Seed = slot.ID, seed
		out = append(out, o)
		if i+1 == len(t.Artifacts) {
			message = "done"
		}
		t.Report(float64(i+1)/n, message)
	}
	return out, nil
}

// WriteJSON writes a value as the JSON artifacts of a job.
func (t Task) WriteJSON(v any, meta map[string]any) ([]worker.Output, error) {
	var out []worker.Output
	for _, slot := range t.Artifacts {
		if slot.ContentType != "application/json" {
			return nil, worker.Failf("%s makes JSON, not %s.", t.ToolName, slot.ContentType)
		}
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return nil, err
		}
		path := filepath.Join(t.Folder, slot.ID+filetype.Extension(slot.ContentType))
		if err := os.WriteFile(path, append(data, '\n'), 0o600); err != nil {
			return nil, err
		}
		out = append(out, worker.Output{ID: slot.ID, Path: path, Seed: t.Seed, Metadata: meta})
	}
	t.Report(1, "done")
	return out, nil
}

// NoteUnderstood adds to the metadata of a result which parts of its prompt it
// shows, and which words had no effect. Followed are phrases that had an effect
// outside the painted scene.
func NoteUnderstood(meta map[string]any, scene paint.Scene, followed []string) {
	if words := Without(scene.NotUnderstood(), followed); len(words) > 0 {
		meta["notUnderstood"] = words
	}
	scene.Unknown = nil
	meta["understood"] = paint.Describe(scene)
}

// Without returns the words that are in none of the phrases.
func Without(words, phrases []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return slices.ContainsFunc(phrases, func(phrase string) bool { return slices.Contains(strings.Fields(phrase), w) })
	})
}
