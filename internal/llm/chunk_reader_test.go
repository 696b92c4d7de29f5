package llm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/llm"
)

// Chunks that are alike are read like any others, whatever their words are and
// whatever comes between them.
func TestChunksThatRepeat(t *testing.T) {
	t.Parallel()
	words := []string{"a", "b", "", "\n", `"`, `\`, "日本", "}", `"}}]}`, `{"content":"x"}`, "\u2028", "end", " ", "c"}
	for name, form := range map[string]string{
		"compact":     `{"id":"1","choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}],"usage":null}`,
		"spaced":      `{"choices": [{"index": 0, "delta": {"role": "assistant", "content": %s}}]}`,
		"two choices": `{"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":%s}}]}`,
		"another key": `{"note":{"content":"a"},"choices":[{"index":0,"delta":{"content":%s}}]}`,
		"last":        `{"choices":[{"delta":{"content":%s}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var body, want strings.Builder
			for i, w := range words {
				quoted, _ := json.Marshal(w)
				fmt.Fprintf(&body, "data: "+form+"\n\n", quoted)
				want.WriteString(w)
				if i == 3 {
					body.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"+\",\"reasoning\":\"hm\"}}]}\n\n")
					want.WriteString("+")
				}
			}
			body.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
			u := server(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, body.String())
			})
			a, err := ask(t, u, true)
			if err != nil || a.Content != want.String() || a.Reasoning != "hm" || a.FinishReason != "stop" {
				t.Errorf("got %q, %v, want %q", a.Content, err, want.String())
			}
		})
	}
}

// A chunk that only looks like the one before is read for what it is.
func TestChunksThatDiffer(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]string{
		"a call":  `{"choices":[{"index":0,"delta":{"content":"b","tool_calls":[{"index":0,"id":"c","function":{"name":"f"}}],"x":"y"}}]}`,
		"nothing": `{"choices":[{"index":0,"delta":{"content":null}}]}`,
		"escaped": `{"choices":[{"index":0,"delta":{"content":"\u0062"}}]}`,
	} {
		u := server(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\ndata: %s\n\ndata: [DONE]\n\n", second)
		})
		var a llm.Answer
		err := u.Complete(t.Context(), llm.Request{Model: llm.Model{ID: "m"}, Stream: true}, func(d llm.Delta) error { a.Add(d); return nil })
		want := map[string]string{"a call": "ab", "nothing": "a", "escaped": "ab"}[name]
		if err != nil || a.Content != want || (len(a.ToolCalls) == 1) != (name == "a call") {
			t.Errorf("%s: got %q with %d calls, %v, want %q", name, a.Content, len(a.ToolCalls), err, want)
		}
	}
}

// streamed is what is read of a stream of chunks.
func streamed(t *testing.T, chunks ...string) (a llm.Answer, pieces []llm.ToolCallDelta) {
	t.Helper()
	u := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, c := range chunks {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", c)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	})
	err := u.Complete(t.Context(), llm.Request{Model: llm.Model{ID: "m"}, Stream: true}, func(d llm.Delta) error {
		a.Add(d)
		pieces = append(pieces, d.ToolCalls...)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return a, pieces
}

// Some servers cut a text within a character. That costs the character, not the answer.
func TestTextCutWithinACharacter(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string][2]string{
		"bytes": {"\xf0\x9f", "\x98\x80"}, "escapes": {`\ud83d`, `\ude00`},
	} {
		a, _ := streamed(t, `{"content":"a"}`, `{"content":"`+cut[0]+`"}`, `{"content":"`+cut[1]+`"}`, `{"content":"b"}`)
		if !strings.HasPrefix(a.Content, "a\ufffd") || !strings.HasSuffix(a.Content, "\ufffdb") {
			t.Errorf("%s: got %q", name, a.Content)
		}
	}
}

// Calls are told apart by their ids where their server has them all under one index, and numbered as they begin.
func TestCallsUnderOneIndex(t *testing.T) {
	t.Parallel()
	call := func(index, id, name, arguments string) string {
		return `{"tool_calls":[{` + index + `"id":"` + id + `","function":{"name":"` + name + `","arguments":"` + arguments + `"}}]}`
	}
	for name, chunks := range map[string][]string{
		"one index":       {call(`"index":0,`, "a", "f", "1"), call(`"index":0,`, "b", "g", "2"), call(`"index":0,`, "", "", "3")},
		"no index":        {call("", "a", "f", "1"), call("", "b", "g", "2"), call("", "", "", "3")},
		"from one":        {call(`"index":1,`, "a", "f", "1"), call(`"index":2,`, "b", "g", "2"), call(`"index":2,`, "", "", "3")},
		"changing ids":    {call(`"index":0,`, "a", "f", "1"), call(`"index":1,`, "b", "g", "2"), call(`"index":1,`, "x", "", "3")},
		"repeated starts": {call(`"index":0,`, "a", "f", "1"), call(`"index":1,`, "b", "g", "2"), call(`"index":1,`, "b", "", "3")},
	} {
		a, pieces := streamed(t, chunks...)
		want := []llm.ToolCall{
			{ID: "a", Type: "function", Function: llm.FunctionCall{Name: "f", Arguments: "1"}},
			{ID: "b", Type: "function", Function: llm.FunctionCall{Name: "g", Arguments: "23"}},
		}
		if !slices.Equal(a.ToolCalls, want) || len(pieces) != 3 || pieces[1].Index != 1 || pieces[2].Index != 1 {
			t.Errorf("%s: got %+v from %+v", name, a.ToolCalls, pieces)
		}
	}
}
