package llm

import (
	"bytes"
	"cmp"
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
	"github.com/atelier-project/atelier/internal/prose"
	"github.com/atelier-project/atelier/internal/wire"
)

// Upstream is one server of language models. It is safe for concurrent use.
type Upstream struct {
	opts    UpstreamOptions
	speaks  protocol
	pool    *plainHTTPPool // nil when the server needs more than plain HTTP/1.1
	http    *http.Client
	breaker *breaker
	end     context.CancelFunc // ends probing

	facts    *http.Client // for questions about its models
	served   atomic.Pointer[map[string]served]
	unloaded atomic.Bool // there is a model whose context is known once it is loaded
	reread   chan reread // makes Run read the contexts again
}

// UpstreamOptions are the address of a server and its timeouts. A zero timeout
// means the default.
type UpstreamOptions struct {
	Name     string
	Kind     string            // openai (the default) or anthropic: what it speaks
	BaseURL  string            // such as http://127.0.0.1:9000/v1
	APIKey   string            // may be empty
	IDs      map[string]string // its models by our ids, with the server's own ids where they differ
	Contexts map[string]int    // configured context lengths, by our ids
	Extra    []string          // fields of callers that it is sent besides those that this service knows
	First    time.Duration     // timeout of the first byte; two minutes by default
	Idle     time.Duration     // timeout between two pieces of a stream; a minute by default
	Log      *slog.Logger

	// Observe is called when a request has ended. It may be nil.
	Observe func(context.Context, Exchange)
}

// Exchange is a request to a server that has ended.
type Exchange struct {
	Operation string // chat, embeddings or transcription
	Model     string
	Took      time.Duration
	First     time.Duration // until the first piece of the answer; zero without one
	Usage     *Usage        // nil where the server reports none
	Err       error
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
	if o.Observe == nil {
		o.Observe = func(context.Context, Exchange) {}
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	if o.Kind == "" {
		o.Kind = "openai"
	}
	u := &Upstream{opts: o, speaks: protocols[o.Kind], reread: make(chan reread, 1), http: &http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		MaxIdleConns:        0, // no bound for all hosts together
		MaxIdleConnsPerHost: 1024,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
		DisableCompression:  true, // it would delay pieces of a stream
	}, CheckRedirect: redirect}}
	u.served.Store(&map[string]served{})
	u.facts = &http.Client{
		Transport: u.http.Transport,
		// The key goes to the server that the operator named and to no other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if o.Kind == "openai" {
		u.pool = newPlainHTTPPool(o)
	}
	var life context.Context
	life, u.end = context.WithCancel(context.Background())
	u.breaker = &breaker{life: life, probe: u.probe, recovered: func() { u.wake(rereadNow) }, log: o.Log, name: o.Name}
	return u
}

// Close closes idle connections, and ends probing.
func (u *Upstream) Close() {
	u.end()
	u.http.CloseIdleConnections()
	if u.pool != nil {
		u.pool.close()
	}
}

// Ready reports whether the breaker lets requests through to the server.
func (u *Upstream) Ready() bool { return u.breaker.closed() }

// watched is the body of an answer whose timeout begins again with every part that is awaited. It does not run while a
// part is passed on: the time that a slow client takes is not the server's.
type watched struct {
	io.Reader
	timeout *time.Timer // runs until the first part
	idle    time.Duration
	begun   bool
}

func (w *watched) Read(p []byte) (int, error) {
	if w.begun {
		w.timeout.Reset(w.idle)
	}
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.begun = true
		w.timeout.Stop()
	}
	return n, err
}

// hasEvent implements arrivals.
func (w *watched) hasEvent() bool {
	b, ok := w.Reader.(*pooledBody)
	return ok && b.burst.hasEvent()
}

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Complete implements Completer: one attempt at this server.
func (u *Upstream) Complete(ctx context.Context, r Request, emit func(Delta) error) (err error) {
	x, began := Exchange{Operation: "chat", Model: r.Model.ID}, time.Now()
	defer func() {
		x.Took, x.Err = time.Since(began), err
		u.opts.Observe(ctx, x)
	}()
	id := r.Model.ID
	if own := u.opts.IDs[id]; own != "" {
		id = own
	}
	body := bodies.Get().(*bytes.Buffer)
	defer func() {
		if body.Cap() <= 1<<20 { // one that held images would keep their memory
			bodies.Put(body)
		}
	}()
	body.Reset()
	if err := u.speaks.write(body, id, r, u.opts.Extra); err != nil {
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
		if x.First == 0 {
			x.First = time.Since(began)
		}
		if d.Usage != nil {
			x.Usage = d.Usage
		}
		return emit(d)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		err = readStream(&watched{Reader: resp.Body, timeout: watch, idle: u.opts.Idle}, u.speaks.events(), counted)
	} else {
		err = readWhole(resp.Body, u.speaks.whole, counted)
	}
	if err != nil {
		return u.failed(ctx, err)
	}
	u.breaker.succeeded()
	if u.unloaded.CompareAndSwap(true, false) {
		u.wake(rereadLoaded)
	}
	watch.Reset(linger)
	finishBody(resp.Body)
	return nil
}

