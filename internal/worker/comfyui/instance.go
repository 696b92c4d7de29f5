package comfyui

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/worker"
)

// instance is one ComfyUI.
type instance struct {
	api     *api
	log     *slog.Logger
	output  string // its output directory on this machine; empty when it is not known
	restart func() // starts its process again; nil when something else does
	changed func() // is called when what it has, or whether it answers, may have changed

	mu      sync.Mutex
	survey  *survey       // the newest; nil until it has answered
	stale   bool          // it must be surveyed again before the next job
	away    error         // why it does not answer; nil while it does
	busy    int           // jobs of ours on it
	ending  int           // of those, jobs that are about to be rendered
	ill     *illness      // why it is out of service although it answers; nil while it is not
	relapse time.Duration // before the next trial
	memory  memory
	system  system // as it last described itself, for reports
}

// surveyed returns the survey of the instance, and makes one at first and
// when it may have changed.
func (i *instance) surveyed(ctx context.Context, l *Library) (*survey, error) {
	i.mu.Lock()
	s, current := i.survey, i.survey != nil && !i.stale && i.away == nil
	i.mu.Unlock()
	if current {
		return s, nil
	}
	return i.surveyAgain(ctx, l)
}

func (i *instance) surveyAgain(ctx context.Context, l *Library) (*survey, error) {
	s, err := newSurvey(ctx, i.api, l)
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	known := i.survey != nil && i.away == nil
	i.survey, i.stale, i.away = s, false, nil
	i.mu.Unlock()
	if !known {
		i.log.Info("ComfyUI connected", "comfyui", i.api.name(), "version", s.version, "device", s.device, "graphs", len(s.ready))
	}
	i.changed()
	return s, nil
}

// leave records that the instance does not answer. It may come back with other nodes
// and files.
func (i *instance) leave(err error) {
	i.mu.Lock()
	known := i.away == nil
	i.away, i.stale, i.memory.used = err, true, nil
	i.mu.Unlock()
	if known {
		i.log.Warn("query ComfyUI failed", "comfyui", i.api.name(), "error", err)
	}
	i.changed()
}

// suspect has the instance surveyed before the next job: it may have been restarted.
func (i *instance) suspect() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stale, i.memory.used = true, nil
}

// supply uploads the files of a job to an instance.
func (i *instance) supply(ctx context.Context, o *order, loras []loraFile, pause time.Duration) (map[string]string, []loadedLora, error) {
	names, err := i.upload(ctx, o)
	if err != nil || len(loras) == 0 {
		return names, nil, err
	}
	loaded, err := i.findLoras(ctx, o.task.Loras, loras, pause)
	return names, loaded, err
}

// upload hands the files of a job to an instance.
func (i *instance) upload(ctx context.Context, o *order) (map[string]string, error) {
	names := map[string]string{}
	for argument, path := range o.task.Files {
		name, err := uploadName(path)
		if err != nil {
			return nil, err
		}
		at, err := i.api.upload(ctx, path, name)
		if isUnreachable(err) && (len(names) > 0 || wasReached(err)) {
			return nil, &handoverError{err}
		}
		if broken(err) { // it says no more than that; it could not write the file
			return nil, &outageError{diskTrouble, err.Error()}
		}
		if err != nil {
			return nil, explain(err, "The input "+argument+" could not be handed to ComfyUI")
		}
		names[argument] = at
	}
	return names, nil
}

// listTries is how often ComfyUI is asked for LoRAs that were just placed: a directory on
// another machine is seen late.
const listTries = 5

// findLoras finds LoRAs among the files that ComfyUI lists. It reads its directories
// again when they have changed.
func (i *instance) findLoras(ctx context.Context, wanted []apitype.AssignmentLora, files []loraFile, pause time.Duration) ([]loadedLora, error) {
	for try := 1; ; try++ {
		list, err := i.api.files(ctx, "loras")
		if err != nil {
			return nil, err
		}
		var loaded []loadedLora
		late := false
		for n, f := range files {
			name, ok := findFile(list, f.base)
			switch {
			case !ok && f.digest == "":
				return nil, worker.Failf("The LoRA %s has no address, and ComfyUI has no file %s.", wanted[n].ID, f.base)
			case !ok && try == listTries:
				return nil, worker.Failf("ComfyUI does not find the LoRA that the worker placed in --lora-dir: it must be a directory from which ComfyUI reads LoRAs.")
			case !ok:
				late = true
			}
			loaded = append(loaded, loadedLora{name, wanted[n].Strength})
		}
		if !late {
			return loaded, nil
		}
		if !clock.Sleep(ctx, pause) {
			return nil, ctx.Err()
		}
	}
}

// explain adds a sentence to an error answer of ComfyUI; other errors stay
// unchanged.
func explain(err error, sentence string) error {
	if err == nil || isUnreachable(err) {
		return err
	}
	return worker.Failf("%s: %s.", sentence, publicReason(err))
}

// uploadName names a file by its digest, so that ComfyUI's cache recognises the
// same file.
func uploadName(path string) (string, error) {
	digest, err := fileDigest(path)
	if err != nil {
		return "", err
	}
	return digest + filetype.Extension(filetype.DetectFile(path)), nil
}
