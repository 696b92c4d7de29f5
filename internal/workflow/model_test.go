package workflow_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/atelier-project/atelier"
)

// What should become of a plan, worked out from the specification's sentences
// and from nothing that the engine does.

// behaviour is what a worker does with a job.
type behaviour int

const (
	completes behaviour = iota
	completesSome
	fails
	drops
	hangs // until the lease ends
	filters
)

// wish is a source that a step is bound to.
type wish struct {
	step      int
	artifact  int
	required  bool
	essential bool // the tool cannot do without
}

// node is a step of a random plan.
type node struct {
	input    atelier.StepInput
	pictures int // that others can be bound to
	results  int // in all
	wishes   []wish
}

// puzzle is a random plan, with what its workers will do.
type puzzle struct {
	seed  uint64
	nodes []node
}

func newPuzzle(seed uint64) puzzle {
	p := puzzle{seed: seed}
	r := rand.New(rand.NewPCG(seed, 1))
	n := 1 + r.IntN(atelier.MaxSteps)
	for range n {
		p.nodes = append(p.nodes, p.draw(r))
	}
	p.shuffle(r)
	for i := range p.nodes {
		in := &p.nodes[i].input
		in.ID = name(i)
		for k := range in.DependsOn {
			in.DependsOn[k].SourceStepID = name(p.nodes[i].wishes[k].step)
		}
	}
	return p
}

func name(i int) string { return fmt.Sprint("s", i) }

// draw draws a step that may be bound to those before it.
func (p *puzzle) draw(r *rand.Rand) node {
	var sources []int
	for i, n := range p.nodes {
		if n.pictures > 0 {
			sources = append(sources, i)
		}
	}
	n := node{input: image("", "a fox")}
	n.pictures = 1 + r.IntN(3)
	n.results = n.pictures
	n.input.Arguments["numberOfVariations"] = float64(n.pictures)
	bind := func(target string, essential bool) {
		from := sources[r.IntN(len(sources))]
		w := wish{from, r.IntN(p.nodes[from].pictures), r.IntN(2) == 0, essential}
		n.wishes = append(n.wishes, w)
		n.input.DependsOn = append(n.input.DependsOn, atelier.Binding{
			SourceArtifactIndex: w.artifact, TargetArgument: target, Transform: []string{"image_index", "image_url", "artifact_url"}[r.IntN(3)], Required: w.required})
	}
	pick := r.IntN(100)
	switch {
	case pick < 4:
		return node{input: step("", "finalize_response", args{"outcome": "success"})}
	case pick < 8:
		return node{input: step("", "ask_clarifying_question", args{"question": "which?"})}
	case len(sources) == 0 || pick < 35:
	case pick < 50:
		bind("sourceImageIndex", false)
	case pick < 70:
		n.input = step("", "upscale_image", args{})
		n.pictures, n.results = 1, 1
		bind("sourceImageIndex", true)
	case pick < 80:
		n.input.ToolName = "edit_image"
		bind("sourceImageIndex", true)
	case pick < 90:
		n.input = step("", "image_to_3d", nil)
		n.pictures, n.results = 0, 1
		bind("sourceImageIndex", true)
		for _, side := range []string{"leftViewImageIndex", "backViewImageIndex", "rightViewImageIndex"} {
			if r.IntN(2) == 0 {
				bind(side, false)
			}
		}
	default:
		n.input = step("", "generate_video", args{"prompt": "x"})
		n.pictures, n.results = 0, 1
		for range 1 + r.IntN(4) {
			bind("referenceImageIndices", false)
		}
	}
	return n
}

// shuffle writes the steps in another order: the order of a plan means nothing.
func (p *puzzle) shuffle(r *rand.Rand) {
	to := r.Perm(len(p.nodes))
	nodes := make([]node, len(p.nodes))
	for i, n := range p.nodes {
		for k := range n.wishes {
			n.wishes[k].step = to[n.wishes[k].step]
		}
		nodes[to[i]] = n
	}
	p.nodes = nodes
}

func (p puzzle) steps() (out []atelier.StepInput) {
	for _, n := range p.nodes {
		out = append(out, n.input)
	}
	return out
}

// behave is what the worker does that is the n-th to have a step, and with how
// many results.
func (p puzzle) behave(i, n int) (behaviour, int) {
	r := rand.New(rand.NewPCG(p.seed, uint64(1000*(i+1)+n)))
	results := p.nodes[i].results
	if n >= 6 {
		return completes, results
	}
	switch pick := r.IntN(100); {
	case pick < 58:
		return completes, results
	case pick < 68 && results > 1:
		return completesSome, 1 + r.IntN(results-1)
	case pick < 76:
		return fails, 0
	case pick < 84:
		return drops, 0
	case pick < 90:
		return hangs, 0
	default:
		return filters, 0
	}
}

// fate is what becomes of a step that nothing keeps from being done: a worker
// that drops it is given one more chance, and what is filtered begins again when
// the user resumes.
func (p puzzle) fate(i int) (status atelier.Status, made, retries int) {
	if p.nodes[i].results == 0 {
		return atelier.StatusCompleted, 0, 0 // no worker is needed
	}
	chances := 2
	for n := 0; ; n++ {
		switch b, results := p.behave(i, n); b {
		case completes:
			return atelier.StatusCompleted, results, retries
		case completesSome:
			return atelier.StatusPartialFailure, results, retries
		case fails:
			return atelier.StatusFailed, 0, retries
		case filters:
			chances = 2
		case drops, hangs:
			if chances--; chances == 0 {
				return atelier.StatusFailed, 0, retries
			}
			retries++
		}
	}
}

// outcome is what should become of the whole plan when it is not cancelled.
func (p puzzle) outcome() (whole atelier.Status, steps []atelier.Status, made, retries []int) {
	n := len(p.nodes)
	steps, made, retries = make([]atelier.Status, n), make([]int, n), make([]int, n)
	var visit func(i int)
	visit = func(i int) {
		if steps[i] != "" {
			return
		}
		steps[i], made[i], retries[i] = p.fate(i)
		for _, w := range p.nodes[i].wishes {
			visit(w.step)
			if made[w.step] <= w.artifact && (w.required || w.essential) {
				steps[i], made[i], retries[i] = atelier.StatusFailed, 0, 0
			}
		}
	}
	done, undone := 0, 0
	for i := range n {
		visit(i)
		if steps[i] == atelier.StatusCompleted || steps[i] == atelier.StatusPartialFailure {
			done++
		}
		if steps[i] != atelier.StatusCompleted {
			undone++
		}
	}
	switch {
	case undone == 0:
		return atelier.StatusCompleted, steps, made, retries
	case done == 0:
		return atelier.StatusFailed, steps, made, retries
	}
	return atelier.StatusPartialFailure, steps, made, retries
}