// How much may follow a complete answer, and how long to wait for it: the caller
// waits too.
const (
	maxTrailer = 4 << 10
	linger     = 20 * time.Millisecond
)

// finishBody makes the connection of a complete answer reusable, although the end
// of its body may not have arrived.
func finishBody(body io.Reader) {
	if b, ok := body.(*pooledBody); ok {
		b.complete = true
		return
	}
	_, _ = io.CopyN(io.Discard, body, maxTrailer)
}

func (u *Upstream) send(ctx context.Context, body []byte) (*http.Response, error) {
	if u.pool != nil {
		resp, err := u.pool.send(ctx, body)
		if err != nil || resp.StatusCode < 300 || resp.StatusCode >= 400 {
			return resp, err
		}
		_ = resp.Body.Close() // a redirect, which http.Client follows
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.opts.BaseURL+u.speaks.path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	u.authorize(req)
	return u.http.Do(req)
}

// redirect lets a server send a request elsewhere, but the key goes to no other server than the one that the operator
// named.
func redirect(req *http.Request, before []*http.Request) error {
	if first := before[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme && req.URL.Scheme != "https" {
		req.Header.Del("Authorization")
		req.Header.Del("X-Api-Key")
	}
	if len(before) >= maxRedirects {
		return errors.New("the server redirects too often")
	}
	return nil
}

const maxRedirects = 10

func (u *Upstream) authorize(req *http.Request) {
	req.Header.Set("User-Agent", "atelier")
	u.speaks.authorize(req, u.opts.APIKey)
}

// errSlow says that a server took too long.
var errSlow = errors.New("the server took too long")

// errEmit marks an error of the caller's emit function: the server did nothing
// wrong.
type errEmit struct{ error }

func (e errEmit) Unwrap() error { return e.error }

// failed is the error for the caller of a request that failed.
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
	u.opts.Log.Warn("model server failed", "upstream", u.opts.Name, "error", err)
	if errors.As(err, &known) {
		return known
	}
	return atelier.Errorf(atelier.CodeUpstream, "The connection to the model server failed.")
}

// maxRefusal bounds what is read of a refusal.
const maxRefusal = 64 << 10

// maxReason bounds what is passed on of a server's reason for its own failure, in characters.
const maxReason = 300

// messageOf is the message of an error as servers write it: an object with a message, or the text itself.
func messageOf(raw wire.Raw) string {
	var inner struct {
		Message string `json:"message"`
	}
	if wire.Unmarshal(raw, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	plain := ""
	_ = wire.Unmarshal(raw, &plain)
	return plain
}

// broken is the error for a failure of the server, with the reason that it gave, on one line.
func broken(what, reason string) error {
	if reason = prose.Unstopped(prose.Cut(strings.Join(strings.Fields(reason), " "), maxReason)); reason != "" {
		what += ": " + reason
	}
	return atelier.Errorf(atelier.CodeUpstream, "%s.", what)
}

// refused turns the refusal of a server into an error. The server's message is passed on, except when it is about the
// operator's key or account there.
func (u *Upstream) refused(resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	var said struct {
		Error   wire.Raw `json:"error"`
		Message string   `json:"message"`
		Detail  wire.Raw `json:"detail"`
	}
	_ = wire.Unmarshal(text, &said)
	message := cmp.Or(messageOf(said.Error), said.Message, messageOf(said.Detail))
	switch resp.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		u.breaker.succeeded() // the server works
		if message == "" {
			message = "The model server does not take this request."
		}
		return atelier.Errorf(atelier.CodeInvalidRequest, "%s", message)
	case http.StatusTooManyRequests:
		e := atelier.Errorf(atelier.CodeUpstream, "The model server is overloaded.")
		if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
			e.RetryAfter = time.Duration(n) * time.Second
		}
		return e
	case http.StatusGatewayTimeout, http.StatusRequestTimeout:
		u.breaker.failed()
		return atelier.Errorf(atelier.CodeUpstreamTimeout, "The model server did not answer in time.")
	}
	u.breaker.failed()
	u.opts.Log.Warn("model server refused a request", "upstream", u.opts.Name, "status", resp.StatusCode, "message", message)
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired:
		message = ""
	}
	return broken(fmt.Sprintf("The model server answered with an error (%d)", resp.StatusCode), message)
}

// probe asks whether the server answers.
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
