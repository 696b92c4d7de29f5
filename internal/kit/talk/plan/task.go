package plan

import (
	"maps"
	"slices"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/intent"
	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
)

// Task is a tool call that is planned.
type Task struct {
	Tool    *catalog.Tool
	Act     intent.Act
	Args    map[string]any  // values from the words
	Media   []MediaArgument // arguments that address media
	Subject string          // what it shows or says, for the report

	Lyrics *Task // the task that writes the lyrics
	Notes  []string

	Failed string     // why it cannot be called, once that is known
	Result *MediaItem // its first result, if it ran in an earlier turn
}

// MediaArgument is an argument that addresses media.
type MediaArgument struct {
	Name  string
	List  bool
	Refs  []MediaRef
	Field string // the field to set, when the argument is a list of objects
}

// MediaRef refers to existing media, or to the result of a task before.
type MediaRef struct {
	Item *MediaItem
	Task *Task
	Nth  int // which of several results
}

// HasArgument reports whether the tool has an argument.
func (t *Task) HasArgument(argument string) bool {
	_, ok := t.Tool.Argument(argument)
	return ok
}

// setArgument sets an argument, if the tool has it.
func (t *Task) setArgument(argument string, value any) {
	if t.HasArgument(argument) {
		t.Args[argument] = value
	}
}

// allows reports whether an argument may have a value.
func (t *Task) allows(argument string, value any) bool {
	a, ok := t.Tool.Argument(argument)
	return ok && (a.Enum == nil || slices.Contains(a.Enum, value))
}

// clamp moves a number into the bounds of an argument, and adds a note.
func (t *Task) clamp(argument string, v float64, unit string) float64 {
	a, ok := t.Tool.Argument(argument)
	if !ok {
		return v
	}
	to := v
	if a.Min != nil {
		to = max(to, *a.Min)
	}
	if a.Max != nil {
		to = min(to, *a.Max)
	}
	if to != v {
		t.AddNote("I asked for " + phrase.FormatNumber(to) + unit + " instead of " + phrase.FormatNumber(v) + unit + ": " + t.Tool.Name + " goes no further.")
	}
	return to
}

// AddNote adds a sentence to the report of the task.
func (t *Task) AddNote(s string) {
	if !slices.Contains(t.Notes, s) {
		t.Notes = append(t.Notes, s)
	}
}

// SetMedia makes an argument address media.
func (t *Task) SetMedia(argument string, refs ...MediaRef) {
	if len(refs) == 0 {
		return
	}
	a, ok := t.Tool.Argument(argument)
	if !ok {
		return
	}
	t.Media = append(t.Media, MediaArgument{Name: a.Name, List: a.IsArray(), Refs: refs})
}

// OutputKind returns the kind of media that the task makes, empty for none.
func (t *Task) OutputKind() string {
	if t.Tool.Produces == nil {
		return ""
	}
	switch k := t.Tool.Produces.Kind; k {
	case catalog.Image, catalog.Video, catalog.Audio, catalog.Object:
		return string(k)
	}
	return ""
}

// OutputCount returns how many results the task will have.
func (t *Task) OutputCount() int {
	n := 1
	if v, ok := t.Args["numberOfVariations"].(float64); ok {
		n = int(v)
	}
	for _, u := range t.Media {
		if a, ok := t.Tool.Argument(u.Name); ok && a.FanOut {
			n = max(n, len(u.Refs))
		}
	}
	return max(1, n)
}

// Label returns what the results show. An edited picture shows what it showed before.
func (t *Task) Label() string {
	switch t.Act {
	case "make", "list", "speak", "lyrics":
		return t.Subject
	}
	for _, u := range t.Media {
		if label := firstLabel(u.Refs); label != "" {
			return label
		}
	}
	if t.Act == "animate" || t.Act == "dance" || t.Act == "orbit" || t.Act == "model3d" {
		return t.Subject
	}
	return ""
}

// Dependencies lists the tasks whose results this one needs.
func (t *Task) Dependencies() (out []*Task) {
	for _, u := range t.Media {
		for _, r := range u.Refs {
			if r.Task != nil && !slices.Contains(out, r.Task) {
				out = append(out, r.Task)
			}
		}
	}
	if t.Lyrics != nil {
		out = append(out, t.Lyrics)
	}
	return out
}

// clone copies the task, to repeat or change it.
func (t *Task) clone() *Task {
	c := *t
	c.Args = maps.Clone(t.Args)
	c.Media = slices.Clone(t.Media)
	for i := range c.Media {
		c.Media[i].Refs = slices.Clone(c.Media[i].Refs)
	}
	c.Notes, c.Failed = nil, ""
	return &c
}

// mediaArgumentFor returns the argument that takes media of a kind, empty for none.
func (t *Task) mediaArgumentFor(kind string) string {
	for _, n := range t.Tool.Needs {
		if string(n.Kind) == kind {
			return n.Argument
		}
	}
	for _, a := range t.Tool.MediaArguments() {
		if string(a.Media) == kind && !a.URL && !a.Aside {
			return a.Name
		}
	}
	return ""
}
