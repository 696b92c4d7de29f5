package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// oracle is a model server that answers each request with the next of its
// lines, and remembers what it was asked.
type oracle struct {
	*httptest.Server
	mu    sync.Mutex
	lines []string // JSON of a message; what is sent when a stream is wanted is cut into pieces
	asked []map[string]any
}

func newOracle(t *testing.T, lines ...string) *oracle {
	t.Helper()
	o := &oracle{lines: lines}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q map[string]any
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Errorf("the request is not JSON: %v", err)
		}
		o.mu.Lock()
		o.asked = append(o.asked, q)
		line := o.lines[min(len(o.asked), len(o.lines))-1]
		o.mu.Unlock()
		if code, found := strings.CutPrefix(line, "!"); found {
			http.Error(w, `{"error":{"message":"not like this"}}`, map[string]int{"400": 400, "500": 500}[code])
			return
		}
		finish := "stop"
		if strings.Contains(line, "tool_calls") {
			finish = "tool_calls"
		}
		usage := `"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":3}}`
		if q["stream"] != true {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"choices":[{"index":0,"message":%s,"finish_reason":%q}],%s}`, line, finish, usage)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		var m struct {
			Content   string `json:"content"`
			ToolCalls []any  `json:"tool_calls"`
		}
		_ = json.Unmarshal([]byte(line), &m)
		for _, c := range m.Content {
			text, _ := json.Marshal(string(c))
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", text)
		}
		if m.ToolCalls != nil {
			calls, _ := json.Marshal(m.ToolCalls)
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":%s}}]}\n\n", calls)
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: {\"choices\":[],%s}\n\ndata: [DONE]\n\n", finish, usage)
	}))
	t.Cleanup(o.Close)
	return o
}

func (o *oracle) request(n int) map[string]any {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked[n]
}

// salon is a service that asks an oracle.
func salon(t *testing.T, o *oracle) (*ateliertest.Service, account.Opened) {
	t.Helper()
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) {
		c.Workers.Embedded = true
		c.LLM.Upstreams = []config.Upstream{{Name: "oracle", BaseURL: o.URL + "/v1", Models: []config.UpstreamModel{{
			ID: "wise", UpstreamID: "wise-1", ContextLength: 32768, PricePerMInput: atelier.One, PricePerMOut: 2 * atelier.One}}}}
	})
	return s, s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100 * atelier.One})
}

func post(t *testing.T, s *ateliertest.Service, key, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

type completion struct {
	ID      string
	Object  string
	Model   string
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Content   string
			ToolCalls []any `json:"tool_calls"`
		}
	}
	Usage struct {
		PromptTokens int `json:"prompt_tokens"`
		TotalTokens  int `json:"total_tokens"`
		Details      struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
	Workflows []struct {
		WorkflowID string
		Status     string
		StreamURL  string
	} `json:"creative_workflows"`
}

func read(t *testing.T, text string) (c completion) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return c
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	o := newOracle(t, `{"role":"assistant","content":"<think>hm</think>\n\nHello."}`)
	s, ann := salon(t, o)
	resp, text := post(t, s, ann.Key, `{"messages":[{"role":"developer","content":"Be brief."},{"role":"user","content":"Hi"}],"svc_tools":"none",
		"temperature":0.3,"logit_bias":{"1":2},"max_completion_tokens":50}`)
	c := read(t, text)
	if resp.StatusCode != 200 || !strings.HasPrefix(c.ID, "chatcmpl-") || c.Object != "chat.completion" || c.Model != "wise" || c.Choices[0].Message.Content != "Hello." ||
		c.Choices[0].FinishReason != "stop" || c.Usage.TotalTokens != 15 || c.Usage.Details.Cached != 3 {
		t.Errorf("got %d %s", resp.StatusCode, text)
	}
	q := o.request(0)
	if q["model"] != "wise-1" || q["temperature"] != 0.3 || q["max_tokens"] != 50.0 || q["tools"] != nil || fmt.Sprint(q["logit_bias"]) != "map[1:2]" {
		t.Errorf("the server was asked %v", q)
	}
	if m := q["messages"].([]any)[0].(map[string]any); m["role"] != "system" || m["content"] != "Be brief." {
		t.Errorf("the first message is %v", m)
	}
	// One dollar in and two out for a million: 10 and 5 tokens are 20 millionths of a dollar, which is 0.004 Spark.
	b, err := s.Node.Billing.Balance(t.Context(), ann.Account.Wallet)
	if err != nil || b.Spark.Debit != 4000 {
		t.Errorf("it cost %s, %v, want 0.004", b.Spark.Debit, err)
	}
}

// A tool that the model calls is run here, and what it made is linked in the
// answer.
func TestCompletionMakesAnImage(t *testing.T) {
	t.Parallel()
	o := newOracle(t,
		`{"role":"assistant","content":"On it. ","tool_calls":[{"id":"c1","type":"function","function":{"name":"generate_image","arguments":"{\"prompt\":\"a fox\",\"width\":256,\"height\":256}"}}]}`,
		`{"role":"assistant","content":"There it is."}`)
	s, ann := salon(t, o)
	_, text := post(t, s, ann.Key, `{"messages":[{"role":"user","content":"Draw a fox"}]}`)
	c := read(t, text)
	if got := c.Choices[0].Message.Content; !strings.HasPrefix(got, "On it. \n\n![generate image 1](http") || !strings.HasSuffix(got, ".") || len(c.Workflows) != 1 || c.Workflows[0].Status != "completed" {
		t.Errorf("got %s", text)
	}
	second := o.request(1)["messages"].([]any)
	if last := second[len(second)-1].(map[string]any); last["role"] != "tool" || last["tool_call_id"] != "c1" || !strings.Contains(last["content"].(string), `"output_assets":[{"index":0,"kind":"image"}]`) {
		t.Errorf("the model heard %v", last)
	}
	if first := o.request(0)["messages"].([]any)[0].(map[string]any); first["role"] != "system" {
		t.Errorf("no system prompt was added: %v", first)
	}
}

// With a session token, media is not made here: the call is the caller's.
func TestCompletionByToken(t *testing.T) {
	t.Parallel()
	o := newOracle(t, `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"generate_image","arguments":"{}"}}]}`)
	s, ann := salon(t, o)
	_, text := post(t, s, s.Token(t, ann.Account, time.Hour), `{"messages":[{"role":"user","content":"Draw a fox"}]}`)
	if c := read(t, text); c.Choices[0].FinishReason != "tool_calls" || len(c.Choices[0].Message.ToolCalls) != 1 {
		t.Errorf("got %s", text)
	}
}

func TestCompletionStream(t *testing.T) {
	t.Parallel()
	o := newOracle(t,
		`{"role":"assistant","content":"<think>x</think>A fox: ","tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"generate_image","arguments":"{\"prompt\":\"a fox\",\"width\":256,\"height\":256}"}}]}`,
		`{"role":"assistant","content":"Done."}`)
	s, ann := salon(t, o)
	resp, text := post(t, s, ann.Key, `{"stream":true,"messages":[{"role":"user","content":"Draw a fox"}]}`)
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %v %s", resp.StatusCode, resp.Header, text)
	}
	var (
		content   strings.Builder
		progress  int
		workflows int
		finish    string
		done      bool
	)
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			done = true
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content  string
					Progress *struct{ Tool string } `json:"svc_tool_progress"`
				}
				FinishReason *string `json:"finish_reason"`
			}
			Workflows []any `json:"creative_workflows"`
			Usage     any
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		content.WriteString(chunk.Choices[0].Delta.Content)
		if chunk.Choices[0].Delta.Progress != nil {
			progress++
		}
		if chunk.Workflows != nil {
			workflows++
		}
		if f := chunk.Choices[0].FinishReason; f != nil {
			finish = *f
		}
	}
	if got := content.String(); !strings.HasPrefix(got, "A fox: \n\n![") || !strings.HasSuffix(got, "Done.") || progress == 0 || workflows < 2 || finish != "stop" || !done {
		t.Errorf("content %q, %d progress, %d workflows, finish %q, done %v", got, progress, workflows, finish, done)
	}
}
