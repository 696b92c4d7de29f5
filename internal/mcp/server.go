package mcp

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/generation"
	"github.com/atelier-project/atelier/internal/library"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options has the parts of a server.
type Options struct {
	Catalog     *catalog.Catalog
	Generations *generation.Engine
	Workflows   *workflow.Engine
	Templates   *template.Engine
	Chat        *chat.Engine
	Library     *library.Engine
	Version     string
	Log         *slog.Logger
}

// Server answers requests of the protocol.
type Server struct {
	Options
	tools   func() []*mediaTool
	handler http.Handler
}

// New makes a Server.
func New(o Options) *Server {
	s := &Server{Options: o}
	s.tools = catalog.Derive(o.Catalog, func() (list []*mediaTool) {
		for _, t := range o.Catalog.ToolFamily(catalog.CreativeTools) {
			list = append(list, newMediaTool(t))
		}
		return list
	})
	s.handler = sdk.NewStreamableHTTPHandler(serverOf, &sdk.StreamableHTTPOptions{
		Stateless: true, DisableLocalhostProtection: true, // a request has a credential, which a web page has not
	})
	return s
}

// Request is a request of a caller, who has an API key.
type Request struct {
	Caller  atelier.Caller
	App     string                  // the calling application
	Reserve func(bytes int64) error // reserves memory for what is read, until the request ends
	Weigh   func(bytes int) error   // counts a large plan as several starts

	// CheckSpace refuses to start something while nothing new can be stored.
	CheckSpace func() error
}

// session is the work for one request.
type session struct {
	*Server
	Request
	open context.Context // ends with the request
}

// serverKey is the key of the server for a request, in its context.
type serverKey struct{}

func serverOf(r *http.Request) *sdk.Server {
	server, _ := r.Context().Value(serverKey{}).(*sdk.Server)
	return server
}

// message is what is read of a message before the protocol's own code reads it.
type message struct {
	Method string `json:"method"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
}

// Serve answers a request, whose body is in memory.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, q Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		// A batch, which the protocol has given up, would be many calls that count as one.
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Send each message in a separate request: batches are not supported."}}`)
		return
	}
	var m message
	_ = wire.UnmarshalLenient(body, &m) // the protocol's own code says what is wrong with it
	own := &session{Server: s, Request: q, open: r.Context()}
	r = r.WithContext(context.WithValue(r.Context(), serverKey{}, own.server(m)))
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.handler.ServeHTTP(w, r)
}

// instructions are for the model of the client.
const instructions = "Tools that make and change pictures, clips, music, speech and 3D models. Results are links; pass the link of a result to another tool " +
	"to work on it. A call returns when the result is made. start_workflow makes several things that build on each other."

// server is the server for a message: it has the tools that the caller has.
func (s *session) server(m message) *sdk.Server {
	out := sdk.NewServer(&sdk.Implementation{Name: "atelier", Title: "atelier", Version: s.Version}, &sdk.ServerOptions{
		Instructions: instructions, PageSize: 200,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	})
	// A model is offered what its key may use. A call of something else is refused, with the reason.
	l := s.Caller.Limits
	isNarrow := l != nil && l.Tools != nil && strings.HasSuffix(m.Method, "/list")
	isOurs := slices.Contains(workflowTools, m.Params.Name)
	for _, t := range s.tools() {
		isOurs = isOurs || t.tool.Name == m.Params.Name
		if isNarrow && l.CheckTool(t.tool.Name) != nil {
			continue
		}
		out.AddTool(t.shape, s.handle(t.call))
	}
	s.addWorkflowTools(out)
	if !isNarrow && (m.Method == "tools/list" || m.Method == "tools/call" && !isOurs || strings.HasPrefix(m.Method, "prompts/")) {
		s.addTemplates(out)
	}
	out.AddReceivingMiddleware(refuseControls)
	out.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: artifactURI + "{id}", Name: "artifact", Title: "A result", Description: "The file of a result, by the id that the result of a tool names.",
	}, s.readArtifact)
	return out
}

// terms are how calls are paid. The ledger names the protocol as the application, unless the client names one.
func (s *session) terms() atelier.PaymentTerms {
	terms := atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto, App: "mcp"}
	if s.App != "" {
		terms.App = s.App
	}
	return terms
}
