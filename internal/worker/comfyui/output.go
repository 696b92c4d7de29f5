package comfyui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/worker"
)

var errTooLarge = errors.New("it is too large")

// converters convert the types that ComfyUI writes to types that may be ordered.
var converters = map[[2]string]func(from, to string) error{
	{"image/png", "image/jpeg"}: toJPEG,
	{"image/jpeg", "image/png"}: toPNG,
	{"audio/flac", "audio/wav"}: toWAV,
}

func converter(from, to string) func(from, to string) error {
	return converters[[2]string{filetype.Canonical(from), filetype.Canonical(to)}]
}

// file finds the file of a node among the outputs of a prompt. Nodes list their
// files under various names: images, audio, gifs, 3d.
func (r *record) file(node string) (file, bool) {
	lists := r.Outputs[node]
	var found []file
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		var items []json.RawMessage
		if json.Unmarshal(lists[name], &items) != nil {
			continue
		}
		for _, item := range items {
			var f file
			if json.Unmarshal(item, &f) == nil && f.Name != "" {
				found = append(found, f)
			}
		}
	}
	for _, f := range found {
		if f.Type != "temp" {
			return f, true // the saved file is preferred to a preview
		}
	}
	if len(found) > 0 {
		return found[0], true
	}
	return file{}, false
}

// fetch downloads the file of a prompt and converts it to the ordered type.
func (o *order) fetch(ctx context.Context, a *api, r *record, from output, slot apitype.AssignmentArtifact, artifact int, limit int64) (worker.Output, error) {
	f, ok := r.file(from.Node)
	if !ok {
		return worker.Output{}, worker.Failf("ComfyUI finished, but node %s made no file.", from.Node)
	}
	raw := filepath.Join(o.task.Folder, fmt.Sprintf("made-%d", artifact))
	if err := o.download(ctx, a, f, raw, limit); err != nil {
		return worker.Output{}, err
	}
	if from.Selects != "" {
		empty, err := isEmptySelection(raw)
		if err != nil {
			return worker.Output{}, worker.Failf("The result of ComfyUI cannot be read: %v.", err)
		}
		if empty {
			return worker.Output{}, worker.Failf("Nothing in the picture matches %q.", formatValue(o.task.Arguments[from.Selects]))
		}
	}
	made := filetype.DetectFile(raw)
	path := raw
	if !filetype.Fits(slot.ContentType, made) {
		convert := converter(made, slot.ContentType)
		if convert == nil {
			return worker.Output{}, worker.Failf("ComfyUI made %s instead of %s, and this worker cannot convert it.", orUnknown(made), slot.ContentType)
		}
		path = raw + filetype.Extension(slot.ContentType)
		if err := convert(raw, path); err != nil {
			return worker.Output{}, worker.Failf("The result of ComfyUI cannot be converted to %s: %v.", slot.ContentType, err)
		}
	}
	out := worker.Output{ID: slot.ID, Path: path, Seed: o.seed(artifact), DurationSeconds: o.seconds(artifact)}
	if filetype.Kind(made) == "video" {
		out.Width, out.Height, _ = o.size(artifact) // unless the file says
	}
	out.Measure()
	if path != raw {
		os.Remove(raw)
	}
	return out, nil
}

func (o *order) download(ctx context.Context, a *api, f file, path string, limit int64) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	body, err := a.view(ctx, f)
	if err != nil {
		return err
	}
	defer body.Close()
	n, err := save(path, body, limit, stop)
	var disk *fs.PathError
	switch {
	case errors.As(err, &disk):
		return err
	case errors.Is(context.Cause(ctx), errStalled):
		return &unreachableError{a.name(), errStalled}
	case err != nil && n > limit:
		return worker.Failf("The result of ComfyUI is larger than %d bytes.", limit)
	case err != nil:
		return &unreachableError{a.name(), err}
	}
	return nil
}

func orUnknown(contentType string) string {
	if contentType == "" {
		return "a file of an unknown type"
	}
	return contentType
}
