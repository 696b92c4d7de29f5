package task

import (
	"fmt"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worker"
)

// RendererName is the name of the CPU renderer, which it also writes into clips.
const RendererName = "atelier-cpu"

// Task is one job of the CPU renderer.
type Task struct {
	worker.Task
	Engine film.Engine // reads and writes video; film chooses one when it is empty
}

// Text returns a string argument.
func (t Task) Text(name string) string {
	s, _ := t.Arguments[name].(string)
	return s
}

// Number returns a numeric argument, or a default.
func (t Task) Number(name string, otherwise float64) float64 {
	if f, ok := t.Arguments[name].(float64); ok {
		return f
	}
	return otherwise
}

// Flag returns a boolean argument, or a default.
func (t Task) Flag(name string, otherwise bool) bool {
	if b, ok := t.Arguments[name].(bool); ok {
		return b
	}
	return otherwise
}

// Texts returns an argument that is a list of strings.
func (t Task) Texts(name string) []string {
	list, _ := t.Arguments[name].([]any)
	var out []string
	for _, v := range list {
		s, _ := v.(string)
		out = append(out, s)
	}
	return out
}

// Objects returns an argument that is a list of objects.
func (t Task) Objects(name string) (out []map[string]any) {
	list, _ := t.Arguments[name].([]any)
	for _, v := range list {
		if o, ok := v.(map[string]any); ok {
			out = append(out, o)
		}
	}
	return out
}

// Paths returns the input files of a list argument in order: name, name#1, ….
func (t Task) Paths(name string) []string {
	var out []string
	for n, key := 0, name; ; n++ {
		path, ok := t.Files[key]
		if !ok {
			return out
		}
		out = append(out, path)
		key = fmt.Sprintf("%s#%d", name, n+1)
	}
}

// ParseRatio reads an aspect ratio such as 16:9.
func ParseRatio(s string) (float64, bool) {
	var a, b float64
	if n, err := fmt.Sscanf(s, "%g:%g", &a, &b); n != 2 || err != nil || !(a > 0) || !(b > 0) {
		return 0, false
	}
	r := a / b
	return r, r >= 1.0/8 && r <= 8
}
