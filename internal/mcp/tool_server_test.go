package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/mcp"
	"github.com/atelier-project/atelier/internal/store"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// weather is a server of the protocol with two tools. It keeps the requests of calls.
type weather struct {
	*httptest.Server
	mu    sync.Mutex
	calls []*sdk.CallToolRequest
	keys  []string
}

func newWeather(t *testing.T) *weather {
	t.Helper()
	w := &weather{}
	tools := sdk.NewServer(&sdk.Implementation{Name: "weather", Version: "1"}, nil)
	town := map[string]any{"type": "object", "properties": map[string]any{"town": map[string]any{"type": "string"}}, "required": []any{"town"}}
	tools.AddTool(&sdk.Tool{Name: "forecast", Description: "The weather of tomorrow in a town.", InputSchema: town}, w.answer)
	tools.AddTool(&sdk.Tool{Name: "shutdown", Description: "Stops the station.", InputSchema: map[string]any{"type": "object"}}, w.answer)
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return tools }, nil)
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.keys = append(w.keys, r.Header.Get("Authorization"))
		w.mu.Unlock()
		handler.ServeHTTP(rw, r)
	}))
	t.Cleanup(func() { w.CloseClientConnections(); w.Close() })
	return w
}

func (w *weather) answer(ctx context.Context, q *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	w.mu.Lock()
	w.calls = append(w.calls, q)
	w.mu.Unlock()
	var args struct{ Town string }
	if err := json.Unmarshal(q.Params.Arguments, &args); err != nil {
		return nil, err
	}
	_ = q.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: q.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "looking\x1b[31m up"})
	switch args.Town {
	case "Atlantis":
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "There is no such town."}}}, nil
	case "Babel":
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.Repeat("rain\u0007 ", 1000)}}}, nil
	case "Oz":
		return &sdk.CallToolResult{StructuredContent: map[string]any{"degrees": 21}, Content: []sdk.Content{}}, nil
	}
	return &sdk.CallToolResult{Content: []sdk.Content{
		&sdk.TextContent{Text: "Sun in " + args.Town}, &sdk.ImageContent{MIMEType: "image/png", Data: []byte("1234")}, &sdk.ResourceLink{Name: "map", URI: "https://weather.example/map"},
	}}, nil
}

