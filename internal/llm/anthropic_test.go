package llm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

func speaksAnthropic(o *llm.UpstreamOptions) { o.Kind = "anthropic" }

// conversation has everything that a conversation can have.
func conversation(stream bool) llm.Request {
	call := llm.ToolCall{ID: "c1", Type: "function", Function: llm.FunctionCall{Name: "weather", Arguments: `{"city":"Oslo"}`}}
	result := llm.Text("tool", "sun")
	result.ToolCallID = "c1"
	return llm.Request{
		Model: llm.Model{ID: "m"}, Stream: stream, ToolChoice: wire.Raw(`{"type":"function","function":{"name":"weather"}}`),
		Tools: []llm.Tool{{Type: "function", Function: llm.Function{Name: "weather", Description: "The weather."}}},
		Params: map[string]wire.Raw{
			"temperature": wire.Raw("1.5"), "top_p": wire.Raw("0.5"), "stop": wire.Raw(`"END"`), "parallel_tool_calls": wire.Raw("false"), "seed": wire.Raw("7"),
		},
		Messages: []llm.Message{
			llm.Text("system", "Be brief."), llm.Text("user", "hi"),
			{Role: "user", Content: []llm.Part{{Type: "image_url", Image: llm.Image{Type: "image/jpg", Data: []byte("x?>")}}}},
			{Role: "assistant", Content: []llm.Part{{Type: "text", Text: " "}}, ToolCalls: []llm.ToolCall{call}}, result, llm.Text("user", "well?"), llm.Text("system", "Be kind."),
		},
	}
}

const asAnthropic = `{"model":"theirs","max_tokens":8192,"system":"Be brief.\n\nBe kind.","messages":[` +
	`{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"eD8+"}}]},` +
	`{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"weather","input":{"city":"Oslo"}}]},` +
	`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"sun"},{"type":"text","text":"well?"}]}],` +
	`"tools":[{"name":"weather","description":"The weather.","input_schema":{"type":"object"}}],` +
	`"tool_choice":{"type":"tool","name":"weather","disable_parallel_tool_use":true},"temperature":1,"top_p":0.5,"stop_sequences":["END"]}`

const anthropicWhole = `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Hello"},` +
	`{"type":"tool_use","id":"t1","name":"weather","input":{"a": 1}}],"stop_reason":"tool_use","stop_sequence":null,` +
	`"usage":{"input_tokens":4,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"output_tokens":3}}`

const anthropicStream = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","content":[],"stop_reason":null,"usage":{"input_tokens":4,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hel"}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"lo"}}

data: {"type":"content_block_stop","index":1}

data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"weather","input":{}}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":" 1}"}}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":3}}

data: {"type":"message_stop"}

`

// A server of the kind anthropic is asked in its own shape, and its answer is like that of any other.
func TestAnthropic(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		u := server(t, func(w http.ResponseWriter, r *http.Request) {
			var got, want map[string]any
			if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
				t.Error(err)
			}
			_ = json.Unmarshal([]byte(asAnthropic), &want)
			if stream {
				want["stream"] = true
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("asked\n%v\nwant\n%v", got, want)
			}
			if r.URL.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != "secret" || r.Header.Get("Anthropic-Version") == "" || r.Header.Get("Authorization") != "" {
				t.Errorf("asked %s with %v", r.URL.Path, r.Header)
			}
			if !stream {
				fmt.Fprint(w, anthropicWhole)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, anthropicStream)
		}, speaksAnthropic)
		var a llm.Answer
		err := u.Complete(t.Context(), conversation(stream), func(d llm.Delta) error { a.Add(d); return nil })
		if err != nil || a.Content != "Hello" || a.Reasoning != "hm" || a.FinishReason != "tool_calls" || len(a.ToolCalls) != 1 || a.ToolCalls[0].ID != "t1" ||
			a.ToolCalls[0].Function.Arguments != `{"a": 1}` || a.Usage != (llm.Usage{PromptTokens: 7, CompletionTokens: 3, CachedTokens: 2}) {
			t.Errorf("stream %t: %+v, %v", stream, a, err)
		}
	}
}

// The ends of answers have the words of other servers.
func TestAnthropicEnds(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "content_filter", "pause_turn": "stop"} {
		u := server(t, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"content":[{"type":"text","text":"a"}],"stop_reason":%q}`, reason)
		}, speaksAnthropic)
		if a, err := ask(t, u, false); err != nil || a.FinishReason != want {
			t.Errorf("%s: %q, %v, want %s", reason, a.FinishReason, err, want)
		}
	}
}

