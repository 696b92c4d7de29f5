package offline

import (
	"slices"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm/offline/intent"
	"github.com/atelier-project/atelier/internal/llm/offline/phrase"
)

// task is a tool call to be made, as far as it is known before anything runs.
type task struct {
	tool    *catalog.Tool
	act     intent.Act
	args    map[string]any  // what the words say
	media   []mediaArgument // arguments that address media
	subject string          // what it shows or says, for the report

	lyrics *task // where the words of a song come from
	notes  []string

	failed string     // why it cannot be called, once that is known
	result *mediaItem // the first thing it made, when that was in an earlier message
}

// mediaArgument is an argument and the media that it addresses.
type mediaArgument struct {
	name  string
	list  bool
	refs  []mediaRef
	field string // of the objects in a list, when the argument is one of those
}

// mediaRef is a piece of media: an item of the shelf, or a result of a task before.
type mediaRef struct {
	item *mediaItem
	task *task
	nth  int // of several results
}

// hasArgument reports whether the tool has an argument.
func (t *task) hasArgument(argument string) bool {
	_, ok := t.tool.Argument(argument)
	return ok
}

// setArgument sets an argument that the tool has.
func (t *task) setArgument(argument string, value any) {
	if t.hasArgument(argument) {
		t.args[argument] = value
	}
}

// allows reports whether a value is one of those that an argument may have.
func (t *task) allows(argument string, value any) bool {
	a, ok := t.tool.Argument(argument)
	return ok && (a.Enum == nil || slices.Contains(a.Enum, value))
}

// clamp moves a number into the bounds of an argument, and says so.
func (t *task) clamp(argument string, v float64, unit string) float64 {
	a, ok := t.tool.Argument(argument)
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
		t.addNote("I asked for " + phrase.FormatNumber(to) + unit + " instead of " + phrase.FormatNumber(v) + unit + ": " + t.tool.Name + " goes no further.")
	}
	return to
}

// addNote adds something to tell when the task is done.
func (t *task) addNote(s string) {
	if !slices.Contains(t.notes, s) {
		t.notes = append(t.notes, s)
	}
}

// setMedia makes an argument point at media.
func (t *task) setMedia(argument string, refs ...mediaRef) {
	if len(refs) == 0 {
		return
	}
	a, ok := t.tool.Argument(argument)
	if !ok {
		return
	}
	t.media = append(t.media, mediaArgument{name: a.Name, list: a.IsArray(), refs: refs})
}

// outputKind is the kind of media that the task makes, empty for none.
func (t *task) outputKind() string {
	if t.tool.Produces == nil {
		return ""
	}
	switch k := t.tool.Produces.Kind; k {
	case catalog.Image, catalog.Video, catalog.Audio, catalog.Object:
		return string(k)
	}
	return ""
}

// outputCount is how many results the task will have.
func (t *task) outputCount() int {
	n := 1
	if v, ok := t.args["numberOfVariations"].(float64); ok {
		n = int(v)
	}
	for _, u := range t.media {
		if a, ok := t.tool.Argument(u.name); ok && a.FanOut {
			n = max(n, len(u.refs))
		}
	}
	return max(1, n)
}

// label is what the results show: a changed picture still shows what it showed
// before.
func (t *task) label() string {
	switch t.act {
	case "make", "list", "speak", "lyrics":
		return t.subject
	}
	for _, u := range t.media {
		if label := firstLabel(u.refs); label != "" {
			return label
		}
	}
	if t.act == "animate" || t.act == "dance" || t.act == "orbit" || t.act == "solid" {
		return t.subject
	}
	return ""
}

// dependencies lists the tasks that have to be done before this one.
func (t *task) dependencies() (out []*task) {
	for _, u := range t.media {
		for _, r := range u.refs {
			if r.task != nil && !slices.Contains(out, r.task) {
				out = append(out, r.task)
			}
		}
	}
	if t.lyrics != nil {
		out = append(out, t.lyrics)
	}
	return out
}

// clone is the task again, for another take or a changed one.
func (t *task) clone() *task {
	c := *t
	c.args = map[string]any{}
	for k, v := range t.args {
		c.args[k] = v
	}
	c.media = slices.Clone(t.media)
	for i := range c.media {
		c.media[i].refs = slices.Clone(c.media[i].refs)
	}
	c.notes, c.failed = nil, ""
	return &c
}

// mediaArgumentFor is the argument that takes media of a kind, empty when none does.
func (t *task) mediaArgumentFor(kind string) string {
	for _, n := range t.tool.Needs {
		if string(n.Kind) == kind {
			return n.Argument
		}
	}
	for _, a := range t.tool.MediaArguments() {
		if string(a.Media) == kind && !a.URL && !a.Aside {
			return a.Name
		}
	}
	return ""
}
