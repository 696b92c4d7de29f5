package chat_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/wire"
)

// Thoughts are not part of an answer, however it is cut into pieces.
func TestThoughtsAreStripped(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	for _, c := range []struct {
		said   string
		want   string
		stream bool
	}{
		{"<think>a</think>\n\nHello.", "Hello.", true},
		{"<think>a</think>Hello. <think>b</think>You.", "Hello. You.", true},
		{"<thinking>a</thinking>Hello <3.", "Hello <3.", true},
		{"<think>never closed", "", true},
		{"<think>a</think>\n\nHello.", "Hello.", false},
		{"a\n</think>\n\nHello.", "Hello.", false},
		{"No thought at all.", "No thought at all.", false},
	} {
		for _, size := range []int{1, 2, 3, 7, 100} {
			if !c.stream && size != 100 {
				continue // it comes whole
			}
			t.Run(fmt.Sprintf("%q in pieces of %d", c.said, size), func(t *testing.T) {
				var says []llm.Delta
				for rest := c.said; rest != ""; {
					n := min(size, len(rest))
					says, rest = append(says, piece(rest[:n])), rest[n:]
				}
				says[len(says)-1].FinishReason = "stop"
				q := env.ask("hi")
				q.Stream = c.stream
				env.e = env.engineOf(&speaker{says: says})
				done, events := env.complete(q)
				var told strings.Builder
				for _, ev := range events {
					told.WriteString(ev.Content)
				}
				if done.Content != c.want || told.String() != c.want {
					t.Errorf("got %q, told %q, want %q", done.Content, told.String(), c.want)
				}
			})
		}
	}
}

// The choice of tools is a demand of the first round alone.
func TestToolChoice(t *testing.T) {
	t.Parallel()
	lyrics := call("compose_instrumental", `{"prompt":"slow piano"}`)
	env := newFixture(t, storetest.SQLite(t), lyrics, text("no"), text("no"), text("There."))
	q := env.ask("hi")
	q.ToolChoice.Mode = "required"
	env.complete(q)
	for n, want := range map[int]string{0: `"required"`, 3: `"auto"`} {
		if got := string(env.model.request(n).ToolChoice); got != want {
			t.Errorf("round %d: got %s, want %s", n+1, got, want)
		}
	}
}

// A server that gives calls no ids, or ids that no request can name, has them given here,
// once for each call.
func TestCallsHaveIDs(t *testing.T) {
	t.Parallel()
	say := []llm.Delta{
		{ToolCalls: []llm.ToolCallDelta{{Index: 0, Name: "weather"}}},
		{ToolCalls: []llm.ToolCallDelta{{Index: 0, Arguments: `{"a":`}, {Index: 1, ID: strings.Repeat("x", 201), Name: "weather", Arguments: "{}"}}},
		{ToolCalls: []llm.ToolCallDelta{{Index: 0, Arguments: `1}`}}, FinishReason: "stop"},
	}
	env := newFixture(t, storetest.SQLite(t), say...)
	q := env.ask("hi")
	q.Family, q.Stream, q.Tools = "", true, []llm.Tool{{Function: llm.Function{Name: "weather"}}}
	done, events := env.complete(q)
	if len(done.ToolCalls) != 2 || done.FinishReason != "tool_calls" || done.ToolCalls[0].Function.Arguments != `{"a":1}` {
		t.Fatalf("got %+v", done)
	}
	ids := map[int][]string{}
	for _, ev := range events {
		for _, d := range ev.ToolCalls {
			if d.ID != "" {
				ids[d.Index] = append(ids[d.Index], d.ID)
			}
		}
	}
	for i, c := range done.ToolCalls {
		if len(ids[i]) != 1 || ids[i][0] != c.ID || !strings.HasPrefix(c.ID, "call_") {
			t.Errorf("call %d has the id %q and was told as %q", i, c.ID, ids[i])
		}
	}
}

// What a model does wrong is an upstream error, as long as nothing is lost.
func TestMalformedCalls(t *testing.T) {
	t.Parallel()
	for name, says := range map[string][]llm.Delta{
		"not JSON":      {call("generate_image", `{"prompt":`)},
		"not an object": {call("generate_image", `[1]`)},
		"no name":       {call("", `{}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newFixture(t, storetest.SQLite(t), says...)
			_, err := env.e.Complete(t.Context(), ptr(env.ask("go")), func(chat.Event) error { return nil })
			if !atelier.HasCode(err, atelier.CodeUpstream) {
				t.Errorf("got %v, want an upstream error", err)
			}
		})
	}
}

// The profile fills in what the caller left open.
func TestProfile(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	for _, c := range []struct {
		profile chat.Profile
		given   map[string]wire.Raw
		want    string
	}{
		{chat.General, nil, "map[temperature:0.7 top_p:0.8]"},
		{chat.Coding, nil, "map[temperature:0.6 top_p:0.95]"},
		{chat.Reasoning, map[string]wire.Raw{"stop": wire.Raw("1")}, "map[stop:1 temperature:1 top_p:0.95]"},
		{chat.Coding, map[string]wire.Raw{"temperature": wire.Raw("0")}, "map[temperature:0]"},
		{chat.Coding, map[string]wire.Raw{"top_p": wire.Raw("1")}, "map[top_p:1]"},
		{"", nil, "map[]"},
	} {
		s := &speaker{says: []llm.Delta{text("Yes.")}}
		q := env.ask("hi")
		q.Profile, q.Params = c.profile, c.given
		env.e = env.engineOf(s)
		env.complete(q)
		got := map[string]string{}
		for name, raw := range s.request(0).Params {
			got[name] = string(raw)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s with %v: got %v, want %s", c.profile, c.given, got, c.want)
		}
	}
}

// What the model has said before it calls tools is not held back while they run and it is asked again.
func TestTextBeforeToolsIsSent(t *testing.T) {
	t.Parallel()
	before := piece("Let me see.")
	before.More = true
	unknown := call("no_such_tool", `{}`)
	unknown.More = true
	env := newFixture(t, storetest.SQLite(t))
	isHeld, rounds := false, 0
	model := completerFunc(func(emit func(llm.Delta) error) error {
		if rounds++; rounds > 1 {
			if isHeld {
				t.Error("text was held when the model was asked again")
			}
			return emit(text("Done."))
		}
		return errors.Join(emit(before), emit(unknown))
	})
	q := env.ask("Hi")
	q.Stream = true
	_, err := env.engineOf(model).Complete(t.Context(), &q, func(ev chat.Event) error {
		isHeld = ev.More
		return nil
	})
	if err != nil || rounds != 2 {
		t.Errorf("%d rounds, %v", rounds, err)
	}
}

type completerFunc func(emit func(llm.Delta) error) error

func (f completerFunc) Complete(_ context.Context, _ llm.Request, emit func(llm.Delta) error) error {
	return f(emit)
}
