package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"strings"
)

// hand is one of the hands of a worker that renders nothing: it speaks the
// whole worker protocol and uploads the smallest picture there is.
type hand struct {
	*line
	worker string // the session
	form   []byte // the body of its last upload
}

// crew is the hands of some workers.
type crew []*hand

// The models of the steps that are measured.
const handModels = `["z_image_turbo_bf16","rtx_vsr_pro"]`

// hire connects workers with so many hands each.
func hire(ctx context.Context, url, key string, workers, hands int) (crew, error) {
	var c crew
	for range workers {
		var session string
		for range hands {
			l, err := call(ctx, url, key)
			if err != nil {
				return c, err
			}
			h := &hand{line: l}
			c = append(c, h)
			if session == "" {
				body := fmt.Appendf(nil, `{"name":"bench","network":"fast","models":%s,"capacity":%d}`, handModels, mostHands)
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

// mostHands is how many jobs a worker may have at once.
const mostHands = 64

func (c crew) dismiss() {
	for _, h := range c {
		h.close()
	}
}

// task is a job as a hand needs it.
type task struct{ job, project, artifact string }

// claim waits for a job.
func (h *hand) claim() (t task, came bool, err error) {
	status, answer, err := h.ask("POST", "/v1/worker/sessions/"+h.worker+"/claim", jsonBody, []byte(`{"waitSeconds":25}`))
	switch {
	case err != nil || status == 204:
		return t, false, err
	case status != 200:
		return t, false, fmt.Errorf("claim: got %d: %s", status, answer)
	}
	_, artifacts, _ := bytes.Cut(answer, []byte(`"artifacts":`))
	t = task{value(answer, "jobId"), value(answer, "projectId"), value(artifacts, "id")}
	return t, true, nil
}

// tinyPicture is a PNG of one pixel.
var tinyPicture = func() []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return out.Bytes()
}()

const boundary = "a-boundary-between-the-fields-of-a-form"

// ticket asks for the form that an artifact is uploaded with, and fills it in.
func (h *hand) ticket(t task) error {
	answer, err := h.want(200, "GET", "/v2/image/uploadUrl?type=complete&contentType=image/png&jobId="+t.project+"&imageId="+t.artifact, "", nil)
	if err != nil {
		return err
	}
	var reply struct {
		Data struct {
			URL    string
			Fields map[string]string
		}
	}
	if err := json.Unmarshal(answer, &reply); err != nil {
		return err
	}
	form := h.form[:0]
	for name, text := range reply.Data.Fields {
		form = fmt.Appendf(form, "--%s\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", boundary, name, text)
	}
	form = fmt.Appendf(form, "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\nContent-Type: image/png\r\n\r\n", boundary)
	h.form = append(append(form, tinyPicture...), "\r\n--"+boundary+"--\r\n"...)
	return nil
}

// upload posts the form.
func (h *hand) upload() error {
	_, err := h.want(204, "POST", "/storage", "Content-Type: multipart/form-data; boundary="+boundary+"\r\n", h.form)
	return err
}

// complete settles a job whose picture is uploaded.
func (h *hand) complete(t task) error {
	body := `{"artifacts":[{"id":"` + t.artifact + `","contentType":"image/png","width":256,"height":256,"seed":1}],"metrics":{"renderSeconds":0.001}}`
	_, err := h.want(200, "POST", "/v1/worker/sessions/"+h.worker+"/jobs/"+t.job+"/complete", jsonBody, []byte(body))
	return err
}

// progress says how far a job is, and something about it.
func (h *hand) progress(t task, share float64, message string) error {
	body := fmt.Appendf(nil, `{"progress":%.4f,"message":%q}`, share, message)
	_, err := h.want(200, "POST", "/v1/worker/sessions/"+h.worker+"/jobs/"+t.job+"/progress", jsonBody, body)
	return err
}

// work does one job, if one comes.
func (h *hand) work() (bool, error) {
	t, came, err := h.claim()
	if err != nil || !came {
		return false, err
	}
	if err := h.ticket(t); err != nil {
		return false, err
	}
	if err := h.upload(); err != nil {
		return false, err
	}
	return true, h.complete(t)
}

// plan is the body that starts a workflow of so many steps: a picture that is
// made larger again and again.
func plan(steps int) []byte {
	parts := []string{`{"id":"s0","toolName":"generate_image","arguments":{"prompt":"a bench in a park","width":256,"height":256}}`}
	for i := 1; i < steps; i++ {
		parts = append(parts, fmt.Sprintf(`{"id":"s%d","toolName":"upscale_image","arguments":{},"dependsOn":[`+
			`{"sourceStepId":"s%d","sourceArtifactIndex":0,"targetArgument":"sourceImageIndex","transform":"image_index"}]}`, i, i-1))
	}
	return []byte(`{"input":{"title":"bench","steps":[` + strings.Join(parts, ",") + `]}}`)
}
