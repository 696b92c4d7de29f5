package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/mcp"
	"github.com/atelier-project/atelier/internal/store"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// withKey sends a credential with every request.
type withKey string

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

// connect connects a client of the protocol.
func connect(t *testing.T, s *ateliertest.Service, key string, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: withKey(key)}, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// callTool calls a tool that must succeed, and decodes its structured result.
func callTool(t *testing.T, s *sdk.ClientSession, tool string, args map[string]any, into any) *sdk.CallToolResult {
	t.Helper()
	got, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if got.IsError {
		t.Fatalf("%s: %s", tool, textOf(got))
	}
	text, err := json.Marshal(got.StructuredContent)
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %s: %v", tool, text, err)
	}
	return got
}

func textOf(r *sdk.CallToolResult) (text string) {
	for _, c := range r.Content {
		if c, ok := c.(*sdk.TextContent); ok {
			text += c.Text
		}
	}
	return text
}

const workflows = "/v1/creative-agent/workflows"

// send sends a request of the API that must succeed.
func send(t *testing.T, s *ateliertest.Service, key, method, path, body string, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %v", method, path, resp.StatusCode, err)
	}
}

type made struct {
	WorkflowID string
	Status     string
	Artifacts  []struct{ ID, URL string }
}

func embedded(c *config.Config) { c.Workers.Embedded = true }

// post sends a message as it is, of the version of the protocol that had batches, and returns the answer.
func post(t *testing.T, s *ateliertest.Service, key, message string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/mcp", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + key, "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-03-26"} {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// A message is one call, has bounded values, and gets an answer whatever it has in it.
func TestHostileMessages(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, store.Options{Path: t.TempDir() + "/atelier.db"}, func(c *config.Config) { c.Limits.ToolExecutionsPerMinute = 8 })
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	plan := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_workflow","arguments":{"steps":[{"id":"a","toolName":"generate_image","arguments":{"prompt":"a fox","negativePrompt":"%s"}}]}}}`
	for _, tc := range []struct {
		message, says string
		status        int
	}{
		{ping, `"result":{}`, 200},
		{" [" + ping + "," + ping + "]", "batches are not supported", 400},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_workflow","arguments":{"a":[` + strings.Repeat("0,", 200_000) + `0]}}}`, "at most 100000 values", 400},
		{`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"atelier://artifacts/\u0000"}}`, "Resource not found", 200},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `"cacheScope":"private"`, 200},
		{fmt.Sprintf(plan, strings.Repeat("a", 100_000)), "Too many requests", 200}, // as many starts as 13 small ones
	} {
		if status, text := post(t, s, ann.Key, tc.message); status != tc.status || !strings.Contains(text, tc.says) {
			t.Errorf("%.200s: got %d %.300s, want %d %s", tc.message, status, text, tc.status, tc.says)
		}
	}
}

// A call ends when its client leaves; what it has started stays. Beside as many calls as an account may have, another
// is refused, and streams are not.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, store.Options{Path: t.TempDir() + "/atelier.db"}, func(c *config.Config) {
		c.Limits.CompletionsPerAccount, c.Limits.ToolExecutionsPerMinute = 1, 1_000_000
	})
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	worker := s.Worker(t, s.Account(t, account.NewAccount{Worker: true}, billing.Credits{}))
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"generate_image","arguments":{"prompt":"a fox"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + ann.Key, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"} {
		r.Header.Set(name, value)
	}
	go func() {
		if resp, err := http.DefaultClient.Do(r); err == nil {
			_ = resp.Body.Close()
		}
	}()
	worker.Claim(t)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	if status, text := post(t, s, ann.Key, ping); status != 429 || !strings.Contains(text, "1 chat completions and calls of /mcp") {
		t.Errorf("beside the call: got %d %s", status, text)
	}
	if status, text := s.Get(t, "/v1/responses/resp_none", ann.Key); status != 404 { // it occupies no language model
		t.Errorf("a response that is read beside the call: got %d %s", status, text)
	}
	var running struct {
		Data struct {
			Workflows []struct{ WorkflowID string }
		}
	}
	if send(t, s, ann.Key, "GET", workflows, "", &running); len(running.Data.Workflows) != 1 {
		t.Fatalf("the work is %+v", running.Data.Workflows)
	}
	follow, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+workflows+"/"+running.Data.Workflows[0].WorkflowID+"/events/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	follow.Header.Set("Authorization", "Bearer "+ann.Key)
	ateliertest.OpenStream(t, follow)
	leave()
	for status := 429; status != 200; { // until the place of the call is free
		status, _ = post(t, s, ann.Key, ping)
	}
	var list struct {
		Data struct {
			Workflows []struct{ Status atelier.Status }
		}
	}
	if send(t, s, ann.Key, "GET", workflows, "", &list); len(list.Data.Workflows) != 1 || list.Data.Workflows[0].Status.Terminal() {
		t.Errorf("the work is %+v", list.Data.Workflows)
	}
}