// remoteTools are the tools that models get of a server.
func remoteTools(t *testing.T, s mcp.ToolServer) (tools []chat.RemoteTool) {
	t.Helper()
	servers := mcp.NewToolServers(mcp.ToolServersOptions{
		Servers: []mcp.ToolServer{s}, Set: func(list []chat.RemoteTool) { tools = list }, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	servers.Refresh(t.Context())
	return tools
}

// usual is a server as most operators would have it.
func usual(url string) mcp.ToolServer {
	return mcp.ToolServer{Name: "weather", URL: url, Tools: []string{"*"}, Timeout: time.Minute, ResultBytes: 1024, CallsPerMinute: 100}
}

func callRemote(t *testing.T, tool chat.RemoteTool, args map[string]any) (chat.RemoteResult, error) {
	t.Helper()
	return tool.Call(t.Context(), chat.RemoteCall{ID: "call_1", Wallet: "0xann", Arguments: args, Progress: func(float64, string) {}})
}

// Models get the tools that the operator allows, under the name of their server, and read what they return.
func TestToolServer(t *testing.T) {
	t.Parallel()
	w := newWeather(t)
	s := usual(w.URL)
	s.Tools, s.APIKey, s.CallsPerMinute = []string{"forecast", "no_such"}, "secret", 5
	tools := remoteTools(t, s)
	if len(tools) != 1 || tools[0].Function.Name != "weather__forecast" || !strings.Contains(string(tools[0].Function.Parameters), `"required":["town"]`) {
		t.Fatalf("got %+v", tools)
	}
	progress := make(chan string, 10)
	got, err := tools[0].Call(t.Context(), chat.RemoteCall{ID: "call_1", Wallet: "0xann", Arguments: map[string]any{"town": "Paris"}, Progress: func(at float64, message string) {
		progress <- fmt.Sprint(at, " ", message)
	}})
	if want := "Sun in Paris\n[image/png of 4 bytes, which is not passed on]\nmap https://weather.example/map"; err != nil || got.Failed || got.Text != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if said := <-progress; said != "0.5 looking[31m up" {
		t.Errorf("progress %q", said)
	}
	call := w.calls[0].Params
	if call.Meta["atelier/callId"] != "call_1" || string(call.Arguments) != `{"town":"Paris"}` {
		t.Errorf("the server got %+v", call)
	}
	if slices.ContainsFunc(w.keys, func(k string) bool { return k != "Bearer secret" }) {
		t.Errorf("keys %q", w.keys)
	}
	if got, err := callRemote(t, tools[0], map[string]any{"town": "Atlantis"}); err != nil || !got.Failed || got.Text != "There is no such town." {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := callRemote(t, tools[0], map[string]any{"town": "Oz"}); err != nil || got.Text != `{"degrees":21}` {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := callRemote(t, tools[0], map[string]any{"town": "Babel"}); err != nil || strings.Contains(got.Text, "\a") || !strings.HasSuffix(got.Text, "(cut: these are the first 1024 of 6000 bytes)") {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := callRemote(t, tools[0], map[string]any{"town": 3.0}); err != nil || !got.Failed || !strings.Contains(got.Text, "cannot unmarshal number") {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := callRemote(t, tools[0], map[string]any{"town": "Paris"}); !atelier.HasCode(err, atelier.CodeRateLimited) {
		t.Errorf("the sixth call: %v", err)
	}
	if len(w.calls) != 5 {
		t.Errorf("%d calls reached the server", len(w.calls))
	}
}

// A server that does anything but what the protocol says costs a bounded time and a bounded amount of memory.
func TestHostileToolServer(t *testing.T) {
	t.Parallel()
	text := func(s string) string {
		return fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, s)
	}
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("data: x\n", 1000)); err != nil {
				return
			}
		}
	}
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, c := range map[string]struct {
		call    func(http.ResponseWriter, *http.Request) // answers tools/call
		result  string                                   // or the result of it
		timeout time.Duration
		want    *atelier.Code
		said    string
	}{
		"endless output": {call: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			endless(w, r)
		}, want: &atelier.CodeUpstream, said: "more than 4 MB"},
		"endless JSON": {call: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			endless(w, r)
		}, want: &atelier.CodeUpstream, said: "more than 4 MB"},
		"endless progress": {call: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"call_1\",\"progress\":1}}\n\n"); err != nil {
					return
				}
			}
		}, want: &atelier.CodeUpstream, said: "more than 4 MB"},
		"a large result": {result: text(strings.Repeat("x", 5<<20)), want: &atelier.CodeUpstream, said: "more than 4 MB"},
		"slow":           {call: hang, timeout: 300 * time.Millisecond, want: &atelier.CodeUpstreamTimeout, said: "within 300ms"},
		"a status":       {call: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, want: &atelier.CodeUpstream, said: "cannot be reached"},
		"no JSON": {call: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "<html>")
		}, want: &atelier.CodeUpstream, said: "cannot be reached"},
		"another place": {call: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, want: &atelier.CodeUpstream, said: "cannot be reached"},
		"a result of nothing": {result: `{}`},
		"invalid text":        {result: "{\"content\":[{\"type\":\"text\",\"text\":\"a\\u0000\xff\\u001bb\"}]}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			elsewhere := make(chan string, 10)
			s := usual(impostor(t, `[{"name":"f","inputSchema":{"type":"object"}}]`, c.call, c.result, elsewhere))
			s.APIKey = "secret"
			tools := remoteTools(t, s)
			if len(tools) != 1 {
				t.Fatalf("got %+v", tools)
			}
			if c.timeout > 0 { // only now: the list may take its time
				s.Timeout = c.timeout
				tools = patientList(t, s)
			}
			got, err := callRemote(t, tools[0], map[string]any{})
			if c.want == nil {
				if err != nil || strings.ContainsAny(got.Text, "\x00\x1b") {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			if !atelier.HasCode(err, *c.want) || !strings.Contains(err.Error(), c.said) {
				t.Errorf("got %+v, %v", got, err)
			}
			if len(elsewhere) > 0 {
				t.Errorf("the key %q went elsewhere", <-elsewhere)
			}
		})
	}
}

// patientList lists the tools until it takes less than the timeout of calls.
func patientList(t *testing.T, s mcp.ToolServer) []chat.RemoteTool {
	t.Helper()
	for {
		if tools := remoteTools(t, s); len(tools) > 0 || t.Context().Err() != nil {
			return tools
		}
	}
}

