package graphimport

import (
	"encoding/json"
	"slices"
	"strings"
)

// target is an input of a node that can be set, written node.input.
type target struct{ node, input string }

func (t target) String() string { return t.node + "." + t.input }

// spot is a part of a graph that a mapping can set: where it is, and what is there.
type spot struct {
	target
	value any
	title string
}

// tracer follows the links of a graph against their direction.
type tracer struct {
	graph graph
	nodes *Nodes
}

// literal kinds.
func isNumber(v any) bool { _, ok := v.(json.Number); return ok }
func isText(v any) bool   { _, ok := v.(string); return ok }

// settable finds where the value of an input is set: at the input itself, or at the one value of a
// node that it is linked to and that does nothing else.
func (t tracer) settable(id, input string, is func(any) bool) (spot, bool) {
	for range 20 {
		n := t.graph[id]
		if n == nil {
			return spot{}, false
		}
		v, ok := n.Inputs[input]
		if !ok {
			return spot{}, false
		}
		l, linked := linkOf(v)
		if !linked {
			return spot{target{id, input}, v, n.title()}, is(v)
		}
		if id, input, ok = t.passes(l, is); !ok {
			return spot{}, false
		}
	}
	return spot{}, false
}

// passes is the input whose value a node gives on unchanged.
func (t tracer) passes(l link, is func(any) bool) (id, input string, ok bool) {
	n := t.graph[l.node]
	if n == nil {
		return "", "", false
	}
	if branch, isSwitch := t.branch(n); isSwitch {
		return l.node, branch, branch != ""
	}
	names, _ := n.links()
	var values []string
	for _, name := range sortedKeys(n.Inputs) {
		if v := n.Inputs[name]; is(v) {
			values = append(values, name)
		}
	}
	switch {
	case len(names) == 0 && len(values) == 1 && isPlain(n, values[0]):
		return l.node, values[0], true
	case len(names) == 1 && len(values) == 0 && strings.Contains(n.Class, "Reroute"):
		return l.node, names[0], true
	}
	return "", "", false
}

// isPlain reports whether a node gives on the one value that it has.
func isPlain(n *node, input string) bool {
	return len(n.Inputs) == 1 || strings.HasPrefix(n.Class, "Primitive") || slices.Contains([]string{"value", "text", "string", "int", "float", "number"}, strings.ToLower(input))
}

// branch is the input that a switch gives on.
func (t tracer) branch(n *node) (input string, isSwitch bool) {
	_, yes := n.Inputs["on_true"]
	_, no := n.Inputs["on_false"]
	if !yes && !no {
		return "", false
	}
	on, ok := t.switched(n, "switch")
	switch {
	case !ok:
		return "", true
	case on:
		input = "on_true"
	default:
		input = "on_false"
	}
	if _, there := n.Inputs[input]; !there {
		return "", true
	}
	return input, true
}

// switched is the value of the switch of a node.
func (t tracer) switched(n *node, input string) (on, ok bool) {
	v := n.Inputs[input]
	if l, linked := linkOf(v); linked {
		from := t.graph[l.node]
		if from == nil || len(from.Inputs) != 1 {
			return false, false
		}
		v = from.Inputs["value"]
	}
	on, ok = v.(bool)
	return on, ok
}

// silent are inputs whose links never lead to the text of a prompt.
var silent = []string{
	"model", "clip", "vae", "image", "images", "pixels", "samples", "latent", "latent_image", "mask", "control_net", "noise", "sampler", "sigmas",
	"audio", "video", "clip_vision", "clip_vision_output", "audio_vae", "video_latent", "audio_latent", "audio_encoder_output",
}

// unspoken are types whose values never lead to the text of a prompt.
var unspoken = []string{
	"MODEL", "CLIP", "VAE", "IMAGE", "LATENT", "MASK", "CONTROL_NET", "INT", "FLOAT", "AUDIO", "VIDEO", "NOISE", "SAMPLER", "SIGMAS", "BOOLEAN",
	"CLIP_VISION", "CLIP_VISION_OUTPUT", "AUDIO_ENCODER", "AUDIO_ENCODER_OUTPUT",
}

