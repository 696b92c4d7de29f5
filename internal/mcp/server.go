package mcp

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/generation"
	"github.com/atelier-project/atelier/internal/library"
	"github.com/atelier-project/atelier/internal/template"
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
	tools   []*mediaTool
	handler http.Handler
}

// maxBody bounds a request.
const maxBody = 1 << 20

// New makes a Server.
func New(o Options) *Server {
	s := &Server{Options: o}
	for _, t := range o.Catalog.ToolFamily(catalog.CreativeTools) {
		s.tools = append(s.tools, newMediaTool(t))
	}
	s.handler = sdk.NewStreamableHTTPHandler(s.serverOf, &sdk.StreamableHTTPOptions{
		Stateless: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: maxBody, // a request has a credential, which a web page has not
	})
	return s
}

// session is the work for one request.
type session struct {
	*Server
	caller atelier.Caller
	app    string // the calling application
}

// callerKey is the key of the session in the context of a request.
type callerKey struct{}

// Serve answers a request of a caller, who has an API key.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, caller atelier.Caller, app string) {
	own := &session{Server: s, caller: caller, app: app}
	s.handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, own)))
}

// instructions are for the model of the client.
const instructions = "Tools that make and change pictures, clips, music, speech and 3D models. Results are links; pass the link of a result to another tool " +
	"to work on it. A call returns when the result is made. start_workflow makes several things that build on each other."

// serverOf is the server for a request: it has the tools that the caller has.
func (s *Server) serverOf(r *http.Request) *sdk.Server {
	own, ok := r.Context().Value(callerKey{}).(*session)
	if !ok {
		return nil
	}
	out := sdk.NewServer(&sdk.Implementation{Name: "atelier", Title: "atelier", Version: s.Version}, &sdk.ServerOptions{
		Instructions: instructions, Capabilities: &sdk.ServerCapabilities{}, PageSize: 200,
	})
	for _, t := range s.tools {
		out.AddTool(t.shape, own.handle(t.call))
	}
	own.addWorkflowTools(out)
	own.addTemplates(r.Context(), out)
	out.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: artifactURI + "{id}", Name: "artifact", Title: "A result", Description: "The file of a result, by the id that the result of a tool names.",
	}, own.readArtifact)
	return out
}

// terms are how calls are paid. The ledger names the protocol as the application, unless the client names one.
func (s *session) terms() atelier.PaymentTerms {
	terms := atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto, App: "mcp"}
	if s.app != "" {
		terms.App = s.app
	}
	return terms
}
