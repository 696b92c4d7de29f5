package ateliertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/llm"
)

// model starts a model server and has the service offer its model.
func (w *world) model(p paragraph, words []string) {
	if w.service != nil {
		w.fail(p, "the service runs already")
	}
	o := NewOracle(w.t, words[0])
	m := config.UpstreamModel{ID: o.ID, ContextLength: 32768}
	var (
		extra []string
		key   string
	)
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "--reasoning":
			m.Reasoning = true
			continue
		case "--vision":
			m.Vision = true
			continue
		}
		if i++; i >= len(words) {
			w.fail(p, "%s needs a value", words[i-1])
		}
		var err error
		switch words[i-1] {
		case "--context":
			m.ContextLength, err = strconv.Atoi(words[i])
		case "--upstream":
			m.UpstreamID, o.Upstream = words[i], words[i]
		case "--tools":
			m.Tools = words[i]
		case "--tells":
			kind, tokens, _ := strings.Cut(words[i], ":")
			o.Kind = kind
			o.Context, err = strconv.Atoi(tokens)
		case "--key":
			key = words[i]
		case "--covered-by-plans":
			var is bool
			is, err = strconv.ParseBool(words[i])
			m.CoveredByPlans = &is
		case "--extra":
			extra = append(extra, words[i])
		case "--replaces":
			m.Replaces = append(m.Replaces, words[i])
		case "--in":
			m.PricePerMInput, err = atelier.ParseMoney(words[i])
		case "--out":
			m.PricePerMOut, err = atelier.ParseMoney(words[i])
		default:
			w.fail(p, "there is no flag %s", words[i-1])
		}
		if err != nil {
			w.fail(p, "%v", err)
		}
	}
	w.oracles = append(w.oracles, o)
	w.offered = append(w.offered, config.Upstream{Name: o.ID, BaseURL: o.URL + "/v1", APIKey: key, ExtraParams: extra, Models: []config.UpstreamModel{m}})
}

// upstreams has a service offer the models of the scenario.
func (w *world) upstreams(c *config.Config) { c.LLM.Upstreams = append(c.LLM.Upstreams, w.offered...) }

// oracle is the model that a paragraph speaks of: the one it names, else the
// first.
func (w *world) oracle(p paragraph, name string) *Oracle {
	for _, o := range w.oracles {
		if name == "" || o.ID == name {
			return o
		}
	}
	w.fail(p, "there is no model %q", name)
	return nil
}

// answer reads what a model is to say.
func (w *world) answer(p paragraph) (a Answer) {
	a.Usage = [3]int{10, 5, 0}
	calls := 0
	for _, line := range joined(p.lines[1:]) {
		line = w.expand(p, line)
		verb, rest, _ := strings.Cut(line, " ")
		var err error
		switch {
		case strings.HasPrefix(line, `"`):
			var text string
			err = json.Unmarshal([]byte(line), &text)
			a.Pieces = append(a.Pieces, Piece{Content: text})
		case verb == "thinks":
			var text string
			err = json.Unmarshal([]byte(rest), &text)
			a.Pieces = append(a.Pieces, Piece{Thought: text})
		case verb == "call":
			name, arguments, _ := strings.Cut(rest, " ")
			calls++
			a.Pieces = append(a.Pieces, Piece{Call: &Call{ID: fmt.Sprintf("call_%d", calls), Name: name, Arguments: arguments}})
		case verb == "usage":
			_, err = fmt.Sscan(rest, &a.Usage[0], &a.Usage[1], &a.Usage[2])
		case verb == "finish":
			a.Finish = rest
		case verb == "fail":
			status, reason, _ := strings.Cut(rest, " ")
			a.Reason = reason
			a.Fail, err = strconv.Atoi(status)
		case verb == "wait":
			a.Pieces = append(a.Pieces, Piece{Wait: true})
		case verb == "break":
			a.Pieces = append(a.Pieces, Piece{Break: true})
		default:
			err = fmt.Errorf("what is %q?", line)
		}
		if err != nil {
			w.fail(p, "%v", err)
		}
	}
	return a
}

// asked holds what a model was asked against what is expected.
func (w *world) asked(p paragraph, name string) {
	w.t.Helper()
	got := w.oracle(p, name).Asked(w.t)
	if err := w.matchJSON(w.expand(p, strings.Join(p.lines[1:], "\n")), got); err != nil {
		w.fail(p, "the model was asked something else: %v\n%s", err, shown(got))
	}
}

// tools holds the tools that a model was offered against what is expected: how
// many there are, how many tokens they take at most, and some of them.
func (w *world) tools(p paragraph, rest string) {
	w.t.Helper()
	var name string
	var least, most, tokens int
	if _, err := fmt.Sscanf(rest, "%s %d-%d %d", &name, &least, &most, &tokens); err != nil {
		w.fail(p, "which tools? %v", err)
	}
	var got struct{ Tools []llm.Tool }
	if err := json.Unmarshal(w.oracle(p, name).Asked(w.t), &got); err != nil {
		w.fail(p, "%v", err)
	}
	byName := map[string]llm.Function{}
	for _, t := range got.Tools {
		byName[t.Function.Name] = t.Function
	}
	if n := len(got.Tools); n < least || n > most || n != len(byName) {
		w.fail(p, "the model was offered %d tools, want %d to %d", n, least, most)
	}
	if n := llm.ToolTokens(got.Tools); n > tokens {
		w.fail(p, "the tools take %d tokens, want at most %d", n, tokens)
	}
	for _, line := range p.lines[1:] {
		name, want, _ := strings.Cut(line, " ")
		f, ok := byName[name]
		if !ok {
			w.fail(p, "the model was not offered %s, but %v", name, slices.Sorted(maps.Keys(byName)))
		}
		if want != "" && f.Description != want {
			w.fail(p, "%s is described as %q, want %q", name, f.Description, want)
		}
	}
}
