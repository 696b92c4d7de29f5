package comfyui

import (
	"fmt"
	"strings"
)

// meter computes the progress of a prompt. It never decreases, so that frames may
// be repeated and in any order.
type meter struct {
	graph  graph
	weight map[string]float64
	needs  map[string]map[string]bool
	done   map[string]float64
	total  float64
	at     float64
	text   string
}

// newMeter estimates the relative times of the nodes of a graph, except those given.
func newMeter(g graph, given map[string]float64) *meter {
	m := &meter{graph: g, weight: map[string]float64{}, needs: map[string]map[string]bool{}, done: map[string]float64{}}
	for id, n := range g {
		w := 1.0
		switch {
		case given[id] > 0:
			w = given[id]
		case strings.Contains(n.Class, "KSampler") && !strings.Contains(n.Class, "Select"), strings.HasPrefix(n.Class, "SamplerCustom"):
			w = 30
		case strings.Contains(n.Class, "Decode"), strings.HasPrefix(n.Class, "Save"):
			w = 3
		case strings.Contains(n.Class, "Load"):
			w = 2
		}
		m.weight[id] = w
		m.total += w
		m.needs[id] = g.needs(id)
	}
	return m
}

// update applies a frame, and reports whether the progress has changed.
func (m *meter) update(f frame) bool {
	switch f.kind {
	case "execution_cached":
		for _, id := range f.cached {
			m.set(id, 1)
		}
	case "executing", "executed":
		// When a node runs, the nodes that it depends on are done.
		for id := range m.needs[f.node] {
			if id != f.node || f.kind == "executed" {
				m.set(id, 1)
			}
		}
		if n := m.graph[f.node]; n != nil && f.kind == "executing" {
			m.text = n.title()
		}
	case "progress":
		m.part(f.node, f.value, f.max)
	case "progress_state":
		for id, p := range f.nodes {
			if p.State == "finished" {
				m.set(id, 1)
			} else {
				m.part(id, p.Value, p.Max)
			}
		}
	default:
		return false
	}
	sum := 0.0
	for id, d := range m.done {
		sum += d * m.weight[id]
	}
	if at := sum / max(m.total, 1); at > m.at {
		m.at = at
		return true
	}
	return false
}

// part records that a node has done some of its steps.
func (m *meter) part(id string, value, most float64) {
	if most <= 0 || value < 0 || value > most {
		return
	}
	if m.set(id, value/most) && most > 1 {
		m.text = fmt.Sprintf("%s %.0f/%.0f", m.graph[id].title(), value, most)
	}
}

// set records how much of a node is done. It reports whether that is more than
// before.
func (m *meter) set(id string, part float64) bool {
	if m.graph[id] == nil || part <= m.done[id] {
		return false
	}
	m.done[id] = part
	return true
}