// words are inputs that hold texts of a prompt, in the nodes of which nothing else is known.
var words = []string{
	"text", "prompt", "text_g", "text_l", "clip_l", "clip_g", "t5xxl", "tags", "caption", "positive_prompt", "negative_prompt", "positive", "negative",
	"string", "value", "instruction", "user_prompt", "prompt_text", "string_a", "string_b", "description", "style", "llama",
}

// maxTexts is how many texts of one conditioning are looked at.
const maxTexts = 200

// texts are the texts that a conditioning is made of. Side is the input of a node with both through
// which it was reached: positive or negative.
func (t tracer) texts(l link, side string) (out []spot) {
	type visit struct {
		link
		side string
	}
	seen := map[visit]bool{}
	for todo := []visit{{l, side}}; len(todo) > 0 && len(out) < maxTexts; {
		at := todo[0]
		todo = todo[1:]
		n := t.graph[at.node]
		if n == nil || seen[at] || n.Class == "ConditioningZeroOut" {
			continue
		}
		seen[at] = true
		k := t.nodes.kind(n.Class)
		branch, isSwitch := t.branch(n)
		_, hasPositive := n.Inputs["positive"]
		_, hasNegative := n.Inputs["negative"]
		for _, name := range sortedKeys(n.Inputs) {
			v := n.Inputs[name]
			from, linked := linkOf(v)
			switch {
			case isSwitch && branch != "" && name != branch:
			case !linked:
				if text, ok := v.(string); ok && t.isText(k, name, text) {
					out = append(out, spot{target{at.node, name}, text, n.title()})
				}
			case hasPositive && hasNegative && (name == "positive" || name == "negative"):
				if output := map[string]int{"positive": 0, "negative": 1}[name]; output == at.output {
					todo = append(todo, visit{from, name})
				}
			case slices.Contains(silent, name) || slices.Contains(unspoken, t.nodes.kind(classOf(t.graph, from)).gives(from.output)):
			default:
				todo = append(todo, visit{from, at.side})
			}
		}
	}
	return out
}

func classOf(g graph, l link) string {
	if n := g[l.node]; n != nil {
		return n.Class
	}
	return ""
}

// isText reports whether a literal may be the text of a prompt.
func (t tracer) isText(k *kind, input, text string) bool {
	low := strings.ToLower(input)
	for _, other := range []string{"system", "delimiter", "separator", "regex", "pattern", "find", "replace", "prefix", "filename", "lyrics", "model"} {
		if strings.Contains(low, other) {
			return false
		}
	}
	if f, ok := k.field(input); ok {
		return f.kind == "STRING"
	}
	return slices.Contains(words, low)
}

// maxFeeds is how many inputs behind one output are looked at: many outputs may lead to one that thousands read.
const maxFeeds = 200

// feeds are the names of the inputs that an output reaches, through nodes that change media and keep it media.
func (t tracer) feeds(l link, readers map[link][]reader) (out []reader) {
	seen := map[link]bool{}
	for todo := []link{l}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		for _, r := range readers[at] {
			if len(out) == maxFeeds {
				return out
			}
			out = append(out, r)
			n := t.graph[r.node]
			if n == nil || !t.keepsMedia(n.Class, r.input) {
				continue
			}
			todo = append(todo, link{r.node, 0})
		}
	}
	return out
}

// keepsMedia reports whether a node gives on the picture, clip or sound that it gets.
func (t tracer) keepsMedia(class, input string) bool {
	if k := t.nodes.kind(class); k != nil {
		return slices.Contains([]string{"IMAGE", "MASK", "VIDEO", "AUDIO", "COMFY_MATCHTYPE_V3", "*"}, k.gives(0))
	}
	for _, part := range []string{"Scale", "Resize", "Crop", "Pad", "Canny", "Preprocess", "Invert", "Batch", "Mask", "Stitch", "Switch", "Reroute", "Image"} {
		if strings.Contains(class, part) {
			return !strings.Contains(class, "ToVideo")
		}
	}
	return false
}
