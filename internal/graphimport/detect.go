package graphimport

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Input is an input of the graph that was found: an argument, where it goes, and why there.
type Input struct {
	Argument string   `json:"argument"`
	Targets  []string `json:"targets"`
	Node     string   `json:"node,omitempty"`  // what it is in the workflow: its title, or its class
	Value    string   `json:"value,omitempty"` // what the workflow has there, cut short
	Text     string   `json:"-"`               // the same in full
	Why      string   `json:"why"`
}

// found is everything that was found in a graph.
type found struct {
	slots map[string]slot
	seeds []target
	size  *size
	files []fileInput
	loras []loraPoint
	fps   float64
	steps string // as the graph has them, for people
	list  []Input
}

// slot is an argument and where it goes.
type slot struct {
	to       []target
	required bool
	frames   *frames
	extra    string // further keys, as the mapping has them
}

type frames struct {
	fps  float64
	step int
	most int
}

type size struct {
	to       []sizeTarget
	w, h     int
	multiple int
	most     int
	follow   string
	exact    bool
}

type sizeTarget struct {
	width, height target
	scale         float64
}

type loraPoint struct{ model, clip string }

// detector looks for the inputs of a graph.
type detector struct {
	tracer
	used    map[string]bool // nodes that the result depends on
	purpose purpose
	say     *findings
	found   found
	loaders []loaded // of files of jobs
}

// nodesUsed are the nodes that the result depends on, in their order.
func (d *detector) nodesUsed() (out []string) {
	for _, id := range sortedIDs(d.graph) {
		if d.used[id] {
			out = append(out, id)
		}
	}
	return out
}

func (d *detector) note(argument, why string, spots ...spot) {
	in := Input{Argument: argument, Why: why}
	for i, s := range spots {
		in.Targets = append(in.Targets, s.String())
		if i == 0 {
			in.Node, in.Text = cmp.Or(s.title, shorten(d.graph[s.node].Class)), formatValue(s.value)
			in.Value = shorten(in.Text)
		}
	}
	d.found.list = append(d.found.list, in)
}

func formatValue(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case json.Number:
		return x.String()
	case bool:
		return fmt.Sprint(x)
	}
	return ""
}

// prompts finds what the result is made from, and what it is kept from.
func (d *detector) prompts() (positive, negative []spot) {
	for _, id := range d.earliest() {
		n := d.graph[id]
		for _, name := range []string{"positive", "conditioning", "negative", "cond", "text_embeds"} {
			l, ok := linkOf(n.Inputs[name])
			if !ok {
				continue
			}
			side := name
			if name != "negative" {
				side = "positive"
			}
			if name == "text_embeds" { // one node has both texts
				for _, s := range d.texts(l, side) {
					if strings.Contains(s.input, "negative") {
						negative = append(negative, s)
					} else {
						positive = append(positive, s)
					}
				}
				continue
			}
			if side == "negative" {
				negative = append(negative, d.texts(l, side)...)
			} else if name != "conditioning" || isGuider(n.Class) {
				positive = append(positive, d.texts(l, side)...)
			}
		}
	}
	positive, negative = unique(positive), unique(negative)
	wanted := map[target]bool{}
	for _, s := range positive {
		wanted[s.target] = true
	}
	negative = slices.DeleteFunc(negative, func(s spot) bool { return wanted[s.target] })
	if len(positive) == 0 {
		positive, negative = d.named()
	}
	return positive, negative
}

// maxHeads is how many nodes that use a text are looked at. Each takes a walk through the graph.
const maxHeads = 32

