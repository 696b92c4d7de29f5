package offline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// maxCalls bounds the calls of one round.
const maxCalls = 16

// round is one step of answering a turn: what has been called, what can be
// called now, and at the end what is to be told.
type round struct {
	m     *Model
	tools *toolset
	s     *state
	now   *turn
	r     *reading

	outcomes map[*task]*outcome
	seed     string // of the ids of calls
}

// answer answers a request.
func (m *Model) answer(q llm.Request) *answer {
	c := newConversation(q.Messages)
	tools := newToolset(m.catalog, m.planner.lexicon, q)
	now := c.current()
	a := &answer{said: now.said}
	s := m.remember(c, tools)
	r := m.planner.read(now.said, s, tools.can)
	d := &round{m: m, tools: tools, s: s, now: now, r: r, outcomes: map[*task]*outcome{}, seed: seedOf(c)}
	if calls := d.demanded(); calls != nil {
		a.calls = calls
		return a
	}
	d.match()
	if r.guess {
		if a.calls = d.functions(); len(a.calls) > 0 {
			return a
		}
	}
	if a.calls = d.ready(); len(a.calls) > 0 {
		return a
	}
	if a.calls = d.functions(); len(a.calls) > 0 {
		return a
	}
	if a.calls = d.insisted(); len(a.calls) > 0 {
		return a
	}
	a.text = d.report()
	return a
}

// seedOf is a digest of what has been said, so that the calls of one turn have
// ids of their own and the same conversation the same ones.
func seedOf(c *conversation) string {
	h := sha256.New()
	for i, t := range c.turns {
		fmt.Fprintf(h, "%d\x00%s\x00%d\x00", i, t.said, t.shown)
	}
	return string(h.Sum(nil))
}

// id is the id of the nth call of a turn.
func (d *round) id(n int, tool string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s", d.seed, n, tool))
	return "call_" + hex.EncodeToString(sum[:12])
}

// match finds the outcome of each task: by the id of its call, else by the
// first call of its tool that nobody else has.
func (d *round) match() {
	taken := map[*outcome]bool{}
	for pass := range 2 {
		for n, t := range d.r.tasks {
			if d.outcomes[t] != nil {
				continue
			}
			for _, o := range d.now.calls {
				if taken[o] || o.call.Function.Name != t.tool.Name || pass == 0 && o.call.ID != d.id(n, t.tool.Name) {
					continue
				}
				d.outcomes[t], taken[o] = o, true
				break
			}
		}
	}
}

// ready lists the calls that can be made now.
func (d *round) ready() (calls []llm.ToolCall) {
	for n, t := range d.r.tasks {
		if d.outcomes[t] != nil || t.failed != "" || len(calls) == maxCalls {
			continue
		}
		if waits := d.waits(t); waits || t.failed != "" {
			continue
		}
		if call, ok := d.call(n, t); ok {
			calls = append(calls, call)
		}
	}
	return calls
}

// waits reports whether a task needs something that is not there yet. A task
// whose need has failed fails with it.
func (d *round) waits(t *task) bool {
	for _, before := range t.after() {
		o := d.outcomes[before]
		switch {
		case o == nil && before.failed == "":
			return true
		case before == t.lyrics: // without words it becomes music without a voice
		case o == nil || !o.ok():
			t.failed = "it needs a result that did not come"
		}
	}
	return false
}

// call makes the call of a task, or says why it cannot be made.
func (d *round) call(n int, t *task) (llm.ToolCall, bool) {
	args, ok := d.resolve(t)
	if !ok {
		t.failed = "it needs a result that did not come"
		return llm.ToolCall{}, false
	}
	name := t.tool.Name
	if own := d.tools.function(name); own != nil && !d.tools.off {
		return d.toolCall(n, name, own.adapt(args)), true
	}
	if !d.tools.can(name) {
		t.failed = d.unavailable(t)
		return llm.ToolCall{}, false
	}
	args, notes, err := d.m.planner.settle(t, args, d.facts())
	if err != nil {
		t.failed = err.Error()
		return llm.ToolCall{}, false
	}
	for _, s := range notes {
		t.note(s)
	}
	return d.toolCall(n, name, args), true
}

