//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/lora/loratest"
)

// The service is killed while it fetches the files of a model. When it runs again it continues where they
// had stopped.
func TestPullsSurviveSIGKILL(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a hold has to end")
	}
	sites := loratest.NewSites()
	content := bytes.Repeat([]byte("weights "), 300_000)
	sites.AddHubFile("ann/checkpoints", "pony.safetensors", content)
	sites.Behave(loratest.StageCDN, loratest.After(1, loratest.Stall(1_000_000))) // after the question for the size
	site := httptest.NewServer(sites)
	t.Cleanup(site.Close)
	comfyUI, config := loratest.Weights(t, site.URL)
	env, data := []string{"ATELIER_CONFIG=" + config}, filepath.Join(t.TempDir(), "data")
	p := start(t, env, "--data", data)
	key := p.Key
	call(t, p.URL+"/v1/operator/connections", key, fmt.Sprintf(`{"name": "rig", "comfyui": {"baseUrl": "http://127.0.0.1:1", "modelsDir": %q}}`, comfyUI), nil)
	call(t, p.URL+"/v1/operator/models/pony-v7/pull", key, `{}`, nil)
	await := func(what string, is func(apitype.Pull) bool) {
		t.Helper()
		for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
			var list apitype.ModelFolders
			read(t, p.URL+"/v1/operator/models/pony-v7/pull", key, &list)
			if is(*list.Folders[0].Pull) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("the pull never is %s: %+v\n%s", what, list.Folders[0].Pull, &p.stderr)
			}
		}
	}
	await("under way", func(p apitype.Pull) bool { return p.BytesDone == 1_000_000 })
	p.kill()
	sites.Behave(loratest.StageCDN, nil)
	p = start(t, env, "--data", data)
	await("completed", func(p apitype.Pull) bool { return p.State == "completed" })
	got, err := os.ReadFile(filepath.Join(comfyUI, "models/checkpoints/pony-v7.safetensors"))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("the file has %d bytes, %v; want %d", len(got), err, len(content))
	}
	if ranges := strings.Join(sites.Ranges(), " "); !strings.HasSuffix(ranges, " bytes=1000000-") {
		t.Errorf("the storage was asked for %q", ranges)
	}
}

// read reads the data of an answer, which must succeed.
func read(t *testing.T, address, key string, data any) {
	t.Helper()
	status, text, err := get(address, key)
	if err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %s, %v", address, status, text, err)
	}
	decodeData(t, text, data)
}
