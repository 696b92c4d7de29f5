package remote_test

import (
	"image/color"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/worker/remote"
)

// The examples of the guide are valid, its adapter renders, and the messages in it
// are those of the program.
func TestTheGuide(t *testing.T) {
	t.Parallel()
	text := string(read(t, "../../../docs/guides/vendors.md"))
	var adapters []string
	configs := 0
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(text, -1) {
		if !strings.Contains(block[1], "vendors:\n") {
			adapters = append(adapters, block[1])
			continue
		}
		configs++
		file := filepath.Join(t.TempDir(), "atelier.yaml")
		if err := os.WriteFile(file, []byte(block[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(file, nil)
		if err != nil {
			t.Errorf("%s: %v", block[1], err)
			continue
		}
		for _, v := range c.Vendors {
			for _, m := range v.Models {
				if known, ok := models().Model(m.ID); !ok || known.Vendor == "" {
					t.Errorf("%s is no vendor model", m.ID)
				}
			}
		}
	}
	if configs != 4 || len(adapters) != 1 {
		t.Fatalf("the guide has %d configurations and %d adapters, want four and one", configs, len(adapters))
	}
	a, err := remote.ParseAdapter("acme.yaml", []byte(strings.Replace(adapters[0], "poll_every: 2s", "poll_every: 10ms", 1)))
	if err != nil {
		t.Fatal(err)
	}
	v := newFakeVendor(t, map[string]string{
		"POST /v1/renders": `{"render":{"id":9}}`, "GET /v1/renders/9": `{"render":{"state":"ready","files":[{"href":"HOST/clip.mp4"}]}}`,
	})
	k, _ := task(t, "generate_video", seedance, map[string]any{"prompt": "a fox", "duration": 4.2, "ratio": "9:16"}, clip, "referenceImageIndices", pngFile(t, 8, 8, color.White))
	if _, err := open(t, v.URL, seedance, a).Render(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	inputs, _ := v.body["inputs"].([]any)
	delete(v.body, "inputs")
	if want := jsonOf(t, `{"engine":"acme-1","text":"a fox","seconds":5,"frame":"tall"}`); !reflect.DeepEqual(any(v.body), want) || len(inputs) != 1 || v.head.Get("X-Request-Token") == "" {
		t.Errorf("the submit: got %v and %d inputs, want %v", v.body, len(inputs), want)
	}
	_, err = remote.ParseAdapter("./acme.yaml", []byte(strings.Replace(adapters[0], "{{prompt}}", "{{promt}}", 1)))
	if err == nil || !strings.Contains(text, "vendors[0].adapter: "+err.Error()) {
		t.Errorf("the guide does not show the message %v", err)
	}
	for _, name := range remote.Adapters() {
		if !strings.Contains(text, "| `"+name+"` |") {
			t.Errorf("the guide does not name the adapter %s", name)
		}
	}
	var inline config.Inline
	if message := inline.UnmarshalText(nil).Error(); !strings.Contains(text, message) {
		t.Errorf("the guide does not show the message %q", message)
	}
}