// What goes wrong is told as it is of any other server.
func TestAnthropicFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer string
		status int
		code   atelier.Code
		says   string
	}{
		"a refusal":   {`{"type":"error","error":{"type":"invalid_request_error","message":"too hot"}}`, 400, atelier.CodeInvalidRequest, "too hot"},
		"overloaded":  {`{"type":"error","error":{"type":"overloaded_error","message":"later"}}`, 529, atelier.CodeUpstream, "(529): later."},
		"not JSON":    {`<html>`, 200, atelier.CodeUpstream, "invalid answer"},
		"no end":      {`{"content":[]}`, 200, atelier.CodeUpstream, "invalid answer"},
		"many calls":  {`{"content":[` + strings.Repeat(`{"type":"tool_use"},`, 200) + `{"type":"text"}],"stop_reason":"tool_use"}`, 200, atelier.CodeUpstream, "invalid answer"},
		"an error":    {"data: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"down\"}}\n\n", 0, atelier.CodeUpstream, "stopped with an error: down."},
		"a cut":       {"data: {\"type\":\"message_start\"}\n\n", 0, atelier.CodeUpstream, "invalid answer"},
		"a bad event": {"data: {\n\n", 0, atelier.CodeUpstream, "invalid answer"},
	} {
		u := server(t, func(w http.ResponseWriter, r *http.Request) {
			if test.status == 0 {
				w.Header().Set("Content-Type", "text/event-stream")
			} else {
				w.WriteHeader(test.status)
			}
			fmt.Fprint(w, test.answer)
		}, speaksAnthropic)
		_, err := ask(t, u, test.status == 0)
		if !atelier.HasCode(err, test.code) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	u := server(t, func(http.ResponseWriter, *http.Request) { t.Error("a format that it does not have was asked for") }, speaksAnthropic)
	err := u.Complete(t.Context(), llm.Request{Model: llm.Model{ID: "m"}, Params: map[string]wire.Raw{"response_format": wire.Raw(`{"type":"json_schema","json_schema":{"name":"text"}}`)}}, func(llm.Delta) error { return nil })
	if !atelier.HasCode(err, atelier.CodeInvalidRequest) {
		t.Errorf("a format: %v", err)
	}
}

// A redirect leads to the answer of another server, which does not get the key.
func TestRedirectWithoutKey(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"openai", "anthropic"} {
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if key := r.Header.Get("X-Api-Key") + r.Header.Get("Authorization"); key != "" {
				t.Errorf("%s: another server gets the key %q", kind, key)
			}
			fmt.Fprint(w, map[string]string{"openai": `{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}`, "anthropic": anthropicWhole}[kind])
		}))
		t.Cleanup(other.Close)
		u := server(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/moved" { // to the same server, which gets it
				http.Redirect(w, r, "/v1/moved", http.StatusTemporaryRedirect)
				return
			}
			if r.Header.Get("X-Api-Key")+r.Header.Get("Authorization") == "" {
				t.Errorf("%s: the same server does not get the key", kind)
			}
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, func(o *llm.UpstreamOptions) { o.Kind = kind })
		if a, err := ask(t, u, false); err != nil || a.Content != "Hello" {
			t.Errorf("%s: %q, %v", kind, a.Content, err)
		}
	}
}
