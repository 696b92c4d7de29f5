package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/workflow"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostTemplates is how many templates are tools at most.
const mostTemplates = 50

// addTemplates adds the templates that the account, or the operator for all, has opened to language models: as tools,
// and as prompts for the user to choose.
func (s *session) addTemplates(out *sdk.Server) {
	list, _, err := s.Templates.ForLLM(s.open, s.Caller.Wallet, mostTemplates)
	if err != nil {
		s.Log.Warn("read templates for an MCP client failed", "error", err)
		return
	}
	for _, t := range list {
		if !template.IsTool(t) {
			continue
		}
		out.AddTool(&sdk.Tool{
			Name: t.ID, Title: t.Name, Description: template.ToolDescription(t), InputSchema: template.ToolSchema(t, addressOf), Annotations: &sdk.ToolAnnotations{DestructiveHint: new(bool)},
		},
			s.handle(func(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
				return c.make(ctx, workflow.StartRequest{TemplateID: t.ID, Inputs: c.args})
			}))
		prompt := &sdk.Prompt{Name: t.ID, Title: t.Name, Description: t.Description}
		for _, in := range t.Inputs {
			if !in.Internal {
				prompt.Arguments = append(prompt.Arguments, &sdk.PromptArgument{Name: in.Name, Description: in.Description, Required: in.Required})
			}
		}
		out.AddPrompt(prompt, func(_ context.Context, q *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			text := fmt.Sprintf("Call the tool %s (%s)", t.ID, t.Name)
			for _, a := range prompt.Arguments {
				if v := q.Params.Arguments[a.Name]; v != "" {
					text += fmt.Sprintf(", with %s: %s", a.Name, v)
				}
			}
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text + "."}}}}, nil
		})
	}
}

// addressOf is the schema of an input that is a file.
func addressOf(string) map[string]any { return map[string]any{"type": "string", "format": "uri"} }

// mostResource is how large a file may be that is read as a resource. The link of a result has no limit.
const mostResource = 8 << 20

// inAnswer is the memory of a file and its text in an answer, to that of the file.
const inAnswer = 6

// refuseControls answers for addresses with control characters, which the protocol's own code cannot write into its
// answer that there is no such resource.
func refuseControls(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, q sdk.Request) (sdk.Result, error) {
		if read, ok := q.(*sdk.ReadResourceRequest); ok && read.Params != nil && strings.ContainsFunc(read.Params.URI, unicode.IsControl) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Resource not found"}
		}
		return next(ctx, method, q)
	}
}

// readArtifact reads a result as a resource.
func (s *session) readArtifact(ctx context.Context, q *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	a, err := s.Library.Read(ctx, s.Caller.Wallet, strings.TrimPrefix(q.Params.URI, artifactURI))
	var missing *atelier.Error
	if errors.As(err, &missing) {
		return nil, sdk.ResourceNotFoundError(q.Params.URI)
	}
	if err != nil {
		return nil, err
	}
	file, object, err := s.Generations.Open(ctx, a.URL)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if object.Size > mostResource {
		return nil, fmt.Errorf("the file has %d bytes, and resources have at most %d: read it from %s", object.Size, mostResource, a.URL)
	}
	if err := s.Reserve(object.Size * inAnswer); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, object.Size))
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: q.Params.URI, MIMEType: object.ContentType, Blob: data}}}, nil
}
