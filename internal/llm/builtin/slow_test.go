package builtin_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
)

// No text takes long, however it repeats itself.
func TestNoTextTakesLong(t *testing.T) {
	t.Parallel()
	_, m := house(t)
	tools := append(family(t, catalog.CreativeAgent), callers...)
	for _, piece := range []string{
		"and draw a ", "make it ", "the ", "a ", "\"", "'", "1 ", "1:1 ", "krea 2 turbo ", "with ", "the second one ", "animate it. ", "0:01 to ", "\n- a", "«", "draw a fox and ", "?", "what is ", "turbo ", "using ltx ",
		"three ", "of the ", "please ", "no ", "it should be ", "make a picture of a fox and a video of a bear and ", "without a and ", "x", "image -1: a\n", "how much ", "[a](https://e.org/a.png) ", "画", "then ", "such a nice big small picture of ", "add text ",
	} {
		for _, size := range []int{4 << 10, 16 << 10} {
			text := strings.Repeat(piece, size/len(piece))
			r := llm.Request{Messages: []llm.Message{llm.Text("system", text), llm.Text("user", text), llm.Text("assistant", text), llm.Text("user", text)}, Tools: tools}
			began := time.Now()
			if err := m.Speak(context.Background(), r, func(llm.Delta) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("%q, %d bytes: took %v", piece, size, took)
			} else if testing.Verbose() {
				t.Logf("%q, %d bytes: %v", piece, size, took)
			}
		}
	}
}
