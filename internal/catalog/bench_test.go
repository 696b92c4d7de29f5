package catalog_test

import (
	"encoding/json"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
)

// BenchmarkLoad measures what the catalog adds to the start of the service.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := catalog.Load(""); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPlan validates and prices a plan of twelve steps, the most a
// workflow may have.
func BenchmarkPlan(b *testing.B) {
	calls := []struct {
		tool, args string
		facts      catalog.Facts
	}{
		{"generate_image", `{"prompt":"a heron at dawn","model":"krea-2-turbo","width":1280,"height":768,"numberOfVariations":4}`, none()},
		{"edit_image", `{"prompt":"add fog"}`, bound("sourceImageIndex")},
		{"animate_photo", `{"prompt":"it takes off","videoModel":"minimax-h3-i2v-turbo","duration":8}`, bound("sourceImageIndex")},
		{"generate_video", `{"prompt":"waves","duration":6,"referenceImageIndices":[-1]}`, up(1, 0, 0)},
		{"generate_music", `{"prompt":"quiet piano","duration":60}`, none()},
		{"stitch_video", `{"transition":{"type":"fade"}}`, bound("videoIndices", "videoIndices", "audioIndex")},
	}
	args := make([]map[string]any, len(calls))
	for i, c := range calls {
		if err := json.Unmarshal([]byte(c.args), &args[i]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for range 2 {
			for i, c := range calls {
				if _, err := shared.Step(c.tool, args[i], c.facts); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}
