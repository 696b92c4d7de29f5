package comfyui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/worker"
)

// outageError says that the machine of an instance is in trouble. The job goes back.
type outageError struct {
	trouble trouble
	said    string // by ComfyUI or the system, for the log
}

func (e *outageError) Error() string { return fmt.Sprintf("%s: %s", e.trouble.cause(), e.said) }

// Unwrap is the end of the job, as customers read it.
func (e *outageError) Unwrap() error {
	code := atelier.FailUnavailable
	if e.trouble == crashTrouble {
		code = atelier.FailDropped
	}
	return worker.Retryf(code, "The job went back to the queue: %s.", e.trouble.cause())
}

// outageOf is the outage that an error reports: of ComfyUI's machine, or of the worker's own
// disk. It is nil for any other error.
func outageOf(err error) *outageError {
	var o *outageError
	switch {
	case errors.As(err, &o):
		return o
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &outageError{diskTrouble, err.Error()}
	}
	return nil
}

// memoryNote says what a render that ran out of memory alone says about the GPU: the model does
// not fit, or another program holds the memory.
func (i *instance) memoryNote(ctx context.Context) string {
	const alone = " (also with nothing else in memory)"
	stats, err := i.api.stats(ctx)
	if err != nil || len(stats.Devices) == 0 {
		return alone
	}
	const gib = 1 << 30
	d := stats.Devices[0]
	if held := d.heldByOthers(); held > d.Total/10 {
		return fmt.Sprintf(" (another program holds %.1f of the %.1f GiB of the GPU)", held/gib, d.Total/gib)
	}
	return alone
}

// illness is an outage of an instance that lasts. A small render at intervals finds out when it
// is over.
type illness struct {
	*outageError
	next    time.Time // when to try
	isTried bool      // it is being tried
}

// The wait before the first trial of an instance, and the longest. It doubles while they fail,
// and while the instance fails again after one that succeeded.
const (
	firstTrial   = 15 * time.Second
	longestTrial = 5 * time.Minute
	trialTime    = 30 * time.Second
)

// fall takes an instance out of service.
func (i *instance) fall(o *outageError) {
	i.mu.Lock()
	known := i.ill != nil
	i.relapse = min(max(firstTrial, 2*i.relapse), longestTrial)
	i.ill = &illness{outageError: o, next: time.Now().Add(i.relapse)}
	i.memory.used = nil
	i.mu.Unlock()
	if !known {
		i.log.Error("ComfyUI is out of service", "comfyui", i.api.name(), "reason", o.trouble.cause(), "error", o.said)
	}
	if o.trouble != diskTrouble && i.restart != nil {
		i.restart() // the driver is broken for this process; perhaps not for the next
	}
	i.changed()
}

// healthy records that an instance has finished a job.
func (i *instance) healthy() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ill == nil {
		i.relapse = 0
	}
}

// outage is that of an instance, nil while it is in service.
func (i *instance) outage() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ill == nil {
		return nil
	}
	return i.ill.outageError
}

// retry tries an instance that is out of service, when that is due, in the background.
func (r *Renderer) retry(watch context.Context, i *instance) {
	i.mu.Lock()
	due := i.ill != nil && i.away == nil && !i.ill.isTried && !time.Now().Before(i.ill.next)
	if due {
		i.ill.isTried = true
	}
	tried := i.ill
	i.mu.Unlock()
	if !due {
		return
	}
	r.strays.Go(func() {
		ctx, cancel := context.WithTimeout(watch, trialTime)
		defer cancel()
		err := r.try(ctx, i)
		if watch.Err() != nil {
			return
		}
		i.mu.Lock()
		isLatest := i.ill == tried // else a job has failed meanwhile, which says more than this trial
		switch {
		case !isLatest:
		case err == nil:
			i.ill = nil
		default:
			i.relapse = min(2*i.relapse, longestTrial)
			i.ill.isTried, i.ill.next = false, time.Now().Add(i.relapse)
		}
		i.mu.Unlock()
		if !isLatest {
			return
		}
		if err != nil {
			i.log.Debug("ComfyUI is still out of service", "comfyui", i.api.name(), "error", err)
			return
		}
		i.log.Info("ComfyUI is in service again", "comfyui", i.api.name())
		i.changed()
	})
}

// try finds out whether an instance can take a file, use its GPU and save a result.
func (r *Renderer) try(ctx context.Context, i *instance) error {
	folder, err := os.MkdirTemp(r.opts.Scratch, "atelier-trial-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	sample := filepath.Join(folder, "trial.bin")
	if err := os.WriteFile(sample, make([]byte, 1<<20), 0o600); err != nil {
		return err
	}
	if _, err := i.api.upload(ctx, sample, "trial.bin"); err != nil {
		return err
	}
	err = r.tryGraph(ctx, i, "ImageBlur") // which uses the GPU and needs no model
	var stale *staleError
	if errors.As(err, &stale) {
		err = r.tryGraph(ctx, i, "")
	}
	if errors.As(err, &stale) {
		return nil // it has no nodes to try: the next job does
	}
	return err
}

// tryGraph renders a small picture, through a node of a class if one is named.
func (r *Renderer) tryGraph(ctx context.Context, i *instance, class string) error {
	token := mint.UUID()
	from := link{"picture", 0}
	g := graph{"picture": {Class: "EmptyImage", Inputs: map[string]any{
		"width": 64, "height": 64, "batch_size": 1, "color": time.Now().UnixNano() % (1 << 24), // otherwise ComfyUI answers from its cache
	}}}
	if class != "" {
		g["gpu"] = &node{Class: class, Inputs: map[string]any{"image": from.value(), "blur_radius": 1, "sigma": 1}}
		from = link{"gpu", 0}
	}
	g["save"] = &node{Class: "SaveImage", Inputs: map[string]any{"images": from.value(), "filename_prefix": saved + "/" + token}}
	p := &run{api: i.api, pace: r.pool.pace, log: i.log, graph: g, report: func(float64, string) {}, starts: func() {}, ends: func() {}, spawn: r.strays.Go}
	rec, err := p.render(ctx)
	if rec != nil {
		i.remove(rec, token)
	}
	return err
}
