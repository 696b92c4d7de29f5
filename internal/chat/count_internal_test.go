package chat

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/llm"
)

// What a round has used: as its server counted; of one that was stopped, what is likely;
// the upper estimate only of a whole answer that the server did not count.
func TestCount(t *testing.T) {
	t.Parallel()
	const digits = "3141592653589793" // 4 tokens are likely, and 16 the most
	piece := func(s string) llm.Delta { return llm.Delta{Content: s} }
	counted := func(in, out int) llm.Delta {
		return llm.Delta{Usage: &llm.Usage{PromptTokens: in, CompletionTokens: out}}
	}
	words := func(n int) (said []llm.Delta) {
		for range n {
			said = append(said, piece("seven. "))
		}
		return said
	}
	for _, c := range []struct {
		name       string
		said       []llm.Delta
		whole      bool
		in, out    int
		impossible bool
	}{
		{name: "whole and counted", said: []llm.Delta{piece(digits), counted(100, 12)}, whole: true, in: 100, out: 12},
		{name: "whole and not counted", said: []llm.Delta{piece(digits)}, whole: true, in: 40, out: 16},
		{name: "whole and counted wrongly", said: []llm.Delta{piece(digits), counted(1<<30, 12)}, whole: true, in: 40, out: 12, impossible: true},
		{name: "stopped", said: []llm.Delta{piece(digits)}, in: 30, out: 4},
		{name: "stopped before the first word", in: 30},
		{name: "stopped, a word in a piece", said: words(90), in: 30, out: 90},
		{name: "stopped, many words in a piece", said: []llm.Delta{piece(strings.Repeat("seven. ", 90))}, in: 30, out: 158},
		{name: "stopped, a letter in a piece", said: []llm.Delta{piece("a"), piece("b"), piece("c"), piece("d"), piece("e")}, in: 30, out: 2},
		{name: "stopped, the prompt counted", said: []llm.Delta{counted(25, 0), piece(digits)}, in: 25, out: 4},
		{name: "stopped, more counted than likely", said: []llm.Delta{piece(digits), counted(25, 9)}, in: 25, out: 9},
		{name: "stopped, counted wrongly", said: []llm.Delta{piece(digits), counted(-1, 0)}, in: 30, out: 4, impossible: true},
	} {
		n := count{prompt: llm.Estimate{Likely: 30, Most: 40}}
		for _, d := range c.said {
			n.add(d)
		}
		got, impossible := n.total(1000, c.whole)
		if want := (llm.Usage{PromptTokens: c.in, CompletionTokens: c.out}); got != want || impossible != c.impossible {
			t.Errorf("%s: got %+v, impossible %v, want %+v", c.name, got, impossible, want)
		}
	}
}

// A head that a server has counted bounds the estimate of prompts that begin with it, and
// of no others.
func TestHeads(t *testing.T) {
	t.Parallel()
	ask := func(system, text string) *llm.Request {
		return &llm.Request{Messages: []llm.Message{llm.Text("system", strings.Repeat(system, 100)), llm.Text("user", text)}}
	}
	var h heads
	likely := func(model string, r *llm.Request) int {
		return h.likely(h.key(model, r), r, llm.MessageTokens(r.Messages))
	}
	h.note(h.key("m", ask("abcd", "x")), 70)
	h.note(h.key("m", ask("abcd", "x")), 90)
	h.note(h.key("m", ask("abcd", "x")), 0) // not counted
	for _, c := range []struct {
		name  string
		model string
		r     *llm.Request
		want  int
	}{
		{"the same head", "m", ask("abcd", "what now"), 70 + 4 + 2},
		{"another model", "n", ask("abcd", "what now"), 104 + 4 + 2},
		{"other instructions", "m", ask("abce", "what now"), 104 + 4 + 2},
	} {
		if got := likely(c.model, c.r); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
	tools := ask("abcd", "what now")
	tools.Tools = []llm.Tool{{Function: llm.Function{Name: "mine"}}}
	if got, want := likely("m", tools), 110; got != want {
		t.Errorf("with a tool: got %d, want %d", got, want)
	}
}
