package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// call is a call of a tool.
type call struct {
	*session
	request *sdk.CallToolRequest
	args    map[string]any
}

// handle makes the handler of a tool: its arguments are read, and its errors are results.
func (s *session) handle(run func(context.Context, *call) (*sdk.CallToolResult, error)) sdk.ToolHandler {
	return func(ctx context.Context, q *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, leave := context.WithCancel(ctx)
		defer leave()
		defer context.AfterFunc(s.open, leave)() // clients of older versions of the protocol say nothing when they leave
		c := &call{session: s, request: q, args: map[string]any{}}
		if len(q.Params.Arguments) > 0 {
			if err := wire.Unmarshal(wire.Raw(q.Params.Arguments), &c.args); err != nil || c.args == nil {
				return failed("The arguments must be a JSON object."), nil
			}
		}
		result, err := run(ctx, c)
		var known *atelier.Error
		switch {
		case err == nil:
			return result, nil
		case errors.As(err, &known):
			return failed(strings.ReplaceAll(known.Error(), "input.steps[0].arguments.", "")), nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
		s.Log.Error("call of an MCP tool failed", "tool", q.Params.Name, "error", err)
		return failed("The service failed. Try again later."), nil
	}
}

// failed is the result of a call that failed.
func failed(message string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: message}}}
}

// mediaTool is a tool of the catalog. Where the catalog has the index of a piece of media, it has an address.
type mediaTool struct {
	tool  *catalog.Tool
	shape *sdk.Tool
	names map[string]string // arguments of the catalog, by the names here
}

func newMediaTool(t *catalog.Tool) *mediaTool {
	m := &mediaTool{tool: t, names: map[string]string{}}
	var schema map[string]any
	if err := wire.Unmarshal(t.Function().Parameters, &schema); err != nil {
		panic(fmt.Sprintf("mcp: the schema of %s: %v", t.Name, err)) // our own data
	}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, a := range t.MediaArguments() {
		switch {
		case a.URL:
		case a.Media == "": // a list of objects with media in them
			delete(properties, a.Name)
		default:
			own := strings.NewReplacer("Indices", "s", "Index", "").Replace(a.Name)
			m.names[own] = a.Name
			if properties[a.Name] == nil {
				continue // it is not shown to models
			}
			properties[own] = address(a)
			delete(properties, a.Name)
			for i := range required {
				if required[i] == a.Name {
					required[i] = own
				}
			}
		}
	}
	for _, need := range t.Needs {
		for own, name := range m.names {
			if name == need.Argument && len(need.Unless) == 0 {
				required = append(required, own)
			}
		}
	}
	if len(required) > 0 {
		schema["required"] = required
	}
	m.shape = &sdk.Tool{Name: t.Name, Description: t.Description, InputSchema: schema, Annotations: &sdk.ToolAnnotations{DestructiveHint: new(bool)}}
	return m
}

// address is the schema of an argument that takes the address of media.
func address(a *catalog.Argument) map[string]any {
	about := a.Help
	if about == "" {
		about, _, _ = strings.Cut(a.Text, ":")
	}
	one := map[string]any{"type": "string", "format": "uri"}
	about = strings.TrimSuffix(about, ".") + ": its address, such as the link of a result."
	if a.IsArray() {
		return map[string]any{"type": "array", "items": one, "description": about, "maxItems": 16}
	}
	one["description"] = about
	return one
}

// call runs the tool. Its errors name arguments as the client does.
func (m *mediaTool) call(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	result, err := m.run(ctx, c)
	var known *atelier.Error
	if !errors.As(err, &known) {
		return result, err
	}
	renamed := *known
	for own, name := range m.names {
		renamed.Message = strings.ReplaceAll(renamed.Message, name, own)
	}
	return result, &renamed
}

func (m *mediaTool) run(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	args, err := m.arguments(c.args)
	if err != nil {
		return nil, err
	}
	if m.tool.Synchronous() {
		if err := c.CheckSpace(); err != nil {
			return nil, err
		}
		done, err := c.Chat.Execute(ctx, chat.Execution{Caller: c.Caller, Tool: m.tool.Name, Arguments: args, Terms: c.terms(), Filter: true})
		if err != nil {
			return nil, err
		}
		return written(done)
	}
	return c.make(ctx, workflow.StartRequest{Steps: []atelier.StepInput{{ID: m.tool.Name, ToolName: m.tool.Name, Arguments: args}}})
}

// arguments are those of the catalog.
func (m *mediaTool) arguments(given map[string]any) (map[string]any, error) {
	args := map[string]any{}
	for name, value := range given {
		if own, ok := m.names[name]; ok {
			name = own
		}
		args[name] = value
	}
	return workflow.MapMedia(m.tool, args, func(path string, kind catalog.Kind, v any) (any, error) {
		if a, ok := m.tool.Argument(path); ok && a.URL {
			return v, nil
		}
		url, ok := v.(string)
		if !ok {
			return nil, atelier.Refuse(path, "must be the address of a file.")
		}
		return atelier.MediaAt(string(kind), url), nil
	})
}

// written is the result of a tool that answers at once with text.
func written(done chat.Executed) (*sdk.CallToolResult, error) {
	text, err := wire.Marshal(done.Result)
	if err != nil {
		return nil, err
	}
	if done.Message != nil {
		text = []byte(*done.Message)
	}
	ok, _ := done.Result["ok"].(bool)
	return &sdk.CallToolResult{IsError: !ok, Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: done.Result}, nil
}