// earliest are the nodes that use a text, those that the others build on first: what is painted first matters most.
func (d *detector) earliest() []string {
	depth := map[string]int{}
	var out []string
	for _, id := range d.nodesUsed() {
		if len(out) == maxHeads {
			break
		}
		for _, name := range []string{"positive", "conditioning", "negative", "cond", "text_embeds"} {
			if _, linked := linkOf(d.graph[id].Inputs[name]); linked && depth[id] == 0 {
				depth[id] = len(d.graph.needs(id))
				out = append(out, id)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return depth[a] - depth[b] })
	return out
}

// isGuider reports whether a node uses a conditioning, and does not only change it.
func isGuider(class string) bool {
	return strings.Contains(class, "Guider") || strings.Contains(class, "Sampler")
}

// named finds texts by the names of inputs, in graphs without a sampler that is known.
func (d *detector) named() (positive, negative []spot) {
	for _, id := range d.nodesUsed() {
		for _, name := range sortedKeys(d.graph[id].Inputs) {
			low := strings.ToLower(name)
			isPrompt := slices.Contains([]string{"prompt", "positive_prompt", "text", "tags", "negative_prompt"}, low) || strings.HasSuffix(low, ".prompt")
			if !isPrompt {
				continue
			}
			s, ok := d.settable(id, name, isText)
			if f, known := d.nodes.kind(classAt(d.graph, s.node)).field(s.input); !ok || known && f.kind != "STRING" {
				continue
			}
			if strings.Contains(low, "negative") {
				negative = append(negative, s)
			} else {
				positive = append(positive, s)
			}
		}
	}
	return unique(positive), unique(negative)
}

func classAt(g graph, id string) string {
	if n := g[id]; n != nil {
		return n.Class
	}
	return ""
}

func unique(list []spot) (out []spot) {
	seen := map[target]bool{}
	for _, s := range list {
		if !seen[s.target] {
			seen[s.target] = true
			out = append(out, s)
		}
	}
	return out
}

// pick takes, of several texts, the one that is most likely the one that people write, with those that say the same.
func pick(list []spot, wanted string) (chosen, rest []spot) {
	worth := func(s spot) int {
		title, text := strings.ToLower(s.title), formatValue(s.value)
		points := min(len(text), 400)
		if text == "" {
			points -= 1500
		}
		switch {
		case strings.Contains(title, "system"):
			points -= 2000
		case strings.Contains(title, wanted):
			points += 4000
		case strings.Contains(title, "prompt"):
			points += 2000
		}
		return points
	}
	best := list[0]
	for _, s := range list[1:] {
		if s.node == list[0].node && worth(s) > worth(best) || worth(s) > worth(best)+1000 { // else the first
			best = s
		}
	}
	pairs := []string{"text_g", "text_l", "clip_l", "clip_g", "t5xxl", "llama"}
	for _, s := range list {
		isPair := s.node == best.node && slices.Contains(pairs, s.input) && slices.Contains(pairs, best.input)
		if s.target == best.target || isPair || formatValue(s.value) != "" && formatValue(s.value) == formatValue(best.value) {
			chosen = append(chosen, s)
		} else {
			rest = append(rest, s)
		}
	}
	return chosen, rest
}

func targetsOf(list []spot) (out []target) {
	for _, s := range list {
		out = append(out, s.target)
	}
	return out
}

// findTexts gives prompts their places.
func (d *detector) findTexts() {
	positive, negative := d.prompts()
	for _, one := range []struct {
		argument, wanted, why string
		list                  []spot
	}{
		{"prompt", "positive", "the text behind the sampler's positive input", positive},
		{"negativePrompt", "negative", "the text behind the sampler's negative input", negative},
	} {
		if len(one.list) == 0 || !d.purpose.has(one.argument) {
			if len(one.list) > 0 {
				d.say.add(one.list[0].node, fmt.Sprintf("the tool %s has no argument %s: the text stays as the workflow has it", d.purpose.tool, one.argument))
			}
			continue
		}
		chosen, rest := pick(one.list, one.wanted)
		d.found.slots[one.argument] = slot{to: targetsOf(chosen), required: one.argument == "prompt"}
		d.note(one.argument, one.why, chosen...)
		for _, s := range rest {
			if formatValue(s.value) != "" {
				d.say.add(s.node, fmt.Sprintf("the text %q of %s is used too, and stays as the workflow has it", shorten(formatValue(s.value)), s.target))
			}
		}
	}
	if _, ok := d.found.slots["prompt"]; !ok && d.purpose.has("prompt") {
		d.say.add("", "no text was found that could be the prompt: name it, or the prompt of a job has no effect")
	}
	d.named1("lyrics", "the words to sing", isText, "lyrics")
}

// named1 gives an argument the inputs of certain names.
func (d *detector) named1(argument, why string, is func(any) bool, names ...string) {
	if !d.purpose.has(argument) {
		return
	}
	if list := d.inputsNamed(is, names...); len(list) > 0 {
		d.found.slots[argument] = slot{to: targetsOf(list)}
		d.note(argument, why, list...)
	}
}

// inputsNamed are the inputs of certain names that can be set.
func (d *detector) inputsNamed(is func(any) bool, names ...string) (out []spot) {
	for _, id := range d.nodesUsed() {
		for _, name := range names {
			if _, there := d.graph[id].Inputs[name]; !there {
				continue
			}
			if s, ok := d.settable(id, name, is); ok {
				out = append(out, s)
			}
		}
	}
	return unique(out)
}

// findNumbers finds the seed, how closely the prompt is followed, and the number of steps.
func (d *detector) findNumbers() {
	if list := d.inputsNamed(isNumber, "seed", "noise_seed", "rand_seed"); len(list) > 0 {
		d.found.seeds = targetsOf(list)
		d.note("seed", "each result has its own", list...)
	} else {
		d.say.add("", "no seed was found: every job with the same arguments makes the same")
	}
	if list := d.inputsNamed(isNumber, "steps"); len(list) > 0 {
		d.found.steps = formatValue(list[0].value)
		d.note("steps", "stays as the workflow has it: the model has its own number of steps", list...)
	}
	guidance := d.inputsNamed(isNumber, "cfg")
	if flux := d.inputsNamed(isNumber, "guidance"); len(flux) > 0 {
		guidance = flux
	}
	guidance = slices.DeleteFunc(guidance, func(s spot) bool { f, _ := s.value.(json.Number).Float64(); return f <= 1 })
	if len(guidance) > 0 && d.purpose.has("guidance") {
		d.found.slots["guidance"] = slot{to: targetsOf(guidance), extra: ", min: 1, max: 20"}
		d.note("guidance", "how closely the prompt is followed", guidance...)
	}
	d.named1("bpm", "beats a minute", isNumber, "bpm")
	d.named1("keyscale", "the musical key", isText, "keyscale")
	d.named1("timesig", "beats in a bar", isText, "timesignature")
	if s, ok := d.found.slots["keyscale"]; ok {
		s.extra = ", format: key"
		d.found.slots["keyscale"] = s
	}
	if s, ok := d.found.slots["bpm"]; ok {
		s.extra = ", round: 1, min: 10, max: 300"
		d.found.slots["bpm"] = s
	}
}

// findSize finds where width and height of the result are set.
func (d *detector) findSize() {
	for _, id := range d.nodesUsed() {
		n := d.graph[id]
		if _, crops := n.Inputs["x"]; crops || !makesSize(n) {
			continue
		}
		w, okW := d.settable(id, "width", isNumber)
		h, okH := d.settable(id, "height", isNumber)
		if !okW || !okH || w.target == h.target {
			continue
		}
		wide, tall := intOf(w.value), intOf(h.value)
		if wide < 16 || tall < 16 || wide > 16384 || tall > 16384 {
			continue
		}
		s := d.found.size
		if s == nil {
			s = &size{w: wide, h: tall, multiple: 8}
			d.found.size = s
			d.note("size", "width and height of what is sampled", w, h)
		}
		if slices.ContainsFunc(s.to, func(t sizeTarget) bool { return t.width == w.target || t.height == h.target }) {
			continue
		}
		if f, ok := d.nodes.kind(n.Class).field("width"); ok && f.step >= 2 && f.step <= 64 && f.step == math.Trunc(f.step) {
			s.multiple = max(s.multiple, int(f.step))
		}
		s.to = append(s.to, sizeTarget{w.target, h.target, math.Round(float64(wide)/float64(s.w)*1000) / 1000})
	}
	if s := d.found.size; s != nil {
		s.most = max(2048, s.w, s.h)
		s.follow = d.followed()
	}
}

// makesSize reports whether the size at a node is that of the result.
func makesSize(n *node) bool {
	_, w := n.Inputs["width"]
	_, h := n.Inputs["height"]
	if !w || !h {
		return false
	}
	for _, part := range []string{"Latent", "ToVideo", "Empty", "TextEncodeSDXL"} {
		if strings.Contains(n.Class, part) {
			return true
		}
	}
	for _, name := range []string{"length", "num_frames", "batch_size", "prompt", "seed"} {
		if _, ok := n.Inputs[name]; ok {
			return true
		}
	}
	return false
}

func intOf(v any) int {
	f, err := v.(json.Number).Float64()
	if err != nil || math.Abs(f) > 1e9 {
		return 0
	}
	return int(f)
}

// findLength finds how long the result is: seconds, or frames at a rate.
func (d *detector) findLength() {
	if !d.purpose.has("duration") {
		return
	}
	if d.purpose.makes == "audio" {
		list := d.inputsNamed(isNumber, "seconds", "duration")
		if len(list) > 0 {
			d.found.slots["duration"] = slot{to: targetsOf(list), extra: ", min: 1, max: 600"}
			d.note("duration", "seconds of sound", list...)
		}
		return
	}
	rate := d.inputsNamed(isNumber, "fps", "frame_rate")
	d.found.fps = 24
	if len(rate) > 0 {
		if f, err := rate[0].value.(json.Number).Float64(); err == nil && f > 0 && f <= 240 {
			d.found.fps = f
		}
	}
	if list := d.inputsNamed(isNumber, "length", "num_frames", "video_frames", "frames_number", "video_length"); len(list) > 0 {
		f := &frames{fps: d.found.fps, step: 4}
		for _, s := range list {
			if known, ok := d.nodes.kind(d.graph[s.node].Class).field(s.input); ok && known.step >= 1 && known.step <= 64 {
				f.step = int(known.step)
			}
		}
		if strings.Contains(d.graph[list[0].node].Class, "LTX") {
			f.step = 8
		}
		f.most = max(intOf(list[0].value), int(f.fps*10))
		d.found.slots["duration"] = slot{to: targetsOf(list), frames: f}
		d.note("duration", fmt.Sprintf("frames, %s a second", number(f.fps)), list...)
		return
	}
	for _, id := range d.nodesUsed() {
		title := strings.ToLower(d.graph[id].title())
		if !strings.Contains(title, "duration") && !strings.Contains(title, "seconds") {
			continue
		}
		if s, ok := d.settable(id, "value", isNumber); ok {
			d.found.slots["duration"] = slot{to: []target{s.target}, extra: ", round: 1, min: 1, max: 30"}
			d.note("duration", "by its title", s)
			return
		}
	}
	d.say.add("", "no length was found: every clip is as long as in the workflow")
}

// findLoras finds the models behind which LoRAs can be loaded.
func (d *detector) findLoras() {
	readers := d.graph.readers()
	for _, id := range d.nodesUsed() {
		outputs, ok := lorasBehind[d.graph[id].Class]
		if !ok || len(readers[link{id, outputs[0]}]) == 0 {
			continue
		}
		p := loraPoint{model: fmt.Sprintf("%s.%d", id, outputs[0])}
		if outputs[1] >= 0 && len(readers[link{id, outputs[1]}]) > 0 {
			p.clip = fmt.Sprintf("%s.%d", id, outputs[1])
		}
		d.found.loras = append(d.found.loras, p)
	}
}
