package cpu_test

import (
	"encoding/json"
	"image"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/worker"
)

// renderJSON renders a task that makes JSON and reads it.
func renderJSON(t *testing.T, k worker.Task) map[string]any {
	t.Helper()
	_, data := render(t, k)
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s made no JSON: %v", k.ToolName, err)
	}
	return v
}

func TestAnalyzeImage(t *testing.T) {
	t.Parallel()
	v := renderJSON(t, on(t, "analyze_image", "application/json", scene(96, 72), map[string]any{"query": "What is in it?", "detailed": true}))
	facts, _ := v["facts"].(map[string]any)
	if v["query"] != "What is in it?" || v["analysisType"] != "general" || facts["format"] != "PNG" || facts["width"] != 96.0 || facts["aspect"] != "4:3" {
		t.Errorf("analysis: %v", v)
	}
	if said, _ := v["summary"].(string); !strings.Contains(said, "96 by 72") || !strings.Contains(said, "red") {
		t.Errorf("summary: %s", said)
	}
	if said, _ := v["limits"].(string); !strings.Contains(said, "vision") {
		t.Errorf("limits: %s", said)
	}
}

func TestAnalyzeImageCompares(t *testing.T) {
	t.Parallel()
	img := scene(64, 48)
	k := on(t, "analyze_image", "application/json", img, map[string]any{"query": "Are they the same?", "analysisType": "compare"})
	if said := refusal(t, k); !strings.Contains(said, "compareImageIndex") {
		t.Errorf("without a second picture: %s", said)
	}
	k.Files["compareImageIndex"] = file(t, pngOf(t, img))
	if v := renderJSON(t, k); v["comparison"].(map[string]any)["identical"] != true {
		t.Errorf("with itself: %v", v["comparison"])
	}
	k.Files["compareImageIndex"] = file(t, pngOf(t, image.NewGray(image.Rect(0, 0, 30, 40))))
	if v := renderJSON(t, k); v["comparison"].(map[string]any)["similarity"].(float64) > 0.5 {
		t.Errorf("with a black one: %v", v["comparison"])
	}
}

func TestAnalyzeImageDoesNotRead(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"ocr", "document"} {
		k := on(t, "analyze_image", "application/json", scene(48, 48), map[string]any{"query": "Read it.", "analysisType": kind})
		if said := refusal(t, k); !strings.Contains(said, "vision language model") {
			t.Errorf("%s: %s", kind, said)
		}
	}
}