// A client of the protocol lists the tools, makes a picture, works on it, and reads it.
func TestTools(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o, embedded)
		ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
		progress := make(chan float64, 100)
		session := connect(t, s, ann.Key, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, q *sdk.ProgressNotificationClientRequest) {
			progress <- q.Params.Progress
		}})
		tools, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		schemas := map[string]map[string]any{}
		for _, tool := range tools.Tools {
			schema, _ := tool.InputSchema.(map[string]any)
			schemas[tool.Name], _ = schema["properties"].(map[string]any)
		}
		for _, name := range []string{"generate_image", "generate_video", "generate_music", "enhance_prompt", "start_workflow", "get_workflow", "cancel_workflow"} {
			if schemas[name] == nil {
				t.Errorf("there is no tool %s", name)
			}
		}
		if p := schemas["edit_image"]; p["sourceImage"] == nil || p["sourceImageIndex"] != nil {
			t.Errorf("edit_image takes %v", p)
		}

		var fox, grey made
		params := &sdk.CallToolParams{Name: "generate_image", Arguments: map[string]any{"prompt": "a red fox", "width": 256, "height": 256}}
		params.SetProgressToken("fox")
		got, err := session.CallTool(t.Context(), params)
		if err != nil || got.IsError {
			t.Fatalf("got %+v, %v", got, err)
		}
		<-progress
		text, _ := json.Marshal(got.StructuredContent)
		if err := json.Unmarshal(text, &fox); err != nil || len(fox.Artifacts) != 1 || fox.Status != "completed" {
			t.Fatalf("got %s, %v", text, err)
		}
		picture, link := false, ""
		for _, c := range got.Content {
			switch c := c.(type) {
			case *sdk.ImageContent:
				picture = c.MIMEType == "image/jpeg" && len(c.Data) > 0
			case *sdk.ResourceLink:
				link = c.URI
			}
		}
		if !picture || link != "atelier://artifacts/"+fox.Artifacts[0].ID || !strings.Contains(textOf(got), fox.Artifacts[0].URL) {
			t.Errorf("picture %v, link %s, text %s", picture, link, textOf(got))
		}
		callTool(t, session, "edit_image", map[string]any{"prompt": "make it black and white", "sourceImage": fox.Artifacts[0].URL}, &grey)

		file, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: link})
		if err != nil || len(file.Contents) != 1 || file.Contents[0].MIMEType != "image/png" || !strings.HasPrefix(string(file.Contents[0].Blob), "\x89PNG") {
			t.Errorf("got %+v, %v", file, err)
		}

		var written map[string]any
		callTool(t, session, "enhance_prompt", map[string]any{"prompt": "a fox", "target_output": "image_prompt", "destination_model": "krea-2-turbo"}, &written)
		if written["ok"] != true {
			t.Errorf("got %v", written)
		}

		var film made
		callTool(t, session, "start_workflow", map[string]any{"title": "Two", "steps": []any{map[string]any{"id": "a", "toolName": "generate_image", "arguments": map[string]any{"prompt": "a hen"}}}}, &film)
		callTool(t, session, "cancel_workflow", map[string]any{"workflowId": film.WorkflowID}, &film)
		callTool(t, session, "get_workflow", map[string]any{"workflowId": film.WorkflowID}, &film)
		if !atelier.Status(film.Status).Terminal() {
			t.Errorf("the workflow is %s", film.Status)
		}
	})
}

// What another account has made is not there, and errors of tools are results.
func TestOtherAccount(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, store.Options{Path: t.TempDir() + "/atelier.db"}, embedded)
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	bob := s.Account(t, account.NewAccount{}, billing.Credits{})
	var fox made
	callTool(t, connect(t, s, ann.Key, nil), "generate_image", map[string]any{"prompt": "a red fox", "width": 256, "height": 256}, &fox)
	session := connect(t, s, bob.Key, nil)
	if _, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "atelier://artifacts/" + fox.Artifacts[0].ID}); err == nil {
		t.Error("another account reads the file")
	}
	for _, tc := range []struct {
		tool string
		args map[string]any
		says string
	}{
		{"get_workflow", map[string]any{"workflowId": fox.WorkflowID}, "not found"},
		{"cancel_workflow", map[string]any{"workflowId": fox.WorkflowID}, "not found"},
		{"get_workflow", map[string]any{}, "not found"},
		{"generate_image", map[string]any{"prompt": "a fox"}, "balance"},
		{"generate_image", map[string]any{}, "prompt is required"},
		{"generate_image", map[string]any{"prompt": "a fox", "width": -1}, "width"},
		{"edit_image", map[string]any{"prompt": "blue", "sourceImage": 3}, "sourceImage must be the address"},
		{"stitch_video", map[string]any{"videos": slices.Repeat([]any{fox.Artifacts[0].URL}, 100)}, "videos must have at most"},
		{"generate_image", map[string]any{"prompt": "a naked woman"}, "The content filter refuses this (sexual). Change the words and try again."},
		{"start_workflow", map[string]any{}, "steps"},
	} {
		got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tc.tool, Arguments: tc.args})
		if err != nil || !got.IsError || !strings.Contains(textOf(got), tc.says) {
			t.Errorf("%s %v: got %+v %v, want %s", tc.tool, tc.args, got, err, tc.says)
		}
	}
	if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "nothing"}); err == nil {
		t.Error("a tool that is not there was called")
	}
}

