package hostile

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/mint"
)

// honest is the account whose requests are measured.
type honest struct {
	client   *client.Client
	report   *Report
	attacked atomic.Bool
	picture  []byte
}

func newHonest(url, key string, r *Report) *honest {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 64))) // it fails only with its writer
	c := client.New(url, key)
	c.Retries = 0 // a refusal that a patient client would not notice counts as failed here
	return &honest{client: c, report: r, picture: b.Bytes()}
}

// work makes requests of every kind, each at its own pace, until ctx ends and
// what was begun has finished.
func (h *honest) work(ctx context.Context) {
	var wg sync.WaitGroup
	for _, kind := range []struct {
		name  string
		every time.Duration
		do    func(context.Context) error
	}{
		{"read", 50 * time.Millisecond, h.read},
		{"upload", 250 * time.Millisecond, h.upload},
		{"chat", 200 * time.Millisecond, h.chat},
		{"render", 500 * time.Millisecond, h.render},
	} {
		wg.Go(func() {
			tick := time.NewTicker(kind.every)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
				case <-ctx.Done():
					return
				}
				attacked, began := h.attacked.Load(), time.Now()
				limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
				err := kind.do(limited)
				cancel()
				h.report.add(kind.name, attacked, time.Since(began), err)
			}
		})
	}
	wg.Wait()
}

func (h *honest) read(ctx context.Context) error {
	var b atelier.Balance
	return h.client.Call(ctx, http.MethodGet, "/v4/account/balance", nil, &b)
}

func (h *honest) upload(ctx context.Context) error {
	_, err := h.client.UploadImage(ctx, mint.UUID(), "startingImage", "image/png", bytes.NewReader(h.picture))
	return err
}

func (h *honest) chat(ctx context.Context) error {
	body := map[string]any{"svc_tools": "none", "messages": []any{map[string]any{"role": "user", "content": "What is a lighthouse?"}}}
	return post(ctx, http.DefaultClient, h.client.URL, h.client.Key, "/v1/chat/completions", body, nil)
}

func (h *honest) render(ctx context.Context) error {
	w, err := h.client.StartWorkflow(ctx, client.Start{Steps: []atelier.StepInput{{
		ID: "a", ToolName: "generate_image", Arguments: map[string]any{"prompt": "a lighthouse at dusk", "width": 256, "height": 256},
	}}})
	if err != nil {
		return err
	}
	for n, err := range h.client.Follow(ctx, w.WorkflowID, -1) {
		if err != nil {
			return fmt.Errorf("%w after %+v", err, n)
		}
	}
	if w, err = h.client.Workflow(ctx, w.WorkflowID); err == nil && w.Status != atelier.StatusCompleted {
		err = fmt.Errorf("the workflow is %s: %+v", w.Status, w.Error)
	}
	return err
}
