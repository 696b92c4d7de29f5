package chat_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/wire"
)

// remote is a tool of another server.
func remote(name, about string, call func(context.Context, chat.RemoteCall) (chat.RemoteResult, error)) chat.RemoteTool {
	return chat.RemoteTool{Function: llm.Function{Name: name, Description: about, Parameters: wire.Raw(`{"type":"object"}`)}, Call: call}
}

// What a remote tool returns is the result of its call, and so is its failure. Its progress reaches the client.
func TestRemoteTool(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		got  chat.RemoteResult
		err  error
		want string
	}{
		{"text", chat.RemoteResult{Text: "Sun"}, nil, `"text":"Sun"`},
		{"failure", chat.RemoteResult{Text: "No such town.", Failed: true}, nil, `"message":"The tool failed. No such town."`},
		{"arguments", chat.RemoteResult{}, atelier.Refuse("town", "is missing."), `"error_type":"PARAMETER_INVALID"`},
		{"too often", chat.RemoteResult{}, atelier.Errorf(atelier.CodeRateLimited, "Too many requests."), `"retryable":true`},
		{"server", chat.RemoteResult{}, atelier.Errorf(atelier.CodeUpstream, "It cannot be reached."), `"error_type":"UNKNOWN_ERROR"`},
		{"timeout", chat.RemoteResult{}, atelier.Errorf(atelier.CodeUpstreamTimeout, "It did not answer."), `"error_type":"PROVIDER_TIMEOUT"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			env := newFixture(t, storetest.SQLite(t), call("weather__forecast", `{"town":"Paris"}`), text("It is told."))
			env.e.SetRemoteTools([]chat.RemoteTool{remote("weather__forecast", "The weather.", func(_ context.Context, q chat.RemoteCall) (chat.RemoteResult, error) {
				if q.ID != "c1" || q.Wallet != ann || q.Arguments["town"] != "Paris" {
					t.Errorf("called with %+v", q)
				}
				q.Progress(0.2, "too soon")
				env.Advance(2 * time.Second)
				q.Progress(0.4, "halfway")
				return tc.got, tc.err
			})})
			done, events := env.complete(env.ask("How will the weather be?"))
			if done.Content != "It is told." {
				t.Errorf("answered %q", done.Content)
			}
			if told := env.model.request(1).Messages; !strings.Contains(told[len(told)-1].Text(), tc.want) {
				t.Errorf("the model was told %s", told[len(told)-1].Text())
			}
			var progress []string
			for _, ev := range events {
				if ev.Progress != nil {
					progress = append(progress, fmt.Sprint(ev.Progress.Status, " ", ev.Progress.Progress, " ", ev.Progress.Message))
				}
			}
			if want := "running 0 ,running 0.4 halfway,"; !strings.HasPrefix(strings.Join(progress, ","), want) {
				t.Errorf("progress %q", progress)
			}
		})
	}
}

// A client with a session token makes such a call itself, as it does those of media.
func TestRemoteToolOfASession(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t), call("weather__forecast", `{}`))
	env.e.SetRemoteTools([]chat.RemoteTool{remote("weather__forecast", "The weather.", func(context.Context, chat.RemoteCall) (chat.RemoteResult, error) {
		t.Error("it was called")
		return chat.RemoteResult{}, nil
	})})
	q := env.ask("How will the weather be?")
	q.Caller.Credential = atelier.CredentialSessionToken
	if done, _ := env.complete(q); len(done.ToolCalls) != 1 || done.FinishReason != "tool_calls" {
		t.Errorf("got %+v", done)
	}
}

// A run describes those of very many remote tools that a message asks for, and finds the others. A chat completion
// describes as many as fit.
func TestManyRemoteTools(t *testing.T) {
	t.Parallel()
	never := func(context.Context, chat.RemoteCall) (chat.RemoteResult, error) { return chat.RemoteResult{}, nil }
	list := []chat.RemoteTool{remote("weather__forecast", "The weather of tomorrow.", never), remote("stocks__quote", "The price of a share.", never)}
	for i := range 100 {
		list = append(list, remote(fmt.Sprintf("archive__shelf_%d", i), "Lists the parchments of a shelf. "+strings.Repeat("Dusty. ", 20), never))
	}
	env := newFixture(t, storetest.SQLite(t), call("find_tools", `{"query":"price of a share"}`), text("Found."), text("Yes."))
	env.e.SetRemoteTools(list)
	tools := env.continueRun(env.ask("How will the weather be?"))
	if described(tools[0], "weather__forecast") == nil || described(tools[0], "stocks__quote") != nil || described(tools[0], "archive__shelf_7") != nil {
		t.Errorf("%d tools are described", len(tools[0]))
	}
	if described(tools[1], "stocks__quote") == nil {
		t.Error("what was found is not described")
	}
	env.complete(env.ask("How will the weather be?"))
	whole := env.model.request(2).Tools
	if described(whole, "stocks__quote") == nil || described(whole, "archive__shelf_7") == nil || described(whole, "generate_image") == nil {
		t.Errorf("%d tools are described", len(whole))
	}
	env.e.SetRemoteTools(nil)
	env.model.says = []llm.Delta{text("Yes.")}
	env.complete(env.ask("How will the weather be?"))
	if described(env.model.request(3).Tools, "weather__forecast") != nil {
		t.Error("a tool that is gone is described")
	}
}
