package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// Upstream is one server that speaks OpenAI's API. It is safe for concurrent
// use.
type Upstream struct {
	opts    UpstreamOptions
	lines   *plainHTTPPool // nil when it takes more than plain HTTP/1.1
	http    *http.Client
	breaker *breaker
	end     context.CancelFunc // of its life

	facts    *http.Client // for questions about its models
	served   atomic.Pointer[map[string]served]
	unloaded atomic.Bool // a model whose context is known once it is loaded
	reread   chan reread // has the contexts read again
}

// UpstreamOptions say where a server is and how patient to be with it. What is
// zero has a default.
type UpstreamOptions struct {
	Name     string
	BaseURL  string            // such as http://127.0.0.1:9000/v1
	APIKey   string            // sent as a bearer token when set
	IDs      map[string]string // its models by our ids, with the server's own ids where they differ
	Contexts map[string]int    // configured context lengths, by our ids
	Extra    []string          // fields of callers that it is sent besides those that we know
	First    time.Duration     // until the first byte: two minutes
	Idle     time.Duration     // between two bytes of a stream: a minute
	Log      *slog.Logger
}

// NewUpstream makes the client of a server. Connections are kept and shared.
func NewUpstream(o UpstreamOptions) *Upstream {
	if o.First == 0 {
		o.First = 2 * time.Minute
	}
	if o.Idle == 0 {
		o.Idle = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	u := &Upstream{opts: o, reread: make(chan reread, 1), http: &http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		MaxIdleConns:        0, // no bound in all
		MaxIdleConnsPerHost: 1024,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
		DisableCompression:  true, // it would hold bytes back
	}}}
	u.served.Store(&map[string]served{})
	u.facts = &http.Client{
		Transport: u.http.Transport,
		// The key goes to the server that the operator named and to no other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	u.lines = newLineup(o)
	var life context.Context
	life, u.end = context.WithCancel(context.Background())
	u.breaker = &breaker{life: life, probe: u.probe, recovered: func() { u.wake(rereadNow) }, log: o.Log, name: o.Name}
	return u
}

// Close lets go of idle connections, and asks no more whether the server lives.
func (u *Upstream) Close() {
	u.end()
	u.http.CloseIdleConnections()
	if u.lines != nil {
		u.lines.close()
	}
}

// Ready reports whether the server is worth asking.
func (u *Upstream) Ready() bool { return u.breaker.closed() }

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Complete implements Completer: one attempt at this server.
func (u *Upstream) Complete(ctx context.Context, r Request, emit func(Delta) error) error {
	id := r.Model.ID
	if own := u.opts.IDs[id]; own != "" {
		id = own
	}
	body := bodies.Get().(*bytes.Buffer)
	defer func() {
		if body.Cap() <= 1<<20 { // one that held images would be held for long
			bodies.Put(body)
		}
	}()
	body.Reset()
	if err := writeRequest(body, id, r, u.opts.Extra); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(u.opts.First, func() { cancel(errSlow) })
	defer watch.Stop()
	resp, err := u.send(ctx, body.Bytes())
	if err != nil {
		return u.failed(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return u.refused(resp)
	}
	counted := func(d Delta) error {
		watch.Reset(u.opts.Idle)
		return emit(d)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		err = readStream(resp.Body, counted, func() { watch.Reset(u.opts.Idle) })
	} else {
		err = readWhole(resp.Body, counted)
	}
	if err != nil {
		return u.failed(ctx, err)
	}
	u.breaker.succeeded()
	if u.unloaded.CompareAndSwap(true, false) {
		u.wake(rereadLoaded)
	}
	watch.Reset(linger)
	complete(resp.Body)
	return nil
}

// How much may follow an answer that is complete, and how long it is waited
// for: the caller waits too.
const (
	maxTrailer = 4 << 10
	linger     = 20 * time.Millisecond
)

// complete lets the connection of an answer that has said that it is done be
// used again, although the end of its body may not have come.
func complete(body io.Reader) {
	if b, ok := body.(*lineBody); ok {
		b.complete = true
		return
	}
	_, _ = io.CopyN(io.Discard, body, maxTrailer)
}

func (u *Upstream) send(ctx context.Context, body []byte) (*http.Response, error) {
	if u.lines != nil {
		resp, err := u.lines.send(ctx, body)
		if err != nil || resp.StatusCode < 300 || resp.StatusCode >= 400 {
			return resp, err
		}
		_ = resp.Body.Close() // it leads elsewhere
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.opts.BaseURL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	u.authorize(req)
	return u.http.Do(req)
}

func (u *Upstream) authorize(req *http.Request) {
	req.Header.Set("User-Agent", "atelier")
	if u.opts.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+u.opts.APIKey)
	}
}

// errSlow says that a server took too long.
var errSlow = errors.New("the server took too long")

// errEmit marks an error of the caller's own: the server did nothing wrong.
type errEmit struct{ error }

func (e errEmit) Unwrap() error { return e.error }

// failed says what a broken conversation means to the caller.
func (u *Upstream) failed(ctx context.Context, err error) error {
	var own errEmit
	var known *atelier.Error
	switch {
	case errors.As(err, &own):
		return own.error
	case errors.Is(context.Cause(ctx), errSlow):
		u.breaker.failed()
		return atelier.Errorf(atelier.CodeUpstreamTimeout, "The model server did not answer in time.")
	case ctx.Err() != nil:
		return ctx.Err() // the caller left
	}
	u.breaker.failed()
	u.opts.Log.Warn("a model server failed", "upstream", u.opts.Name, "error", err)
	if errors.As(err, &known) {
		return known
	}
	return atelier.Errorf(atelier.CodeUpstream, "The model server broke off or could not be reached.")
}

// maxRefusal bounds what is read of a refusal.
const maxRefusal = 64 << 10

// refused turns the refusal of a server into an error. What is the caller's own
// fault is passed on in the server's words.
func (u *Upstream) refused(resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	var said struct {
		Error   wire.Raw `json:"error"`
		Message string   `json:"message"`
		Detail  wire.Raw `json:"detail"`
	}
	_ = wire.Unmarshal(text, &said)
	message := said.Message
	var inner struct {
		Message string `json:"message"`
	}
	if wire.Unmarshal(said.Error, &inner) == nil && inner.Message != "" {
		message = inner.Message
	} else if plain := ""; wire.Unmarshal(said.Error, &plain) == nil && plain != "" {
		message = plain
	}
	switch resp.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		u.breaker.succeeded() // it lives
		if message == "" {
			message = "The model server does not take this request."
		}
		return atelier.Errorf(atelier.CodeInvalidRequest, "%s", message)
	case http.StatusTooManyRequests:
		e := atelier.Errorf(atelier.CodeUpstream, "The model server has too much to do.")
		if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
			e.RetryAfter = time.Duration(n) * time.Second
		}
		return e
	case http.StatusGatewayTimeout, http.StatusRequestTimeout:
		u.breaker.failed()
		return atelier.Errorf(atelier.CodeUpstreamTimeout, "The model server did not answer in time.")
	}
	u.breaker.failed()
	u.opts.Log.Warn("a model server refused", "upstream", u.opts.Name, "status", resp.StatusCode, "message", message)
	return atelier.Errorf(atelier.CodeUpstream, "The model server answered with an error (%d).", resp.StatusCode)
}

// probe asks whether the server lives.
func (u *Upstream) probe(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.opts.BaseURL+"/models", nil)
	if err != nil {
		return err
	}
	u.authorize(req)
	resp, err := u.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	if resp.StatusCode >= 500 {
		return fmt.Errorf("it answers %d", resp.StatusCode)
	}
	return nil
}
