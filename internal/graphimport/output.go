package graphimport

import (
	"encoding/json"
	"fmt"
	"strings"
)

// result is a node whose file is what the graph makes.
type result struct {
	node string
	kind string // image, video, audio or model
	mime string
}

// savers are nodes that save a file, with what they write. An empty type is for those that only show
// it, or write one that the service does not know: the import puts a saving node in their place.
var savers = map[string][2]string{
	"SaveImage": {"image", "image/png"}, "PreviewImage": {"image", ""}, "SaveImageWebsocket": {"image", ""}, "SaveImageAdvanced": {"image", ""},
	"SaveVideo": {"video", "video/mp4"}, "SaveAnimatedWEBP": {"video", ""}, "SaveAnimatedPNG": {"video", ""}, "SaveWEBM": {"video", ""},
	"SaveAudio": {"audio", "audio/flac"}, "SaveAudioMP3": {"audio", ""}, "SaveAudioOpus": {"audio", ""}, "SaveAudioAdvanced": {"audio", ""}, "PreviewAudio": {"audio", ""},
	"SaveGLB": {"model", "model/gltf-binary"}, "VHS_VideoCombine": {"video", ""},
}

// media are the types of links that a saving node can be put behind.
var media = map[string]string{"IMAGE": "image", "VIDEO": "video", "AUDIO": "audio"}

// results finds the nodes whose files are what the graph makes.
func (t tracer) results() (out []result) {
	for _, id := range sortedIDs(t.graph) {
		n := t.graph[id]
		if len(out) == maxHeads {
			break
		}
		if s, known := savers[n.Class]; known {
			if n.Class == "VHS_VideoCombine" {
				if format, _ := n.Inputs["format"].(string); strings.Contains(format, "mp4") {
					s[1] = "video/mp4"
				}
			}
			out = append(out, result{id, s[0], s[1]})
			continue
		}
		if k := t.nodes.kind(n.Class); k != nil && k.isOutput {
			_, links := n.links()
			for _, l := range links {
				if kind := media[t.nodes.kind(classOf(t.graph, l)).gives(l.output)]; kind != "" {
					out = append(out, result{id, kind, ""})
					break
				}
			}
		}
	}
	return out
}

// choose takes the result of a kind that depends on most of the graph; a node that saves is preferred
// to one that shows.
func (t tracer) choose(all []result, kind string) (best result, others int) {
	most := -1
	for _, r := range all {
		if r.kind != kind {
			continue
		}
		others++
		worth := 2 * len(t.graph.needs(r.node))
		if savers[t.graph[r.node].Class][1] != "" || t.graph[r.node].Class == "VHS_VideoCombine" {
			worth += 5 // it was meant to be kept, and what is shown besides is often a step on the way
		}
		if worth > most {
			best, most = r, worth
		}
	}
	return best, others - 1
}

// The ids of nodes that the import adds.
const (
	addedSave  = "atelier-save"
	addedWebP  = "atelier-save-webp"
	addedVideo = "atelier-video"
	addedMask  = "atelier-mask"
	addedSize  = "atelier-size"
)

// save puts a node that saves a file in the place of one that does not, and adds the other types that
// are ordered of a tool.
func (t tracer) save(r result, say *findings) ([]result, error) {
	n := t.graph[r.node]
	from, input, ok := t.media(n, r.kind)
	if r.mime != "" {
		if r.kind == "image" && ok {
			return []result{r, t.webp(from)}, nil
		}
		return []result{r}, nil
	}
	if !ok {
		return nil, fmt.Errorf("node %s (%s): nothing is linked to it", r.node, shorten(n.Class))
	}
	prefix := map[string]any{"filename_prefix": "atelier/" + r.kind}
	saved := &node{Inputs: prefix, Meta: &meta{"Save the result"}}
	switch r.kind {
	case "image":
		saved.Class, prefix["images"], r.mime = "SaveImage", from.value(), "image/png"
	case "audio":
		saved.Class, prefix["audio"], r.mime = "SaveAudio", from.value(), "audio/flac"
	case "video":
		if input != "video" { // frames
			rate := frameRate(n)
			t.graph[addedVideo] = &node{Class: "CreateVideo", Inputs: map[string]any{"images": from.value(), "fps": rate}, Meta: &meta{"Frames to video"}}
			if l, hasSound := linkOf(n.Inputs["audio"]); hasSound {
				t.graph[addedVideo].Inputs["audio"] = l.value()
			}
			from = link{addedVideo, 0}
		}
		saved.Class, prefix["video"], prefix["format"], prefix["codec"], r.mime = "SaveVideo", from.value(), "mp4", "h264", "video/mp4"
	}
	say.add(r.node, fmt.Sprintf("%s does not save what the service can hand out: %s saves it instead", shorten(n.Class), saved.Class))
	t.graph[addedSave] = saved
	r.node = addedSave
	if r.kind == "image" {
		return []result{r, t.webp(from)}, nil
	}
	return []result{r}, nil
}

// webp adds a node that saves the same picture as WebP, which clients may order.
func (t tracer) webp(from link) result {
	t.graph[addedWebP] = &node{Class: "SaveAnimatedWEBP", Meta: &meta{"Save as WebP"}, Inputs: map[string]any{
		"images": from.value(), "filename_prefix": "atelier/image", "fps": json.Number("1"), "lossless": false, "quality": json.Number("92"), "method": "default",
	}}
	return result{addedWebP, "image", "image/webp"}
}

// media is the link with what a node saves or shows.
func (t tracer) media(n *node, kind string) (link, string, bool) {
	for _, name := range map[string][]string{"image": {"images", "image"}, "video": {"video", "images", "image"}, "audio": {"audio"}}[kind] {
		if l, ok := linkOf(n.Inputs[name]); ok {
			return l, name, true
		}
	}
	names, links := n.links()
	for i, l := range links {
		if media[t.nodes.kind(classOf(t.graph, l)).gives(l.output)] == kind {
			return l, names[i], true
		}
	}
	return link{}, "", false
}

// frameRate is the one at which a node saves frames.
func frameRate(n *node) any {
	for _, name := range []string{"fps", "frame_rate"} {
		if v, ok := n.Inputs[name]; ok {
			return v
		}
	}
	return json.Number("24")
}
