package ateliertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ComfyUI is a stand-in of a ComfyUI with its folder: it has the nodes of the graphs for SDXL, lists
// the files of its folder, at first those of analog-madness-xl, and renders nothing.
type ComfyUI struct {
	URL string
	Dir string // has the folder models
}

// comfyNodes are the nodes of the graphs for SDXL.
var comfyNodes = []string{
	"CLIPTextEncode", "CheckpointLoaderSimple", "EmptyLatentImage", "ImageScale", "KSampler", "LoadImage",
	"SaveAnimatedWEBP", "SaveImage", "VAEDecode", "VAEEncode",
}

// NewComfyUI serves a ComfyUI until the test ends.
func NewComfyUI(t testing.TB) ComfyUI {
	t.Helper()
	c := ComfyUI{Dir: t.TempDir()}
	checkpoints := filepath.Join(c.Dir, "models", "checkpoints")
	err := os.MkdirAll(checkpoints, 0o777)
	if err == nil {
		err = os.WriteFile(filepath.Join(checkpoints, "analog-madness-xl.safetensors"), []byte("weights"), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// ServeHTTP implements http.Handler.
func (c ComfyUI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	folder, isFolder := strings.CutPrefix(r.URL.Path, "/models/")
	switch {
	case r.URL.Path == "/object_info":
		nodes := map[string]any{}
		for _, name := range comfyNodes {
			nodes[name] = map[string]any{"input": map[string]any{}}
		}
		_ = json.NewEncoder(w).Encode(nodes)
	case r.URL.Path == "/system_stats":
		fmt.Fprint(w, `{"system": {"comfyui_version": "0.33.0"}, "devices": [{"name": "cuda:0 Stand-in"}]}`)
	case r.URL.Path == "/prompt":
		fmt.Fprint(w, `{"exec_info": {"queue_remaining": 0}}`)
	case isFolder:
		names := []string{}
		entries, _ := os.ReadDir(filepath.Join(c.Dir, "models", filepath.Base(folder)))
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".safetensors") {
				names = append(names, e.Name())
			}
		}
		_ = json.NewEncoder(w).Encode(names)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}
