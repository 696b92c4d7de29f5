package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
)

// benchWorker is one connection of a worker that renders nothing: it speaks the
// worker protocol and makes the smallest picture there is, which it sends along
// with the completion, as workers do with small files.
type benchWorker struct {
	*rawConn
	worker string // the session
	next   task   // that came with the answer to the last completion
}

// benchWorkers is the connections of some workers.
type benchWorkers []*benchWorker

// The models of the steps that are measured.
const workerModels = `["z_image_turbo_bf16","rtx_vsr_pro"]`

// startWorkers connects workers, each with a number of connections.
func startWorkers(ctx context.Context, url, key string, workers, each int) (benchWorkers, error) {
	var c benchWorkers
	for range workers {
		var session string
		for range each {
			l, err := dialRaw(ctx, url, key)
			if err != nil {
				return c, err
			}
			h := &benchWorker{rawConn: l}
			c = append(c, h)
			if session == "" {
				body := fmt.Appendf(nil, `{"name":"bench","network":"fast","models":%s,"capacity":%d}`, workerModels, mostJobs)
				answer, err := l.want(201, "POST", "/v1/worker/sessions", jsonBody, body)
				if err != nil {
					return c, err
				}
				session = value(answer, "workerId")
			}
			h.worker = session
		}
	}
	return c, nil
}

// mostJobs is how many jobs a worker may have at once.
const mostJobs = 64

func (c benchWorkers) stop() {
	for _, h := range c {
		h.close()
	}
}

// task is a job as a worker needs it.
type task struct{ job, artifact string }

// claim waits for a job.
func (h *benchWorker) claim() (t task, came bool, err error) {
	status, answer, err := h.ask("POST", "/v1/worker/sessions/"+h.worker+"/claim", jsonBody, []byte(`{"waitSeconds":25}`))
	switch {
	case err != nil || status == 204:
		return t, false, err
	case status != 200:
		return t, false, fmt.Errorf("claim: got %d: %s", status, answer)
	}
	return readTask(answer), true, nil
}

// readTask finds the job of an answer; its id is empty when the answer has no job.
func readTask(answer []byte) task {
	_, artifacts, _ := bytes.Cut(answer, []byte(`"artifacts":`))
	return task{value(answer, "jobId"), value(artifacts, "id")}
}

// tinyPicture is the smallest PNG that is accepted for what plan orders, in base64.
var tinyPicture = func() string {
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 128, 128))); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}()

// complete settles a job, with its picture, and takes the next if one waits.
func (h *benchWorker) complete(t task, more bool) error {
	body := fmt.Appendf(nil, `{"artifacts":[{"id":"%s","contentType":"image/png","width":128,"height":128,"seed":1,"data":"%s"}],"metrics":{"renderSeconds":0.001},"claimNext":%t}`,
		t.artifact, tinyPicture, more)
	answer, err := h.want(200, "POST", "/v1/worker/sessions/"+h.worker+"/jobs/"+t.job+"/complete", jsonBody, body)
	h.next = readTask(answer)
	return err
}

// progress says how far a job is, and something about it.
func (h *benchWorker) progress(t task, share float64, message string) error {
	body := fmt.Appendf(nil, `{"progress":%.4f,"message":%q}`, share, message)
	_, err := h.want(200, "POST", "/v1/worker/sessions/"+h.worker+"/jobs/"+t.job+"/progress", jsonBody, body)
	return err
}

// work does one job, if one comes.
func (h *benchWorker) work() (bool, error) {
	t := h.next
	if t.job == "" {
		var came bool
		var err error
		if t, came, err = h.claim(); err != nil || !came {
			return false, err
		}
	}
	return true, h.complete(t, true)
}

// plan is the body that starts a workflow with a number of steps: a picture that is
// made larger again and again.
func plan(steps int) []byte {
	parts := []string{`{"id":"s0","toolName":"generate_image","arguments":{"prompt":"a bench in a park","width":256,"height":256}}`}
	for i := 1; i < steps; i++ {
		parts = append(parts, fmt.Sprintf(`{"id":"s%d","toolName":"upscale_image","arguments":{},"dependsOn":[`+
			`{"sourceStepId":"s%d","sourceArtifactIndex":0,"targetArgument":"sourceImageIndex","transform":"image_index"}]}`, i, i-1))
	}
	return []byte(`{"input":{"title":"bench","steps":[` + strings.Join(parts, ",") + `]}}`)
}
