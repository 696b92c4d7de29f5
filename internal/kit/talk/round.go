package talk

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/plan"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

const maxCalls = 16

// round is one step of answering a turn: it matches results, makes the calls that are ready, and at the end reports.
type round struct {
	m              *Model
	tools          *toolset
	state          *plan.DialogState
	turn           *turn
	interpretation *plan.Interpretation

	results map[*plan.Task]*callResult
	seed    string // for the ids of calls
}

func (m *Model) answerRequest(q llm.Request) *response {
	c := newConversation(q.Messages)
	tools := newToolset(m.catalog, q)
	now := c.currentTurn()
	a := &response{}
	s := m.restoreState(c, tools)
	r := m.planner.Interpret(now.text, s, tools.canCall)
	d := &round{m: m, tools: tools, state: s, turn: now, interpretation: r, results: map[*plan.Task]*callResult{}, seed: hashConversation(c)}
	if a.setCalls(d.callNamedTool()) {
		return a
	}
	d.matchResults()
	switch {
	case a.setCalls(d.readyCalls()):
	case a.setCalls(d.callRequiredTool()):
	default:
		a.text = d.report()
	}
	return a
}

// hashConversation hashes what was said, so that calls have ids that are unique in a conversation and the same for the
// same conversation.
func hashConversation(c *conversation) string {
	h := sha256.New()
	for i, t := range c.turns {
		fmt.Fprintf(h, "%d\x00%s\x00%d\x00", i, t.text, t.images)
	}
	return string(h.Sum(nil))
}

// makeCallID returns the id of the nth call of a turn.
func (d *round) makeCallID(n int, tool string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s", d.seed, n, tool))
	return "call_" + hex.EncodeToString(sum[:12])
}

// matchResults finds the result of each task: by the id of its call, else by the first free call of its tool.
func (d *round) matchResults() {
	taken := map[*callResult]bool{}
	for pass := range 2 {
		for n, t := range d.interpretation.Tasks {
			if d.results[t] != nil {
				continue
			}
			for _, o := range d.turn.calls {
				if taken[o] || o.call.Function.Name != t.Tool.Name || pass == 0 && o.call.ID != d.makeCallID(n, t.Tool.Name) {
					continue
				}
				d.results[t], taken[o] = o, true
				break
			}
		}
	}
}

func (d *round) readyCalls() (calls []llm.ToolCall) {
	for n, t := range d.interpretation.Tasks {
		if d.results[t] != nil || t.Failed != "" || len(calls) == maxCalls {
			continue
		}
		if waits := d.isWaiting(t); waits || t.Failed != "" {
			continue
		}
		if call, ok := d.callTask(n, t); ok {
			calls = append(calls, call)
		}
	}
	return calls
}

// isWaiting reports whether a task needs a result that has not arrived. If a task it needs failed, it fails too.
func (d *round) isWaiting(t *plan.Task) bool {
	for _, before := range t.Dependencies() {
		o := d.results[before]
		switch {
		case o == nil && before.Failed == "":
			return true
		case before == t.Lyrics: // without lyrics it becomes instrumental music
		case o == nil || !o.succeeded():
			t.Failed = "it needs a result that did not come"
		}
	}
	return false
}

// callTask makes the call of a task, or notes why it cannot be made.
func (d *round) callTask(n int, t *plan.Task) (llm.ToolCall, bool) {
	args, ok := d.resolveArguments(t)
	if !ok {
		t.Failed = "it needs a result that did not come"
		return llm.ToolCall{}, false
	}
	name := t.Tool.Name
	if !d.tools.canCall(name) {
		t.Failed = d.explainUnavailable(t)
		return llm.ToolCall{}, false
	}
	args, notes, err := d.m.planner.FitArguments(t, args, d.countMedia())
	if err != nil {
		t.Failed = err.Error()
		return llm.ToolCall{}, false
	}
	for _, s := range notes {
		t.AddNote(s)
	}
	return d.newToolCall(n, name, args), true
}

func (d *round) newToolCall(n int, name string, args map[string]any) llm.ToolCall {
	text, err := wire.Marshal(args)
	if err != nil { // cannot happen: arguments are plain values
		text = []byte("{}")
	}
	return llm.ToolCall{ID: d.makeCallID(n, name), Type: "function", Function: llm.FunctionCall{Name: name, Arguments: string(text)}}
}

// countMedia counts the media that indices can address now.
func (d *round) countMedia() catalog.Facts {
	var sent, made catalog.Counts
	for _, it := range d.state.Media.Items {
		if it.IsUpload() {
			sent.Add(catalog.Kind(it.Kind), 1)
		} else {
			made.Add(catalog.Kind(it.Kind), 1)
		}
	}
	for _, o := range d.turn.calls {
		for _, a := range o.assets() {
			made.Add(catalog.Kind(a.kind), 1)
		}
	}
	return catalog.Facts{Uploaded: &sent, Generated: &made}
}

// resolveArguments puts media indices and lyrics into the arguments of a task.
func (d *round) resolveArguments(t *plan.Task) (map[string]any, bool) {
	args := maps.Clone(t.Args)
	for _, u := range t.Media {
		var list []any
		for _, r := range u.Refs {
			index, ok := d.resolveIndex(r)
			if !ok {
				return nil, false
			}
			list = append(list, float64(index))
		}
		switch {
		case u.Field != "":
			if overlays, ok := args[u.Name].([]any); ok && len(overlays) > 0 {
				if over, ok := overlays[0].(map[string]any); ok {
					over[u.Field] = list[0]
				}
			}
		case u.List:
			args[u.Name] = list
		default:
			args[u.Name] = list[0]
		}
	}
	if t.Lyrics != nil {
		d.fillLyrics(t, args)
	}
	return args, true
}

// fillLyrics takes the lyrics, and what fits them, from the result of the lyrics task.
func (d *round) fillLyrics(t *plan.Task, args map[string]any) {
	o := d.results[t.Lyrics]
	if o == nil || !o.succeeded() {
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
			if t.HasArgument(name) {
				args[name] = v
			}
		}
	}
}

// resolveIndex returns the index of a piece of media.
func (d *round) resolveIndex(r plan.MediaRef) (int, bool) {
	if r.Item != nil {
		return r.Item.Index, true
	}
	kind := r.Task.OutputKind()
	o := d.results[r.Task]
	if o == nil {
		return 0, false
	}
	// Results without an index of their own follow the media that is there.
	next := d.state.Media.Count(kind, false)
	for _, other := range d.turn.calls {
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
			if other == o && nth == r.Nth {
				return index, true
			}
			nth++
		}
	}
	return 0, false
}

func (d *round) explainUnavailable(t *plan.Task) string {
	switch {
	case d.tools.disabled:
		return "the request says that no tool may be called"
	case len(d.tools.hosted) == 0:
		return "this request offers me no tools: leave `svc_tools` at `creative-tools`"
	case t.Tool.Family == catalog.CreativeAgent:
		return t.Tool.Name + " is only offered with `svc_tools` set to `creative-agent`"
	}
	return t.Tool.Name + " is not among the tools of this request"
}
