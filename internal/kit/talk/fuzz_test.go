package talk_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// Whatever is said, the model answers: with words, or with calls whose arguments
// are JSON and, for tools of the service, what the catalog takes. It says the
// same twice, and the same in a stream.
func FuzzSpeak(f *testing.F) {
	c, m := loadModel(f)
	tools := append(hostedTools(f, catalog.CreativeAgent), callerFunctions...)
	for _, seed := range [][4]string{
		{"Draw a fox", "", "", ""},
		{"draw a fox and animate it", "[x](https://e.org/a.png)", "make it darker", `{"ok":true,"output_assets":[{"kind":"image","index":0}]}`},
		{"make a song about \"rain", "What should the song be about?", "rain: \n\n - a\n 1. b", `{"ok":false}`},
		{"replace seconds 2 to 4 with 0:0", "image -1: x", "the second one, the last two, 3 more", `[1]`},
		{"'''\"\"«„`` 1:1:1 99999999999999999999x8 -1 3/4/5 c# b flat major", "", "…", "x"},
		{"add subtitles 1\n00:00 --> 00:01\nhi", "video 0: made earlier", "video 99999: 2", `{"lyrics":"la","bpm":1e400}`},
		{strings.Repeat("and draw a ", 300), "", strings.Repeat("make it ", 300), ""},
		{"say: ", "", "in", ""}, {"draw", "", "use", ""}, {"make a video of the", "", "again with", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], byte(len(seed[0])))
	}
	f.Fuzz(func(t *testing.T, first, reply, second, result string, how byte) {
		messages := []llm.Message{llm.Text("system", reply), llm.Text("user", first)}
		if how&1 != 0 {
			messages = append(messages, llm.Text("assistant", reply), llm.Text("user", second))
		}
		if how&2 != 0 {
			messages[len(messages)-1].Content = append(messages[len(messages)-1].Content, llm.Part{Type: "image_url"})
		}
		r := llm.Request{Messages: messages, Tools: tools, MaxTokens: int(how) * 4}
		if how&4 != 0 {
			r.Tools = nil
		}
		if how&8 != 0 {
			r.Params = map[string]wire.Raw{"stop": wire.Raw(result)}
		}
		for round := 0; ; round++ {
			a := speak(t, m, r)
			checkAnswer(t, c, r, a)
			if again := speak(t, m, r); !sameAnswer(a, again) {
				t.Fatalf("twice the same request: %+v and %+v", a, again)
			}
			stream := r
			stream.Stream = true
			if bits := speak(t, m, stream); !sameAnswer(a, bits) {
				t.Fatalf("whole %+v, as a stream %+v", a, bits)
			}
			if len(a.ToolCalls) == 0 {
				return
			}
			if round == 14 {
				t.Fatalf("%q: calls without an end", first)
			}
			r.Messages = append(r.Messages, a.Message())
			for i, call := range a.ToolCalls {
				reply := llm.Text("tool", result)
				if i%2 == 0 {
					reply.ToolCallID = call.ID
				}
				r.Messages = append(r.Messages, reply)
			}
		}
	})
}

func checkAnswer(t *testing.T, c *catalog.Catalog, r llm.Request, a llm.Answer) {
	t.Helper()
	if a.FinishReason == "" || a.Usage.PromptTokens == 0 {
		t.Fatalf("an answer without an end: %+v", a)
	}
	if len(a.ToolCalls) == 0 && a.Content == "" && r.Params == nil && a.FinishReason != "length" {
		t.Fatalf("neither words nor calls: %+v", r.Messages)
	}
	if !utf8.ValidString(a.Content) {
		t.Fatalf("not UTF-8: %q", a.Content)
	}
	for _, call := range a.ToolCalls {
		var args map[string]any
		if err := json.Unmarshal([]byte(call.Function.Arguments), &args); err != nil {
			t.Fatalf("%s %s: %v", call.Function.Name, call.Function.Arguments, err)
		}
		if _, hosted := c.Tool(call.Function.Name); !hosted {
			continue
		}
		if _, err := c.Step(call.Function.Name, args, catalog.Facts{}); err != nil {
			t.Fatalf("%s %s: %v", call.Function.Name, call.Function.Arguments, err)
		}
	}
}

// Whatever schema a caller sends, a function that has to be called is called with
// a JSON object.
func FuzzSchema(f *testing.F) {
	_, m := loadModel(f)
	for _, tool := range callerFunctions {
		f.Add("Book a flight from Berlin to Rome on 2026-12-24", string(tool.Function.Parameters))
	}
	f.Add("x", `{"$ref":"#"}`)
	f.Add("x", `{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}`)
	f.Add("1 2 3", `{"type":"array","minItems":1000000,"items":{"type":"array","minItems":1000000}}`)
	f.Add("x", `{"properties":{"a":{"anyOf":[{"type":"null"},{"enum":[]}]}},"required":["a","a","b"]}`)
	f.Add("x", `{"type":["null"],"minLength":1000000000}`)
	f.Fuzz(func(t *testing.T, said, schema string) {
		if !json.Valid([]byte(schema)) {
			t.Skip("no request has a schema that is not JSON")
		}
		user := []llm.Message{llm.Text("user", said)}
		a := speak(t, m, llm.Request{Messages: user, Tools: []llm.Tool{newFunction("act", "Does something.", schema)}, ToolChoice: wire.Raw(`{"function":{"name":"act"}}`)})
		var args map[string]any
		if len(a.ToolCalls) != 1 || json.Unmarshal([]byte(a.ToolCalls[0].Function.Arguments), &args) != nil {
			t.Fatalf("%s: got %+v", schema, a)
		}
	})
}

// sameAnswer reports whether two answers are the same, streamed or not.
func sameAnswer(a, b llm.Answer) bool {
	return a.Content == b.Content && a.Reasoning == b.Reasoning && a.FinishReason == b.FinishReason && a.Usage == b.Usage &&
		reflect.DeepEqual(a.ToolCalls, b.ToolCalls)
}
