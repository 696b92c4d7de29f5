package offline

import (
	"maps"
	"slices"
	"strings"
)

// restoreState works out what there was before the message to be answered: the
// media, the last request, a question that is open. It reads the messages
// before it again, because nothing else is kept.
func (m *Model) restoreState(c *conversation, tools *toolset) *dialogState {
	note := readMediaNote(c.system)
	everything := &mediaList{}
	everything.addUploads(c, note)
	s := &dialogState{media: &mediaList{}}
	last := len(c.turns) - 1
	for i, t := range c.turns {
		for _, it := range everything.items {
			if it.turn == i {
				s.media.items = append(s.media.items, it)
			}
			it.current = it.turn == i
		}
		if i == last {
			break
		}
		m.replayTurn(s, t, i, tools, last-i <= maxTurns)
	}
	s.media.alignWithNote(note)
	slices.SortStableFunc(s.media.items, func(a, b *mediaItem) int { return 2*(a.turn-b.turn) + sortKey(a) - sortKey(b) })
	return s
}

// sortKey puts what was sent before what was made of it.
func sortKey(it *mediaItem) int {
	if it.isUpload() {
		return 0
	}
	return 1
}

// replayTurn goes through an earlier turn: what it asked for and what came of it.
func (m *Model) replayTurn(s *dialogState, t *turn, i int, tools *toolset, near bool) {
	var tasks []*task
	var asked []question
	if near {
		r := m.planner.interpret(t.text, s, tools.canCall)
		tasks, asked = r.tasks, r.questions
	}
	if called := m.tasksFromCalls(t, s); called != nil {
		tasks = called
	}
	addOutputs(s, t, i, tasks)
	if len(tasks) > 0 {
		s.last = tasks
	}
	s.pending = nil
	if n := len(asked); n > 0 && strings.Contains(t.reply, asked[n-1].text) {
		s.pending = &asked[n-1]
	}
}

// tasksFromCalls makes tasks of the calls of a turn: what was really asked of tools.
func (m *Model) tasksFromCalls(t *turn, s *dialogState) (out []*task) {
	for _, o := range t.calls {
		tool, ok := m.catalog.Tool(o.call.Function.Name)
		if !ok || o.args == nil {
			continue
		}
		k := &task{tool: tool, act: "make", args: map[string]any{}}
		if len(tool.Needs) > 0 {
			k.act = "edit"
		}
		for _, name := range slices.Sorted(maps.Keys(o.args)) {
			v := o.args[name]
			a, known := tool.Argument(name)
			if !known {
				continue
			}
			index, single := v.(float64)
			switch {
			case a.Media == "" || a.URL:
				k.args[name] = v
			case single:
				if it := s.media.find(string(a.Media), int(index)); it != nil {
					k.setMedia(name, mediaRef{item: it})
				}
			}
		}
		for _, name := range []string{"prompt", "brief", "description", "query", "text"} {
			if text, ok := k.args[name].(string); ok && k.subject == "" {
				k.subject = text
			}
		}
		out = append(out, k)
	}
	return out
}

// find is the item with an index.
func (s *mediaList) find(kind string, index int) *mediaItem {
	for _, it := range s.items {
		if it.kind == kind && it.index == index {
			return it
		}
	}
	return nil
}

// addOutputs puts what a turn made on the shelf, labelled by the tasks that made
// it, in their order.
func addOutputs(s *dialogState, t *turn, i int, tasks []*task) {
	var kinds []string
	for _, o := range t.calls {
		for _, a := range o.assets() {
			kinds = append(kinds, a.kind)
		}
	}
	if kinds == nil {
		kinds = findLinkedMedia(t.reply)
	}
	left := map[*task]int{}
	for _, k := range tasks {
		left[k] = k.outputCount()
	}
	for _, kind := range kinds {
		var by *task
		for _, k := range tasks {
			if k.outputKind() == kind && left[k] > 0 {
				by = k
				left[k]--
				break
			}
		}
		label := ""
		if by != nil {
			label = by.label()
		}
		it := s.media.add(kind, label, i)
		if by != nil && by.result == nil {
			by.result = it
		}
	}
}
