package openai

import (
	"bytes"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/wire"
)

// BenchmarkWriteText measures a chunk of text made from the parts of another, and one
// that is encoded whole.
func BenchmarkWriteText(b *testing.B) {
	c := NewChunker(&chat.Request{ID: "chatcmpl-1"}, time.Unix(1, 0))
	text := "word "
	for name, write := range map[string]func(*bytes.Buffer) error{
		"parts": func(out *bytes.Buffer) error { return c.WriteText(out, text) },
		"whole": func(out *bytes.Buffer) error { return wire.Write(out, c.delta(chunkDelta{Content: &text})) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				if err := write(&out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
