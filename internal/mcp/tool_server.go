package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/schema"
	"github.com/atelier-project/atelier/internal/telemetry"
	"github.com/atelier-project/atelier/internal/wire"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ToolServer is another server of the protocol, whose tools language models may call.
type ToolServer struct {
	Name           string // begins the names of its tools
	URL            string
	APIKey         string        // sent as a bearer token when set
	Tools          []string      // that models may call; "*" for all
	Timeout        time.Duration // of a call
	ResultBytes    int           // of what a model reads of a result
	CallsPerMinute int           // of an account
}

// ToolServersOptions are what ToolServers need.
type ToolServersOptions struct {
	Servers []ToolServer
	Set     func([]chat.RemoteTool) // takes the tools of all servers when they change
	Version string
	Now     func() time.Time
	Log     *slog.Logger
	Metrics *telemetry.Metrics
}

// ToolServers are other servers of the protocol. Each call has a separate session: a server gets its arguments and
// nothing about the account, and has nothing in it from another.
type ToolServers struct {
	opts  ToolServersOptions
	calls telemetry.Counter
	all   []*toolServer

	mu sync.Mutex // held to change the tools of a server
}

// toolServer is one of them.
type toolServer struct {
	ToolServer
	*ToolServers
	http  *http.Transport
	rate  *admission.Rate
	tools []chat.RemoteTool // as it has listed them last

	isDown bool // it did not answer when it was last asked for them
}

// The bounds of a list of tools, whatever a server sends.
const (
	mostTools       = 128
	mostPages       = 32
	mostDescription = 4 << 10
	mostSchema      = 16 << 10
	mostListed      = 4 << 20 // bytes
)

// mostReceived is how many bytes are read for a call, of which a model reads less.
const mostReceived = 4 << 20

// NewToolServers makes the client of servers.
func NewToolServers(o ToolServersOptions) *ToolServers {
	s := &ToolServers{opts: o, calls: o.Metrics.Counter("mcp_calls_total", "Calls of tools of other servers, by the server and how they ended.", "server", "end")}
	for _, config := range o.Servers {
		one := &toolServer{ToolServer: config, ToolServers: s, http: newTransport(), rate: admission.NewRate(config.CallsPerMinute, false)}
		s.all = append(s.all, one)
	}
	return s
}

// Refresh asks every server for its tools.
func (s *ToolServers) Refresh(ctx context.Context) {
	var asked sync.WaitGroup
	for _, one := range s.all {
		asked.Go(func() { one.refresh(ctx) })
	}
	asked.Wait()
}

// afterList is how long the list of a server is good.
const afterList = 5 * time.Minute

// Run asks the servers for their tools again and again after a Refresh, until ctx ends.
func (s *ToolServers) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, one := range s.all {
		running.Go(func() {
			pause := clock.Backoff{First: time.Second, Most: time.Minute}
			for {
				wait := afterList
				if one.isDown {
					wait = pause.Next()
				} else {
					pause.Reset()
				}
				select {
				case <-ctx.Done():
					return
				case <-time.After(wait):
					one.refresh(ctx)
				}
			}
		})
	}
	running.Wait()
}

// refresh asks the server for its tools. One that does not answer keeps those it has.
func (s *toolServer) refresh(ctx context.Context) {
	list, err := s.list(ctx)
	if s.isDown = err != nil; s.isDown {
		if ctx.Err() == nil {
			s.opts.Log.Warn("list the tools of an MCP server failed", "server", s.Name, "error", err)
		}
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, after := names(s.tools), names(list); !slices.Equal(before, after) {
		s.opts.Log.Info("models may call the tools of an MCP server", "server", s.Name, "tools", after)
	}
	s.tools = list
	var all []chat.RemoteTool
	for _, one := range s.all {
		all = append(all, one.tools...)
	}
	s.opts.Set(all)
}

func names(list []chat.RemoteTool) (out []string) {
	for _, t := range list {
		out = append(out, t.Function.Name)
	}
	return out
}

// list reads the tools that models may call.
func (s *toolServer) list(ctx context.Context) (list []chat.RemoteTool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	session, err := s.connect(ctx, &received{left: mostListed}, nil)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	offered, err := s.offered(ctx, session)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, tool := range offered {
		if !slices.Contains(s.Tools, "*") && !slices.Contains(s.Tools, tool.Name) || seen[tool.Name] {
			continue
		}
		seen[tool.Name] = true
		remote, err := s.remote(tool)
		if err != nil {
			s.opts.Log.Warn("a tool of an MCP server cannot be offered", "server", s.Name, "tool", cut(tool.Name, 100), "error", cut(err.Error(), 500))
			continue
		}
		list = append(list, remote)
	}
	for _, name := range s.Tools {
		if name != "*" && !seen[name] {
			s.opts.Log.Warn("an MCP server has no such tool", "server", s.Name, "tool", name)
		}
	}
	return list, nil
}

// offered reads the tools that the server lists: the first ones, if they are too many.
func (s *toolServer) offered(ctx context.Context, session *sdk.ClientSession) (list []*sdk.Tool, err error) {
	var q sdk.ListToolsParams
	for range mostPages {
		page, err := session.ListTools(ctx, &q)
		if err != nil {
			return nil, err
		}
		list = append(list, page.Tools...)
		if len(list) > mostTools {
			break
		}
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			return list, nil
		}
	}
	s.opts.Log.Warn("an MCP server has too many tools, so some are not read", "server", s.Name, "read", min(len(list), mostTools))
	return list[:min(len(list), mostTools)], nil
}

// functionName is what model servers take as the name of a function.
var functionName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// remote is a tool as models see it. A server may claim anything about it, and a model server may refuse a conversation
// because of one wrong description: only what is a schema of an object is passed on.
func (s *toolServer) remote(tool *sdk.Tool) (chat.RemoteTool, error) {
	name := s.Name + "__" + tool.Name
	if !functionName.MatchString(name) {
		return chat.RemoteTool{}, errors.New("its name has characters that model servers do not take, or is too long")
	}
	text, err := wire.Marshal(tool.InputSchema)
	if err != nil {
		return chat.RemoteTool{}, err
	}
	if len(text) > mostSchema {
		return chat.RemoteTool{}, fmt.Errorf("its schema has %d bytes, and may have %d", len(text), mostSchema)
	}
	object, _ := tool.InputSchema.(map[string]any)
	if object["type"] != "object" {
		return chat.RemoteTool{}, errors.New("its schema is not that of an object")
	}
	if _, err := schema.Compile(tool.InputSchema); err != nil {
		return chat.RemoteTool{}, err
	}
	own := tool.Name
	return chat.RemoteTool{
		Function: llm.Function{Name: name, Description: clean(tool.Description, mostDescription), Parameters: text},
		Call: func(ctx context.Context, q chat.RemoteCall) (chat.RemoteResult, error) {
			got, err := s.call(ctx, own, q)
			s.calls.Add(1, s.Name, endOf(got, err))
			return got, err
		},
	}, nil
}

// endOf says how a call ended, for the metrics.
func endOf(got chat.RemoteResult, err error) string {
	switch {
	case atelier.HasCode(err, atelier.CodeUpstreamTimeout):
		return "timeout"
	case atelier.HasCode(err, atelier.CodeUpstream):
		return "error"
	case err != nil:
		return "refused"
	case got.Failed:
		return "failed"
	}
	return "completed"
}
