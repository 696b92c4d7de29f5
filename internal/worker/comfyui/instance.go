package comfyui

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"sync"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/worker"
)

// instance is one ComfyUI.
type instance struct {
	api *api

	mu     sync.Mutex
	survey *survey // nil until it has answered, and after it could not be reached
	busy   int     // jobs of ours on it
	model  string  // the model of the last job
}

// surveyed returns the survey of the instance, and makes one when there is none.
func (i *instance) surveyed(ctx context.Context, l *Library) (*survey, error) {
	i.mu.Lock()
	s := i.survey
	i.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := newSurvey(ctx, i.api, l)
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.survey = s
	return s, nil
}

// forgetSurvey deletes the survey of an instance that does not answer: it may come
// back with other nodes and files.
func (i *instance) forgetSurvey() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.survey, i.model = nil, ""
}

// prepare prepares an instance for a model. When the last job used another model,
// that one is unloaded first, so that two large models need not fit into memory
// together.
func (i *instance) prepare(ctx context.Context, model string) error {
	i.mu.Lock()
	before := i.model
	i.mu.Unlock()
	if before != "" && before != model {
		if err := i.api.free(ctx); err != nil {
			return err
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.model = model
	return nil
}

// supply uploads the files of a job to an instance.
func (i *instance) supply(ctx context.Context, o *order, loras []loraFile) (map[string]string, []loadedLora, error) {
	names := map[string]string{}
	for argument, path := range o.task.Files {
		name, err := uploadName(path)
		if err != nil {
			return nil, nil, err
		}
		if names[argument], err = i.api.upload(ctx, path, name); err != nil {
			return nil, nil, explain(err, "The input "+argument+" could not be handed to ComfyUI")
		}
	}
	if len(loras) == 0 {
		return names, nil, nil
	}
	list, err := i.api.files(ctx, "loras")
	if err != nil {
		return nil, nil, err
	}
	var loaded []loadedLora
	for n, f := range loras {
		name, ok := findFile(list, f.base)
		switch {
		case !ok && f.digest == "":
			return nil, nil, worker.Failf("The LoRA %s has no address, and ComfyUI at %s has no file %s.", o.task.Loras[n].ID, i.api.name(), f.base)
		case !ok:
			return nil, nil, worker.Failf("ComfyUI at %s does not find the LoRA that the worker placed in --lora-dir: it must be a directory from which ComfyUI reads LoRAs.", i.api.name())
		}
		loaded = append(loaded, loadedLora{name, o.task.Loras[n].Strength})
	}
	return names, loaded, nil
}

// explain adds a sentence to an error answer of ComfyUI; other errors stay
// unchanged.
func explain(err error, sentence string) error {
	if err == nil || isUnreachable(err) {
		return err
	}
	return worker.Failf("%s: %v.", sentence, err)
}

// uploadName names a file by its digest, so that ComfyUI's cache recognises the
// same file.
func uploadName(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)) + filetype.Extension(filetype.DetectFile(path)), nil
}
