package test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/atelier-project/atelier/internal/lora/loratest"
)

// held sends the first bytes of a file, and the rest when it is let.
type held struct {
	http.ResponseWriter
	left int
	let  <-chan struct{}
	gone <-chan struct{}
}

func (h *held) Unwrap() http.ResponseWriter { return h.ResponseWriter }

func (h *held) Write(p []byte) (int, error) {
	if len(p) < h.left {
		h.left -= len(p)
		return h.ResponseWriter.Write(p)
	}
	n, err := h.ResponseWriter.Write(p[:h.left])
	_ = http.NewResponseController(h.ResponseWriter).Flush()
	select {
	case <-h.let:
	case <-h.gone:
	}
	h.left = 1 << 40
	if err != nil {
		return n, err
	}
	rest, err := h.ResponseWriter.Write(p[n:])
	return n + rest, err
}

// An operator has the files of a model fetched, sees how far that is, cancels it, continues it, and sees it done.
// Without a folder the page has the command instead.
func TestFetchFilesOfAModel(t *testing.T) {
	t.Parallel()
	sites := loratest.NewSites()
	sites.AddHubFile("ann/checkpoints", "pony.safetensors", make([]byte, 3_000_000))
	let := make(chan struct{})
	sites.Behave(loratest.StageCDN, loratest.After(1, func(next http.Handler) http.Handler { // after the question for the size
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&held{w, 1_000_000, let, r.Context().Done()}, r)
		})
	}))
	site := httptest.NewServer(sites)
	t.Cleanup(site.Close)
	comfyUI, config := loratest.Weights(t, site.URL)
	s := startService(t, "ATELIER_CONFIG="+config)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/models/pony-v7")
	p.seeText("atelier models pull pony-v7 --comfyui ComfyUI")
	p.gone("button", "Fetch the files")

	s.call("POST", "/v1/operator/connections", map[string]any{
		"name": "rig", "comfyui": map[string]string{"baseUrl": "http://127.0.0.1:1", "modelsDir": comfyUI},
	})
	p.open("/models/pony-v7")
	p.see("heading", "ComfyUI of rig")
	p.see("button", "Fetch the files")
	if evaluate[bool](p, `document.body.innerText.includes("atelier worker")`) {
		t.Error("the page asks for a worker although the service renders")
	}
	p.checkAccess("a folder for the files of a model")
	p.click("button", "Fetch the files")
	p.seeText("pony-v7.safetensors: 1.0 MB of 3.0 MB")
	p.wait("the progress", `Math.abs(document.querySelector("progress")?.value - 1/3) < 0.01`)
	p.checkAccess("files of a model on their way")
	p.click("button", "Cancel")
	p.seeText("Cancelled. What has arrived is kept.")
	p.checkAccess("files of a model, cancelled")
	p.click("button", "Continue")
	p.see("button", "Cancel")
	close(let)
	p.seeText("All files are in " + comfyUI)
	p.see("button", "Look for missing files")
	if info, err := os.Stat(filepath.Join(comfyUI, "models/checkpoints/pony-v7.safetensors")); err != nil || info.Size() != 3_000_000 {
		t.Errorf("the file: %v, %v", info, err)
	}
	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open("/models/pony-v7")
	small.seeText("All files are in ")
	small.checkAccess("files of a model on a phone")
}