// Templates that an account has opened to language models are tools and prompts for it.
func TestTemplates(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, store.Options{Path: t.TempDir() + "/atelier.db"}, embedded)
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	bob := s.Account(t, account.NewAccount{}, billing.Credits{})
	var saved struct {
		Data struct{ Template struct{ ID string } }
	}
	send(t, s, ann.Key, "POST", workflows+"/templates", `{"name": "Moody fox", "exposeToLLM": true, "inputs": [{"name": "mood", "type": "text", "required": true}],
		"stages": [{"id": "fox", "tool": "generate_image", "args": {"prompt": "a $inputs.mood fox", "width": 256, "height": 256}}]}`, &saved)
	session := connect(t, s, ann.Key, nil)
	var fox made
	callTool(t, session, saved.Data.Template.ID, map[string]any{"mood": "calm"}, &fox)
	if fox.Status != "completed" || len(fox.Artifacts) != 1 {
		t.Errorf("got %+v", fox)
	}
	prompt, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: saved.Data.Template.ID, Arguments: map[string]string{"mood": "calm"}})
	if err != nil || !strings.Contains(prompt.Messages[0].Content.(*sdk.TextContent).Text, "mood: calm") {
		t.Errorf("got %+v, %v", prompt, err)
	}
	others, err := connect(t, s, bob.Key, nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range others.Tools {
		if tool.Name == saved.Data.Template.ID {
			t.Error("another account has the template")
		}
	}
}

// A client that can ask its user asks before the balance pays, and nothing is made when the user declines.
func TestCostIsAskedFor(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, store.Options{Path: t.TempDir() + "/atelier.db"}, embedded)
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	var asked []string
	action := "decline"
	session := connect(t, s, ann.Key, &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, q *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		asked = append(asked, q.Params.Message)
		return &sdk.ElicitResult{Action: action, Content: map[string]any{}}, nil
	}})
	fox := &sdk.CallToolParams{Name: "generate_image", Arguments: map[string]any{"prompt": "a red fox", "width": 256, "height": 256}}
	got, err := session.CallTool(t.Context(), fox)
	if err != nil || !got.IsError || len(asked) != 1 || !strings.Contains(asked[0], "Spark") {
		t.Fatalf("asked %q, got %+v, %v", asked, got, err)
	}
	var list struct {
		Data struct{ Workflows []any }
	}
	if send(t, s, ann.Key, "GET", workflows, "", &list); len(list.Data.Workflows) > 0 {
		t.Error("something was made")
	}
	action = "accept"
	if got, err = session.CallTool(t.Context(), fox); err != nil || got.IsError || len(asked) != 2 {
		t.Errorf("asked %q, got %+v, %v", asked, got, err)
	}
}

// A request without a credential is told where it is described.
func TestNoCredential(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, store.Options{Path: t.TempDir() + "/atelier.db"})
	resp, err := http.Post(s.URL+"/mcp", "application/json", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if want := s.URL + "/.well-known/oauth-protected-resource/mcp"; resp.StatusCode != 401 || !strings.Contains(resp.Header.Get("WWW-Authenticate"), want) {
		t.Errorf("got %d %s", resp.StatusCode, resp.Header.Get("WWW-Authenticate"))
	}
	if status, body := s.Get(t, "/.well-known/oauth-protected-resource/mcp", ""); status != 200 || !strings.Contains(body, `"resource":"`+s.URL+`/mcp"`) {
		t.Errorf("got %d %s", status, body)
	}
}

// A program that speaks the protocol over pipes makes a picture with a service elsewhere.
func TestBridge(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, store.Options{Path: t.TempDir() + "/atelier.db"}, embedded)
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	ours, theirs := sdk.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- mcp.Bridge(t.Context(), ours, s.URL, ann.Key, "1") }()
	progress := make(chan struct{}, 100)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *sdk.ProgressNotificationClientRequest) { progress <- struct{}{} },
	})
	session, err := client.Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	fox := &sdk.CallToolParams{Name: "generate_image", Arguments: map[string]any{"prompt": "a red fox", "width": 256, "height": 256}}
	fox.SetProgressToken("fox")
	got, err := session.CallTool(t.Context(), fox)
	if err != nil || got.IsError {
		t.Fatalf("got %+v, %v", got, err)
	}
	<-progress
	link := ""
	for _, c := range got.Content {
		if l, ok := c.(*sdk.ResourceLink); ok {
			link = l.URI
		}
	}
	if file, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: link}); err != nil || len(file.Contents) != 1 || file.Contents[0].MIMEType != "image/png" {
		t.Errorf("got %+v, %v", file, err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := mcp.Bridge(t.Context(), ours, s.URL, "00000000-0000-0000-0000-000000000000", "1"); err == nil {
		t.Error("a wrong API key was accepted")
	}
}
