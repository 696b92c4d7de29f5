package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// callKey is the key of the id of a call in its metadata. A server that must not do something twice can remember it: a
// call is made again when the service ends before its result is stored.
const callKey = "atelier/callId"

// call calls a tool. Its server checks the arguments. What the server does wrong is an error of the upstream, whose
// details are for operators.
func (s *toolServer) call(ctx context.Context, tool string, q chat.RemoteCall) (chat.RemoteResult, error) {
	if err := s.rate.Take(string(q.Wallet), s.opts.Now()); err != nil {
		return chat.RemoteResult{}, err
	}
	timed, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	got, budget := &sdk.CallToolResult{}, &received{left: mostReceived}
	session, err := s.connect(timed, budget, q.Progress)
	if err == nil {
		defer session.Close()
		params := &sdk.CallToolParams{Meta: sdk.Meta{callKey: q.ID}, Name: tool, Arguments: q.Arguments}
		params.SetProgressToken(q.ID)
		got, err = session.CallTool(timed, params)
	}
	var refusal *jsonrpc.Error
	switch {
	case err == nil:
		return chat.RemoteResult{Text: clean(readable(got), s.ResultBytes), Failed: got.IsError}, nil
	case ctx.Err() != nil:
		return chat.RemoteResult{}, ctx.Err()
	case timed.Err() != nil:
		return chat.RemoteResult{}, atelier.Errorf(atelier.CodeUpstreamTimeout, "The server of this tool, %s, did not answer within %v.", s.Name, s.Timeout)
	case errors.As(err, &refusal) && refusal.Code != codeRejected && !budget.isSpent():
		return chat.RemoteResult{Text: clean(refusal.Message, s.ResultBytes), Failed: true}, nil
	}
	s.opts.Log.Warn("call of a tool of an MCP server failed", "server", s.Name, "tool", tool, "error", cut(err.Error(), 500))
	if budget.isSpent() {
		return chat.RemoteResult{}, atelier.Errorf(atelier.CodeUpstream, "The server of this tool, %s, answered with more than %d MB.", s.Name, mostReceived>>20)
	}
	return chat.RemoteResult{}, atelier.Errorf(atelier.CodeUpstream, "The server of this tool, %s, cannot be reached, or does not answer as it should.", s.Name)
}

// codeRejected is the code of the library for an answer with an HTTP status that says nothing more.
const codeRejected = -32005

// connect begins a session, for which no more is received than the budget has, and nothing after ctx has ended.
func (s *toolServer) connect(ctx context.Context, budget *received, progress func(at float64, message string)) (*sdk.ClientSession, error) {
	o := &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}, MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true}} // it can ask nothing back
	if progress != nil {
		o.ProgressNotificationHandler = func(_ context.Context, q *sdk.ProgressNotificationClientRequest) {
			at := q.Params.Progress
			if q.Params.Total > 0 {
				at /= q.Params.Total
			}
			if !(at >= 0 && at < 1) { // it counts steps whose number it does not say, or what it says is nonsense
				at = 0
			}
			progress(at, clean(q.Params.Message, mostProgress))
		}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "atelier", Version: s.opts.Version}, o)
	return client.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: s.URL, MaxRetries: -1, DisableStandaloneSSE: true,
		HTTPClient: &http.Client{
			Transport: &exchange{toolServer: s, ctx: ctx, budget: budget},
			// The key goes to the server that the operator has named and to no other.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil)
}

// mostProgress bounds what is said about progress.
const mostProgress = 200

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext, TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// received counts what comes from a server.
type received struct {
	mu   sync.Mutex
	left int
}

var errTooMuch = errors.New("mcp: the server sends too much")

// take counts n more bytes.
func (r *received) take(n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left -= n; r.left < 0 {
		return errTooMuch
	}
	return nil
}

func (r *received) isSpent() bool { return r.take(0) != nil }

// exchange sends the requests of a call. All of them end with it, whatever the library waits for.
type exchange struct {
	*toolServer
	ctx    context.Context
	budget *received
}

// leaveTimeout is how long the end of a session may take.
const leaveTimeout = time.Second

// RoundTrip implements http.RoundTripper.
func (x *exchange) RoundTrip(r *http.Request) (*http.Response, error) {
	most := x.Timeout
	if r.Method == http.MethodDelete {
		most = leaveTimeout
	}
	ctx, cancel := context.WithTimeout(r.Context(), most)
	detach := context.AfterFunc(x.ctx, cancel)
	end := func() { detach(); cancel() }
	r = r.Clone(ctx)
	if x.APIKey != "" {
		r.Header.Set("Authorization", "Bearer "+x.APIKey)
	}
	resp, err := x.http.RoundTrip(r)
	if err != nil {
		end()
		return nil, err
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, budget: x.budget, end: end}
	return resp, nil
}

// boundedBody is a body that ends with the budget of its call.
type boundedBody struct {
	io.ReadCloser
	budget *received
	end    func()
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if spent := b.budget.take(n); spent != nil {
		return 0, spent
	}
	return n, err
}

func (b *boundedBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

// readable is what a model reads of a result.
func readable(result *sdk.CallToolResult) string {
	var parts []string
	for _, content := range result.Content {
		switch c := content.(type) {
		case *sdk.TextContent:
			parts = append(parts, c.Text)
		case *sdk.ResourceLink:
			parts = append(parts, strings.TrimSpace(c.Name+" "+c.URI))
		case *sdk.EmbeddedResource:
			if c.Resource != nil && c.Resource.Text != "" {
				parts = append(parts, c.Resource.Text)
			}
		case *sdk.ImageContent:
			parts = append(parts, fmt.Sprintf("[%s of %d bytes, which is not passed on]", c.MIMEType, len(c.Data)))
		case *sdk.AudioContent:
			parts = append(parts, fmt.Sprintf("[%s of %d bytes, which is not passed on]", c.MIMEType, len(c.Data)))
		}
	}
	if len(parts) == 0 && result.StructuredContent != nil {
		if text, err := wire.Marshal(result.StructuredContent); err == nil {
			return string(text)
		}
	}
	return strings.Join(parts, "\n")
}

// clean makes a text of a server fit for a model: at most as long as is allowed, without control characters.
func clean(text string, most int) string {
	short := cut(text, most)
	short = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, short)
	if len(text) > most {
		short += fmt.Sprintf("\n(cut: these are the first %d of %d bytes)", most, len(text))
	}
	return short
}

// cut is the beginning of a text, as valid UTF-8.
func cut(text string, most int) string { return strings.ToValidUTF8(text[:min(len(text), most)], "") }
