package llm_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/llm"
)

// A server may be much faster than the service: whatever has arrived is passed on before more is waited for, also when
// it is more than one read takes, wherever the parts of the body end.
func TestBursts(t *testing.T) {
	t.Parallel()
	word := func(i int) string { return fmt.Sprintf("word %d ", i) }
	const bursts, words = 3, 400 // 30 KB in a burst
	for _, part := range []int{37, 211, 4 << 10, 4<<10 + 1, 64 << 10} {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			heard := make(chan string, bursts*words)
			u, _ := counted(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_ = http.NewResponseController(w).Flush()
				for burst := range bursts {
					var text, want strings.Builder
					for i := range words {
						fmt.Fprintf(&text, `data: {"id":"1","choices":[{"index":0,"delta":{"content":%q}}]}`+"\n\n", word(burst*words+i))
						want.WriteString(word(burst*words + i))
					}
					for rest := text.String(); rest != ""; {
						n := min(part, len(rest))
						fmt.Fprint(w, rest[:n])
						_ = http.NewResponseController(w).Flush()
						rest = rest[n:]
					}
					for got := ""; got != want.String(); { // nothing else is sent until all has been heard
						select {
						case piece := <-heard:
							got += piece
						case <-r.Context().Done():
							return
						}
					}
				}
				fmt.Fprint(w, "data: [DONE]\n\n")
			})
			request := llm.Request{Model: llm.Model{ID: "m"}, Messages: []llm.Message{llm.Text("user", "hi")}, Stream: true}
			err := u.Complete(t.Context(), request, func(d llm.Delta) error {
				heard <- d.Content
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
