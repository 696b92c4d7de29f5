package cpu_test

import (
	"strings"
	"testing"
)

// A model says how it was made, and what of the order it could not use.
func TestModelsSayWhatTheyAreMadeOf(t *testing.T) {
	t.Parallel()
	k := task(t, "image_to_3d", "", "model/gltf-binary", map[string]any{"meshTargetFaces": 5000.0, "textureSize": 64.0, "normalMapSize": 32.0,
		"ambientOcclusionSize": 512.0, "shapeResolution": 1024.0})
	k.Files["sourceImageIndex"] = photo(t)
	k.Files["backViewImageIndex"] = photo(t)
	out, data := render(t, k)
	if string(data[:4]) != "glTF" {
		t.Errorf("it begins with %q", data[:4])
	}
	if left, _ := out.Metadata["leftOut"].([]string); len(left) != 3 || !strings.HasPrefix(left[0], "backViewImageIndex") ||
		!strings.HasPrefix(left[1], "ambientOcclusionSize") || !strings.HasPrefix(left[2], "shapeResolution") || out.Metadata["method"] == nil {
		t.Errorf("the metadata is %v, want the method, and what was not used", out.Metadata)
	}
}
