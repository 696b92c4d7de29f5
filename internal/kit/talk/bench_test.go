package talk_test

import (
	"context"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
)

// repetitive are texts whose repetition could take long.
var repetitive = []string{
	"and draw a ", "make it ", "the ", "a ", "\"", "'", "1 ", "1:1 ", "krea 2 turbo ", "with ", "the second one ", "animate it. ", "0:01 to ", "\n- a", "«",
	"draw a fox and ", "?", "what is ", "turbo ", "using ltx ", "three ", "of the ", "please ", "no ", "it should be ",
	"make a picture of a fox and a video of a bear and ", "without a and ", "x", "image -1: a\n", "how much ", "[a](https://e.org/a.png) ", "画", "then ",
	"such a nice big small picture of ", "add text ",
}

// BenchmarkRepetitive is the slowest that a text of 4 KB in each of four messages
// can be.
func BenchmarkRepetitive(b *testing.B) {
	_, m := loadModel(b)
	tools := append(hostedTools(b, catalog.CreativeAgent), callerFunctions...)
	for _, piece := range repetitive {
		text := strings.Repeat(piece, 4<<10/len(piece))
		r := llm.Request{Messages: []llm.Message{llm.Text("system", text), llm.Text("user", text), llm.Text("assistant", text), llm.Text("user", text)}, Tools: tools}
		b.Run(strings.TrimSpace(piece), func(b *testing.B) {
			for b.Loop() {
				if err := m.Complete(context.Background(), r, func(llm.Delta) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSpeak(b *testing.B) {
	_, m := loadModel(b)
	tools := hostedTools(b, catalog.CreativeTools)
	long := strings.Repeat("Draw a red fox in the snow, 1024x768, and animate it with krea 2 turbo without people. ", 48)[:4096]
	for name, said := range map[string]string{"short": "Draw a red fox in the snow and animate it", "4KB": long, "question": "Which video models are there?"} {
		b.Run(name, func(b *testing.B) {
			r := llm.Request{Messages: []llm.Message{llm.Text("user", said)}, Tools: tools}
			b.ReportAllocs()
			for b.Loop() {
				if err := m.Complete(context.Background(), r, func(llm.Delta) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
