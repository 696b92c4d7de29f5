package remote

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/worker"
)

// renderLocal makes pictures with a server of the operator.
func (r *Renderer) renderLocal(ctx context.Context, t worker.Task, m Model) ([]worker.Output, error) {
	t.Receipt, t.Keep = "", func(context.Context, string) error { return nil }
	report := t.Report
	t.Report = func(progress float64, message string) { report(progress, renamed(message)) }
	outputs, err := r.renderImages(ctx, t, m)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var f *worker.Failure
	if errors.As(err, &f) {
		if f.Code == atelier.FailUnknown {
			f = &worker.Failure{Code: atelier.FailDropped, Message: f.Message, Retryable: true}
		}
		return outputs, &worker.Failure{Code: f.Code, Message: renamed(f.Message), Retryable: f.Retryable}
	}
	return outputs, err
}

// renamed names the server in a message about a vendor.
func renamed(message string) string {
	return strings.NewReplacer("The vendor", "The image server", "the vendor", "the image server").Replace(message)
}

// outOfMemory gives a failure for lack of memory its code.
func outOfMemory(err error) error {
	var f *worker.Failure
	if errors.As(err, &f) && strings.Contains(strings.ToLower(f.Message), "out of memory") {
		f.Code = atelier.FailOutOfMemory
	}
	return err
}

// localArguments are the arguments that a local server gets beyond those of the images
// API.
func (r *Renderer) localArguments() []string {
	switch {
	case r.opts.Extended:
		return []string{"seed", "negativePrompt", "guidance", "starting_image_strength"}
	case r.opts.Local:
		return []string{"seed", "negativePrompt"}
	}
	return nil
}

// extension is the name of the element with which stable-diffusion.cpp takes its own
// arguments inside a prompt.
const extension = "sd_cpp_extra_args"

// loraTag begins the element with which stable-diffusion.cpp loads a LoRA that a prompt
// names: a file of the worker, by a path that may lead out of the folder of LoRAs.
var loraTag = regexp.MustCompile(`(?i)<\s*lora\s*:`)

// localFields adds to the request for picture i what a local server gets beyond the
// images API. Other servers ignore fields that they do not know.
func (r *Renderer) localFields(body map[string]any, t worker.Task, i int) error {
	if body["size"] == "auto" {
		delete(body, "size") // the server has a default
	}
	// A prompt must not set arguments of the server, such as the path of a file.
	text := strings.ReplaceAll(prompt(t, i), extension, strings.ReplaceAll(extension, "_", " "))
	own := map[string]any{"seed": t.Seed + int64(i)}
	negative, _ := t.Arguments["negativePrompt"].(string)
	if r.opts.Extended {
		text, negative = loraTag.ReplaceAllString(text, "lora "), loraTag.ReplaceAllString(negative, "lora ")
	}
	if negative != "" {
		own["negative_prompt"] = negative
	}
	if !r.opts.Extended {
		maps.Copy(body, own)
		body["prompt"] = text
		return nil
	}
	if v, ok := t.Arguments["guidance"].(float64); ok {
		own["sample_params"] = map[string]any{"guidance": map[string]any{"txt_cfg": v}}
	}
	if v, ok := t.Arguments["starting_image_strength"].(float64); ok {
		own["strength"] = 1 - v // of the change
	}
	encoded, err := wire.Marshal(own)
	// The server looks for the end of the element in the whole text.
	body["prompt"] = text + " <" + extension + ">" + strings.ReplaceAll(string(encoded), "<", `\u003c`) + "</" + extension + ">"
	return err
}

// Await waits until the server answers, whatever it answers.
func (r *Renderer) Await(ctx context.Context) error {
	for pause := (clock.Backoff{First: r.opts.Backoff, Most: 10 * time.Second}); ; {
		asked, cancel := context.WithTimeout(ctx, time.Minute)
		_, err := r.api.do(asked, request{method: http.MethodGet, path: "/models"})
		cancel()
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		wait := pause.Next()
		r.opts.Log.Warn("image server does not answer, will retry", "server", r.opts.BaseURL, "error", err, "wait", wait)
		if !clock.Sleep(ctx, wait) {
			return ctx.Err()
		}
	}
}
