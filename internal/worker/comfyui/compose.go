package comfyui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/mint"
)

// loraNode begins the ids of the nodes that load a job's LoRAs.
const loraNode = "atelier-lora-"

// loadedLora is a LoRA under the name that ComfyUI has for it.
type loadedLora struct {
	name     string
	strength float64
}

// supplies are the files of a job on one ComfyUI.
type supplies struct {
	binding *binding
	files   map[string]string // of the job, to the names by which nodes load them
	loras   []loadedLora

	use    use    // of the model
	losses int    // how often ComfyUI has lost the files
	ends   func() // is called when the last artifact is about to be rendered
	ahead  *ahead // the artifact that is begun before the one before it has ended
}

// compose makes the prompt of one artifact. It returns the node whose file is
// the artifact.
func (o *order) compose(artifact int, s supplies) (graph, output, error) {
	m := o.mapping
	g := m.wired(o.model)
	set := func(t target, v any) { g[t.node].Inputs[t.input] = v }
	for t, v := range o.model.Set {
		set(t, v)
	}
	for t, v := range s.binding.set {
		set(t, v)
	}
	values, err := o.values(artifact)
	if err != nil {
		return nil, output{}, err
	}
	if err := o.spell(values, s.binding); err != nil {
		return nil, output{}, err
	}
	for t, v := range values {
		set(t, v)
	}
	for _, t := range m.Seed {
		set(t, o.seed(artifact))
	}
	if m.Size != nil {
		w, h, err := o.size(artifact)
		if err != nil {
			return nil, output{}, err
		}
		m.Size.set(g, w, h)
	}
	if err := o.attach(g, artifact, s.files); err != nil {
		return nil, output{}, err
	}
	o.load(g, s.loras)
	out, err := o.output(o.task.Artifacts[artifact])
	if err != nil {
		return nil, output{}, err
	}
	g.pruneTo(out.Node)
	// The name must be new: ComfyUI does not run a node again whose inputs have not
	// changed, and its earlier file may have been deleted.
	if _, named := g[out.Node].Inputs["filename_prefix"].(string); named {
		g[out.Node].Inputs["filename_prefix"] = saved + "/" + mint.UUID()
	}
	return g, out, g.check()
}

// token is the random name of the files that a node saves; empty when it has none.
func (g graph) token(id string) string {
	prefix, _ := g[id].Inputs["filename_prefix"].(string)
	token, _ := strings.CutPrefix(prefix, saved+"/")
	return token
}

// saved is the folder of ComfyUI's output that results are saved in.
const saved = "atelier"

// wired is the graph with the links of a model.
func (m *mapping) wired(x mappingModel) graph {
	g := m.graph.clone()
	for t, s := range x.Links {
		g[t.node].Inputs[t.input] = link(s).value()
	}
	return g
}

// attach puts the job's files into the graph, and removes the links for files that
// it does not have.
func (o *order) attach(g graph, artifact int, files map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(o.mapping.Inputs)) {
		in := o.mapping.Inputs[name]
		from, err := o.fileFor(name, in, artifact)
		if err != nil {
			return err
		}
		for t, s := range in.Links {
			inputs := g[t.node].Inputs
			if from != "" {
				inputs[t.input] = link(s).value()
			} else if l, ok := linkOf(inputs[t.input]); ok && l == link(s) {
				delete(inputs, t.input)
			}
		}
		for _, t := range in.To {
			if from != "" {
				g[t.node].Inputs[t.input] = files[from]
			}
		}
	}
	return nil
}

// load inserts nodes that load LoRAs after the model, in their order.
func (o *order) load(g graph, loras []loadedLora) {
	for p, point := range o.mapping.Loras {
		model := link(point.Model)
		var clip link
		if point.Clip != nil {
			clip = link(*point.Clip)
		}
		for i, l := range loras {
			id := fmt.Sprintf("%s%d-%d", loraNode, p, i)
			n := &node{Class: "LoraLoaderModelOnly", Inputs: map[string]any{
				"model": model.value(), "lora_name": l.name, "strength_model": l.strength,
			}}
			g.insert(id, n, model, 0)
			model = link{id, 0}
			if point.Clip != nil {
				n.Class = "LoraLoader"
				n.Inputs["clip"], n.Inputs["strength_clip"] = clip.value(), l.strength
				g.insert(id, n, clip, 1)
				clip = link{id, 1}
			}
		}
	}
}
