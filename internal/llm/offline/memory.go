package offline

import (
	"maps"
	"slices"
	"strings"
)

// remember works out what there was before the message to be answered: the
// media, the last request, a question that is open. It reads the messages
// before it again, because nothing else is kept.
func (m *Model) remember(c *conversation, tools *toolset) *state {
	note := readNote(c.system)
	everything := &shelf{}
	everything.send(c, note)
	s := &state{shelf: &shelf{}}
	last := len(c.turns) - 1
	for i, t := range c.turns {
		for _, it := range everything.items {
			if it.turn == i {
				s.shelf.items = append(s.shelf.items, it)
			}
			it.now = it.turn == i
		}
		if i == last {
			break
		}
		m.relive(s, t, i, tools, last-i <= maxTurns)
	}
	s.shelf.agree(note)
	slices.SortStableFunc(s.shelf.items, func(a, b *item) int { return 2*(a.turn-b.turn) + order(a) - order(b) })
	return s
}

// order puts what was sent before what was made of it.
func order(it *item) int {
	if it.sent() {
		return 0
	}
	return 1
}

// relive goes through an earlier turn: what it asked for and what came of it.
func (m *Model) relive(s *state, t *turn, i int, tools *toolset, near bool) {
	var tasks []*task
	var asked []wanted
	if near {
		r := m.planner.read(t.said, s, tools.can)
		tasks, asked = r.tasks, r.asked
	}
	if called := m.called(t, s); called != nil {
		tasks = called
	}
	collect(s, t, i, tasks)
	if len(tasks) > 0 {
		s.last = tasks
	}
	s.pending = nil
	if n := len(asked); n > 0 && strings.Contains(t.reply, asked[n-1].question) {
		s.pending = &asked[n-1]
	}
}

// called makes tasks of the calls of a turn: what was really asked of tools.
func (m *Model) called(t *turn, s *state) (out []*task) {
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
				if it := s.shelf.find(string(a.Media), int(index)); it != nil {
					k.address(name, ref{item: it})
				}
			}
		}
		for _, name := range []string{"prompt", "brief", "description", "query", "text"} {
			if text, ok := k.args[name].(string); ok && k.about == "" {
				k.about = text
			}
		}
		out = append(out, k)
	}
	return out
}

// find is the item with an index.
func (s *shelf) find(kind string, index int) *item {
	for _, it := range s.items {
		if it.kind == kind && it.index == index {
			return it
		}
	}
	return nil
}

// collect puts what a turn made on the shelf, labelled by the tasks that made
// it, in their order.
func collect(s *state, t *turn, i int, tasks []*task) {
	var kinds []string
	for _, o := range t.calls {
		for _, a := range o.assets() {
			kinds = append(kinds, a.kind)
		}
	}
	if kinds == nil {
		kinds = linked(t.reply)
	}
	left := map[*task]int{}
	for _, k := range tasks {
		left[k] = k.count()
	}
	for _, kind := range kinds {
		var by *task
		for _, k := range tasks {
			if k.makes() == kind && left[k] > 0 {
				by = k
				left[k]--
				break
			}
		}
		label := ""
		if by != nil {
			label = by.label()
		}
		it := s.shelf.put(kind, label, i)
		if by != nil && by.result == nil {
			by.result = it
		}
	}
}