// A model server refuses a conversation for one wrong description, so nothing is passed on of what is not a schema.
func TestLyingSchemas(t *testing.T) {
	t.Parallel()
	many := `[`
	for i := range 1000 {
		many += fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}},`, i)
	}
	doubling := func(last string) string {
		out := `[{"name":"f","inputSchema":{"type":"object","$ref":"#/$defs/d0","$defs":{`
		for i := range 60 {
			out += fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%[2]d"}]},`, i, i+1)
		}
		return out + `"d60":` + last + `}}}]`
	}
	for name, c := range map[string]struct {
		tools string
		want  int
	}{
		"references to references": {doubling(`{}`), 1},
		"and back":                 {doubling(`{"properties":{"a":{"$ref":"#/$defs/d0"}}}`), 1},
		"no object":                {`[{"name":"f","inputSchema":{"type":"string"}}]`, 0},
		"a text":                   {`[{"name":"f","inputSchema":"anything"}]`, 0},
		"nothing":                  {`[{"name":"f"}]`, 0},
		"wrong properties":         {`[{"name":"f","inputSchema":{"type":"object","properties":"anything"}}]`, 0},
		"wrong types":              {`[{"name":"f","inputSchema":{"type":"object","properties":{"a":{"type":"colour"}}}}]`, 0},
		"another document":         {`[{"name":"f","inputSchema":{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}}]`, 0},
		"large":                    {`[{"name":"f","inputSchema":{"type":"object","description":"` + strings.Repeat("x", 20<<10) + `"}}]`, 0},
		"deep":                     {`[{"name":"f","inputSchema":{"type":"object","properties":` + strings.Repeat(`{"a":{"type":"object","properties":`, 2000) + `{}` + strings.Repeat(`}}`, 2000) + `}}]`, 0},
		"names":                    {`[{"name":"f g","inputSchema":{"type":"object"}},{"name":"` + strings.Repeat("n", 80) + `","inputSchema":{"type":"object"}},{"name":"ok","inputSchema":{"type":"object"}}]`, 1},
		"the same twice":           {`[{"name":"f","inputSchema":{"type":"object"}},{"name":"f","inputSchema":{"type":"object"}}]`, 1},
		"too many":                 {strings.TrimSuffix(many, ",") + `]`, 128},
		"itself":                   {`[{"name":"f","inputSchema":{"type":"object","properties":{"a":{"$ref":"#"}}}}]`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := usual(impostor(t, c.tools, nil, `{}`, nil))
			s.CallsPerMinute = 1000
			tools := remoteTools(t, s)
			if len(tools) != c.want {
				t.Errorf("got %d tools", len(tools))
			}
			for _, tool := range tools {
				if _, err := callRemote(t, tool, map[string]any{"a": map[string]any{"a": map[string]any{}}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// impostor is a server that speaks the protocol as far as a test wants. Its list of tools has no end: each page names
// the next.
func impostor(t *testing.T, tools string, call func(http.ResponseWriter, *http.Request), result string, elsewhere chan<- string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			elsewhere <- r.Header.Get("Authorization")
			return
		}
		var q struct {
			ID     json.RawMessage
			Method string
			Params struct{ Cursor string }
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		said := result
		switch {
		case q.Method == "initialize":
			said = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"impostor","version":"1"}}`
		case q.Method == "tools/list" && q.Params.Cursor == "":
			said = `{"nextCursor":"1","tools":` + tools + `}`
		case q.Method == "tools/list":
			said = `{"nextCursor":"` + q.Params.Cursor + `1","tools":[]}`
		case q.Method != "tools/call":
			w.WriteHeader(http.StatusNotFound)
			return
		case call != nil:
			call(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, said)
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

// In a chat and in a run, a model calls a tool of another server and answers with what it read. The server learns
// neither who asks nor what was said.
func TestRemoteToolInChat(t *testing.T) {
	t.Parallel()
	w := newWeather(t)
	wise := ateliertest.NewOracle(t, "wise")
	s := ateliertest.Start(t, store.Options{Path: t.TempDir() + "/atelier.db"}, func(c *config.Config) {
		c.LLM.Upstreams = []config.Upstream{{Name: "oracle", BaseURL: wise.URL + "/v1", Models: []config.UpstreamModel{{ID: "wise", ContextLength: 32768}}}}
		c.MCP.Servers = []config.MCPServer{{Name: "weather", URL: w.URL, Tools: []string{"forecast"}, Timeout: time.Minute, ResultBytes: 1024, CallsPerMinute: 10}}
	})
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	for _, path := range []string{"/v1/chat/completions", "/v1/chat/runs"} {
		wise.Say(ateliertest.Answer{Pieces: []ateliertest.Piece{{Call: &ateliertest.Call{ID: "c1", Name: "weather__forecast", Arguments: `{"town":"Paris"}`}}}})
		wise.Say(ateliertest.Answer{Pieces: []ateliertest.Piece{{Content: "It will be sunny."}}})
		var answer any
		send(t, s, ann.Key, "POST", path, `{"messages":[{"role":"user","content":"What is the weather forecast for Paris, my secret town?"}]}`, &answer)
		if first := string(wise.Asked(t)); !strings.Contains(first, `"weather__forecast"`) || strings.Contains(first, "weather__shutdown") {
			t.Errorf("%s: the model was offered %s", path, first)
		}
		if second := string(wise.Asked(t)); !strings.Contains(second, `Sun in Paris`) {
			t.Errorf("%s: the model was told %s", path, second)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.calls) != 2 {
		t.Fatalf("%d calls", len(w.calls))
	}
	for _, call := range w.calls {
		text, err := json.Marshal(call.Params)
		if err != nil || strings.Contains(string(text), "secret town") || strings.Contains(string(text), string(ann.Account.Wallet)) {
			t.Errorf("the server got %s, %v", text, err)
		}
	}
}
