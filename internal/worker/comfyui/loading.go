package comfyui

import (
	"strings"
	"time"
)

// loadTimer measures how long ComfyUI loads the files of a model during a prompt: the
// time of the nodes that read them, and the time before the first step of a node, in
// which they are moved to the GPU. It depends on frames, so it may measure too little.
type loadTimer struct {
	graph graph
	reads map[string]bool // nodes that read model files

	total time.Duration
	node  string
	began time.Time
	first mark
	last  mark
}

// mark is a step of a node.
type mark struct {
	value float64
	at    time.Time
}

// update applies a frame.
func (l *loadTimer) update(f frame, now time.Time) {
	switch f.kind {
	case "executing":
		l.finish(now)
		l.node, l.began = f.node, now
	case "progress":
		if f.node == l.node {
			l.step(f.value, now)
		}
	case "progress_state":
		if p, ok := f.nodes[l.node]; ok && p.State == "running" {
			l.step(p.Value, now)
		}
	}
}

// step records that the current node has done some steps.
func (l *loadTimer) step(value float64, now time.Time) {
	if value <= l.last.value {
		return
	}
	l.last = mark{value, now}
	if l.first.value == 0 {
		l.first = l.last
	}
}

// finish counts the current node.
func (l *loadTimer) finish(now time.Time) {
	n := l.graph[l.node]
	switch {
	case n == nil:
	case l.reads[l.node], strings.Contains(n.Class, "TextEncode") && l.first.value == 0:
		l.total += now.Sub(l.began)
	case l.last.value > l.first.value:
		each := float64(l.last.at.Sub(l.first.at)) / (l.last.value - l.first.value)
		l.total += max(0, l.first.at.Sub(l.began)-time.Duration(each*l.first.value))
	}
	l.node, l.first, l.last = "", mark{}, mark{}
}