func (d *round) toolCall(n int, name string, args map[string]any) llm.ToolCall {
	text, err := wire.Marshal(args)
	if err != nil { // arguments are plain values; this does not happen
		text = []byte("{}")
	}
	return llm.ToolCall{ID: d.id(n, name), Type: "function", Function: llm.FunctionCall{Name: name, Arguments: string(text)}}
}

// facts counts the media that indices can address now.
func (d *round) facts() catalog.Facts {
	var sent, made catalog.Counts
	for _, it := range d.s.shelf.items {
		if it.sent() {
			sent.Add(catalog.Kind(it.kind), 1)
		} else {
			made.Add(catalog.Kind(it.kind), 1)
		}
	}
	for _, o := range d.now.calls {
		for _, a := range o.assets() {
			made.Add(catalog.Kind(a.kind), 1)
		}
	}
	return catalog.Facts{Uploaded: &sent, Generated: &made}
}

// resolve puts the indices of media and the words of a song into arguments.
func (d *round) resolve(t *task) (map[string]any, bool) {
	args := map[string]any{}
	for k, v := range t.args {
		args[k] = v
	}
	for _, u := range t.media {
		var list []any
		for _, r := range u.refs {
			index, ok := d.index(r)
			if !ok {
				return nil, false
			}
			list = append(list, float64(index))
		}
		switch {
		case u.field != "":
			if overlays, ok := args[u.argument].([]any); ok && len(overlays) > 0 {
				if over, ok := overlays[0].(map[string]any); ok {
					over[u.field] = list[0]
				}
			}
		case u.list:
			args[u.argument] = list
		default:
			args[u.argument] = list[0]
		}
	}
	if t.lyrics != nil {
		d.sing(t, args)
	}
	return args, true
}

// sing takes the words of a song, and what suits them, from their outcome.
func (d *round) sing(t *task, args map[string]any) {
	o := d.outcomes[t.lyrics]
	if o == nil || !o.ok() {
		return
	}
	if words, ok := o.result["lyrics"].(string); ok && strings.TrimSpace(words) != "" {
		args["lyrics"] = words
	}
	for _, name := range []string{"bpm", "keyscale", "timesig", "duration"} {
		v, given := o.result[name]
		if _, asked := args[name]; asked || !given || v == nil {
			continue
		}
		switch v.(type) {
		case string, float64:
			if t.takes(name) {
				args[name] = v
			}
		}
	}
}

// index is where a piece of media is.
func (d *round) index(r ref) (int, bool) {
	if r.item != nil {
		return r.item.index, true
	}
	kind := r.of.makes()
	o := d.outcomes[r.of]
	if o == nil {
		return 0, false
	}
	// Results without an index of their own are counted on from the shelf.
	next := d.s.shelf.count(kind, false)
	for _, other := range d.now.calls {
		nth := 0
		for _, a := range other.assets() {
			if a.kind != kind {
				continue
			}
			index := a.index
			if index < 0 {
				index = next
			}
			next = max(next, index+1)
			if other == o && nth == r.nth {
				return index, true
			}
			nth++
		}
	}
	return 0, false
}

// unavailable says why a tool cannot be called.
func (d *round) unavailable(t *task) string {
	switch {
	case d.tools.off:
		return "the request says that no tool may be called"
	case len(d.tools.hosted) == 0:
		return "this request offers me no tools: leave `svc_tools` at `creative-tools`"
	case t.tool.Family == catalog.CreativeAgent:
		return t.tool.Name + " is only offered with `svc_tools` set to `creative-agent`"
	}
	return t.tool.Name + " is not among the tools of this request"
}
