package mcp

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Pipes connects a program over standard input and output.
var Pipes sdk.Transport = &sdk.StdioTransport{}

// Bridge passes the tools, prompts and resources of a service on to a program, until the program leaves.
func Bridge(ctx context.Context, program sdk.Transport, url, apiKey, version string) error {
	b := &bridge{tokens: map[string]any{}, local: sdk.NewServer(&sdk.Implementation{Name: "atelier", Version: version}, &sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{}})}
	client := sdk.NewClient(&sdk.Implementation{Name: "atelier mcp", Version: version}, &sdk.ClientOptions{ProgressNotificationHandler: b.progress, ElicitationHandler: b.elicit})
	remote, err := client.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: bearer(apiKey)}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", url, err)
	}
	defer remote.Close()
	b.remote = remote
	if err := b.fill(ctx); err != nil {
		return err
	}
	return b.local.Run(ctx, program)
}

// bearer sends an API key with every request.
type bearer string

func (key bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(key))
	return http.DefaultTransport.RoundTrip(r)
}

// bridge is a server whose answers another server gives.
type bridge struct {
	local  *sdk.Server
	remote *sdk.ClientSession

	mu      sync.Mutex
	session *sdk.ServerSession // with the program
	calls   int
	tokens  map[string]any // with which the program follows its calls, by those here
}

// fill gives the local server what the remote one has.
func (b *bridge) fill(ctx context.Context) error {
	for tool, err := range b.remote.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		b.local.AddTool(tool, b.call)
	}
	for prompt, err := range b.remote.Prompts(ctx, nil) {
		if err != nil {
			return err
		}
		b.local.AddPrompt(prompt, func(ctx context.Context, q *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return b.remote.GetPrompt(ctx, q.Params)
		})
	}
	for resource, err := range b.remote.ResourceTemplates(ctx, nil) {
		if err != nil {
			return err
		}
		b.local.AddResourceTemplate(resource, func(ctx context.Context, q *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return b.remote.ReadResource(ctx, q.Params)
		})
	}
	return nil
}

// call passes a call of a tool on.
func (b *bridge) call(ctx context.Context, q *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	params := &sdk.CallToolParams{Name: q.Params.Name, Arguments: q.Params.Arguments}
	b.mu.Lock()
	b.session = q.Session
	if token := q.Params.GetProgressToken(); token != nil {
		b.calls++
		own := strconv.Itoa(b.calls)
		b.tokens[own] = token
		params.SetProgressToken(own)
		defer b.forget(own)
	}
	b.mu.Unlock()
	return b.remote.CallTool(ctx, params)
}

func (b *bridge) forget(token string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.tokens, token)
}

// program is the session with the program, or nil before its first call.
func (b *bridge) program() *sdk.ServerSession {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.session
}

// progress passes on how far a call is.
func (b *bridge) progress(ctx context.Context, q *sdk.ProgressNotificationClientRequest) {
	own, _ := q.Params.ProgressToken.(string)
	b.mu.Lock()
	s, token := b.session, b.tokens[own]
	b.mu.Unlock()
	if token != nil {
		theirs := *q.Params
		theirs.ProgressToken = token
		_ = s.NotifyProgress(ctx, &theirs) // a program that has left needs none
	}
}

// elicit passes a question to the user of the program, where it can ask. Otherwise the cost is not a
// reason to stop: the program itself asks before it calls a tool.
func (b *bridge) elicit(ctx context.Context, q *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	s := b.program()
	if s == nil || s.InitializeParams() == nil || s.InitializeParams().Capabilities == nil || s.InitializeParams().Capabilities.Elicitation == nil {
		return &sdk.ElicitResult{Action: "accept"}, nil
	}
	return s.Elicit(ctx, q.Params)
}
