package offline_test

import (
	"context"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
)

// tiresome are texts that repeat themselves in ways that could take long.
var tiresome = []string{
	"and draw a ", "make it ", "the ", "a ", "\"", "'", "1 ", "1:1 ", "krea 2 turbo ", "with ", "the second one ", "animate it. ", "0:01 to ", "\n- a", "«",
	"draw a fox and ", "?", "what is ", "turbo ", "using ltx ", "three ", "of the ", "please ", "no ", "it should be ",
	"make a picture of a fox and a video of a bear and ", "without a and ", "x", "image -1: a\n", "how much ", "[a](https://e.org/a.png) ", "画", "then ",
	"such a nice big small picture of ", "add text ",
}

// BenchmarkTiresome is the slowest that a text of 4 KB in each of four messages
// can be.
func BenchmarkTiresome(b *testing.B) {
	_, m := house(b)
	tools := append(family(b, catalog.CreativeAgent), callers...)
	for _, piece := range tiresome {
		text := strings.Repeat(piece, 4<<10/len(piece))
		r := llm.Request{Messages: []llm.Message{llm.Text("system", text), llm.Text("user", text), llm.Text("assistant", text), llm.Text("user", text)}, Tools: tools}
		b.Run(strings.TrimSpace(piece), func(b *testing.B) {
			for b.Loop() {
				if err := m.Speak(context.Background(), r, func(llm.Delta) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
