package template

import (
	"fmt"

	"github.com/atelier-project/atelier/internal/catalog"
)

// transform says how a binding passes an artifact to an argument.
type transform struct {
	kind catalog.Kind // of the artifact; empty for any
	by   string       // index, url, data or value
	only string       // the argument it is made for
}

// transforms are the values of a binding's transform, as the workflow engine
// knows them.
var transforms = map[string]transform{
	"image_index": {catalog.Image, "index", ""}, "video_index": {catalog.Video, "index", ""}, "audio_index": {catalog.Audio, "index", ""},
	"image_url": {catalog.Image, "url", ""}, "video_url": {catalog.Video, "url", ""}, "audio_url": {catalog.Audio, "url", ""},
	"artifact_url": {"", "url", ""}, "artifact_data_uri": {"", "data", ""}, "asset_ref": {"", "value", ""},
	"subtitle_cues": {catalog.JSON, "value", "cues"}, "subtitle_srt": {catalog.JSON, "value", "srt"}, "overlay_items": {catalog.JSON, "value", "overlays"},
}

// fitting is the transform with which an argument takes an artifact of a kind.
func fitting(a *catalog.Argument, kind catalog.Kind) (string, bool) {
	media := a.Media == kind || a.Media == "any"
	visible := kind == catalog.Image || kind == catalog.Video || kind == catalog.Audio
	switch {
	case media && !a.URL && visible:
		return string(kind) + "_index", true
	case media && a.URL && visible:
		return string(kind) + "_url", true
	case media && a.URL:
		return "artifact_url", true
	case a.Media != "":
		return "", false
	case kind == catalog.JSON && a.Name == "cues":
		return "subtitle_cues", true
	case kind == catalog.JSON && a.Name == "srt":
		return "subtitle_srt", true
	case kind == catalog.JSON && a.Name == "overlays":
		return "overlay_items", true
	}
	return "artifact_url", a.Type == "string"
}

// fits says why an argument cannot take what a transform passes.
func (t transform) fits(name string, a *catalog.Argument, kind catalog.Kind) error {
	media := a.Media != "" && (a.Media == kind || a.Media == "any")
	switch {
	case t.kind != "" && t.kind != kind:
		return fmt.Errorf("is %s, but what is bound is of the kind %s", name, kind)
	case t.by == "index" && (!media || a.URL):
		return fmt.Errorf("is %s, but %s does not take the index of %s", name, a.Name, kind)
	case t.by == "index", t.by == "url" && media, t.by == "data" && media:
		return nil
	case t.by == "data":
		return fmt.Errorf("is %s, but %s takes no file: bind artifact_url", name, a.Name)
	case t.only != "" && a.Name != t.only:
		return fmt.Errorf("is %s, which is made for the argument %s", name, t.only)
	case t.only == "" && a.Type != "string":
		return fmt.Errorf("is %s, but %s does not take a string", name, a.Name)
	}
	return nil
}

// single reports whether an argument is filled by one binding alone.
func (t transform) single(a *catalog.Argument) bool {
	return !a.IsArray() || t.only != "" || a.Media == ""
}
