package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/atelier-project/atelier"
)

// Options are the limits of a Client. A zero value means the default.
type Options struct {
	AllowPrivate bool          // also read from machines that are not on the public Internet
	MaxBytes     int64         // of content: 100 MiB
	Timeout      time.Duration // of everything together: two minutes
	Idle         time.Duration // without any progress: 15 seconds
	MaxRedirects int           // 5; none when negative

	// Allow decides which addresses are read, those of redirects included. Without it
	// every address on the public Internet is.
	Allow func(*url.URL) bool
	// PrivateHosts need not be on the public Internet, even when AllowPrivate is false. Each
	// is a host:port as Address returns it.
	PrivateHosts []string

	Resolver *net.Resolver // the system's when nil
	// Dial connects in the place of the guarded dialer, which is for tests.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client reads from addresses that callers name. Use one for many.
type Client struct {
	http *http.Client
	opts Options
}

// New makes a client.
func New(o Options) *Client {
	o.MaxBytes = cmp.Or(o.MaxBytes, 100<<20)
	o.Timeout = cmp.Or(o.Timeout, 2*time.Minute)
	o.Idle = cmp.Or(o.Idle, 15*time.Second)
	o.MaxRedirects = cmp.Or(o.MaxRedirects, 5)
	c := &Client{opts: o}
	c.http = &http.Client{
		CheckRedirect: c.redirect,
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would be dialled in the place of the target
			DialContext:            c.dialer(),
			TLSHandshakeTimeout:    o.Idle,
			ResponseHeaderTimeout:  o.Idle,
			MaxResponseHeaderBytes: 64 << 10,
			DisableCompression:     true,
			DisableKeepAlives:      true,
		},
	}
	return c
}

// Body is content that is being read. It must be closed. Reading fails with an
// *atelier.Error when a bound is passed.
type Body struct {
	io.ReadCloser
	ContentType string // as its first bytes show; application/octet-stream when they do not
	Declared    string // as the server claims
	Size        int64  // as the server claims; -1 when it does not
	FinalURL    string // where it was found, after redirects
}

// maxURL is the longest address that is accepted.
const maxURL = 8 << 10

// CheckURL refuses an address that Get would refuse without a request. It makes no
// connection and resolves no name.
func (c *Client) CheckURL(rawURL string) error {
	_, err := c.parse(rawURL)
	return err
}

func (c *Client) parse(rawURL string) (*url.URL, error) {
	if len(rawURL) > maxURL {
		return nil, atelier.Refuse("", "The URL is longer than %d bytes.", maxURL)
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, atelier.Refuse("", "The URL cannot be read.") // err quotes it
	}
	return u, c.check(u)
}

// check refuses an address, also those of redirects.
func (c *Client) check(u *url.URL) error {
	host := u.Hostname()
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return atelier.Refuse("", "The URL must begin with https:// or http://.")
	case u.Opaque != "" || host == "":
		return atelier.Refuse("", "The URL names no host.")
	case u.User != nil:
		return atelier.Refuse("", "The URL must not hold a user or password.")
	}
	if c.opts.Allow != nil && !c.opts.Allow(u) {
		return atelier.Refuse("", "The URL's host %s is not one that is read from.", show(host))
	}
	if !c.mayBePrivate(Address(u)) && localName(host) {
		return refusePrivate(host)
	}
	return nil
}

func refusePrivate(host string) *atelier.Error {
	return atelier.Refuse("", "The URL's host %s is not on the public Internet.", show(host))
}

// show makes a host safe to print.
func show(host string) string {
	if len(host) > 100 {
		host = host[:100] + "…"
	}
	return fmt.Sprintf("%q", host)
}

// redirect is called before each redirect is followed.
func (c *Client) redirect(r *http.Request, before []*http.Request) error {
	if before[0].Method == http.MethodPost { // what is sent goes to the server that the caller named
		return http.ErrUseLastResponse
	}
	if len(before) > max(c.opts.MaxRedirects, 0) {
		return atelier.Refuse("", "The URL redirects more than %d times.", max(c.opts.MaxRedirects, 0))
	}
	r.Header.Del("Referer") // the address before may be a secret
	if r.URL.Scheme != before[0].URL.Scheme || Address(r.URL) != Address(before[0].URL) {
		r.Header.Del("Authorization")
	}
	return c.check(r.URL)
}

// Get begins to read the content of an address. Only its first bytes, which give its type,
// have been checked.
func (c *Client) Get(ctx context.Context, rawURL string) (*Body, error) {
	a, err := c.Open(ctx, Request{URL: rawURL})
	if err != nil {
		return nil, err
	}
	content := a.ReadCloser.(*content)
	if err = a.refuseStatus(); err == nil {
		err = content.peek()
	}
	if err != nil {
		a.Close()
		return nil, err
	}
	return &Body{
		ReadCloser: content, ContentType: content.kind, Declared: a.Header.Get("Content-Type"),
		Size: a.Size, FinalURL: a.FinalURL,
	}, nil
}

// Request is a request for all or a part of the content of an address.
type Request struct {
	URL     string
	Range   string // as in the header of this name; all when empty
	IfRange string // as in the header of this name: the entity that the range is a part of
	Bearer  string // a token for the server of the URL, and for none that it redirects to

	// Post is sent as JSON with these headers, in place of asking for content. The answer is not judged, and a redirect
	// is an answer.
	Post   []byte
	Header http.Header
}

// Answer is an answer of any status, whose content is being read. It must be closed.
// Reading fails with an *atelier.Error when a bound is passed.
type Answer struct {
	io.ReadCloser
	Status   int
	Header   http.Header
	Size     int64  // of this answer, as the server claims; -1 when it does not
	FinalURL string // where it was found, after redirects
	// Redirect are the headers of the last redirect that the server of the request sent: it may
	// declare there what it redirects to. Nil without one.
	Redirect http.Header
}

// Open makes a request and leaves it to the caller to judge the status of its answer.
func (c *Client) Open(ctx context.Context, r Request) (*Answer, error) {
	u, err := c.parse(r.URL)
	if err != nil {
		return nil, err
	}
	u.Fragment = ""
	ctx, cancel := context.WithTimeoutCause(ctx, c.opts.Timeout, errTimeout)
	ctx, stop := context.WithCancelCause(ctx)
	release := func() { stop(nil); cancel() }
	resp, err := c.do(ctx, u, r)
	if err != nil {
		err = c.explain(ctx, u.Hostname(), err)
		release()
		return nil, err
	}
	return &Answer{
		ReadCloser: &content{client: c, ctx: ctx, stop: stop, release: release, body: resp.Body, host: resp.Request.URL.Hostname()},
		Status:     resp.StatusCode, Header: resp.Header, Size: resp.ContentLength, FinalURL: resp.Request.URL.String(),
		Redirect: lastRedirect(resp, u),
	}, nil
}

// lastRedirect returns the headers of the last redirect on the way to an answer that came from
// the server of u.
func lastRedirect(resp *http.Response, u *url.URL) http.Header {
	for r := resp.Request.Response; r != nil; r = r.Request.Response {
		if r.Request.URL.Scheme == u.Scheme && Address(r.Request.URL) == Address(u) {
			return r.Header
		}
	}
	return nil
}

func (c *Client) do(ctx context.Context, u *url.URL, ask Request) (*http.Response, error) {
	method, body := http.MethodGet, io.Reader(nil)
	if ask.Post != nil {
		method, body = http.MethodPost, bytes.NewReader(ask.Post)
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	if ask.Post != nil {
		r.GetBody = nil // it is sent once: the caller decides about another attempt
		maps.Copy(r.Header, ask.Header)
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("User-Agent", "atelier")
	r.Header.Set("Accept-Encoding", "identity")
	if ask.Bearer != "" {
		r.Header.Set("Authorization", "Bearer "+ask.Bearer)
	}
	if ask.Range != "" {
		r.Header.Set("Range", ask.Range)
	}
	if ask.IfRange != "" {
		r.Header.Set("If-Range", ask.IfRange)
	}
	resp, err := c.http.Do(r)
	if err != nil || ask.Post != nil {
		return resp, err
	}
	if err := c.accept(resp); err != nil {
		resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// accept checks an answer with content before it is read.
func (c *Client) accept(resp *http.Response) error {
	switch {
	case resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusPartialContent:
		return nil
	case encoded(resp.Header):
		return atelier.Refuse("", "The URL's host %s answered with compressed content, which was not asked for.", show(resp.Request.URL.Hostname()))
	case resp.ContentLength > c.opts.MaxBytes:
		return c.tooLarge()
	}
	return nil
}

// refuseStatus refuses an answer that is not all of the content.
func (a *Answer) refuseStatus() error {
	host := show(a.ReadCloser.(*content).host)
	switch {
	case a.Status >= 500:
		return atelier.Errorf(atelier.CodeUpstream, "The URL's host %s answered with status %d. Try again.", host, a.Status)
	case a.Status != http.StatusOK:
		return atelier.Refuse("", "The URL cannot be read: its host %s answered with status %d.", host, a.Status)
	}
	return nil
}

// encoded reports whether content is compressed: unpacked it could have any size.
func encoded(h http.Header) bool {
	list := strings.Join(h.Values("Content-Encoding"), ",")
	return list != "" && !strings.EqualFold(list, "identity")
}

func (c *Client) tooLarge() error {
	return atelier.Errorf(atelier.CodeBodyTooLarge, "The content of the URL is larger than %d bytes.", c.opts.MaxBytes)
}

// The causes for which we end a request.
var (
	errTimeout = errors.New("it took too long")
	errIdle    = errors.New("the transfer stalled")
)

// explain turns a failure into an error for the caller who named the address.
func (c *Client) explain(ctx context.Context, host string, err error) error {
	var own *atelier.Error
	var blocked *blockedError
	var notFound *net.DNSError
	var timeout net.Error
	cause := context.Cause(ctx)
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &blocked):
		if u := addressOf(err); u != nil {
			host = u.Hostname()
		}
		return refusePrivate(host)
	case errors.Is(cause, errTimeout):
		return atelier.Errorf(atelier.CodeUpstreamTimeout, "The URL could not be read within %v.", c.opts.Timeout)
	case errors.Is(cause, errIdle):
		return atelier.Errorf(atelier.CodeUpstreamTimeout, "The URL's host %s sent nothing for %v.", show(host), c.opts.Idle)
	case cause != nil:
		return cause // the caller's own
	case errors.As(err, &notFound) && notFound.IsNotFound && c.opts.Allow == nil: // a host that is allowed exists
		return atelier.Refuse("", "The URL's host %s was not found.", show(host))
	case errors.As(err, &timeout) && timeout.Timeout():
		return atelier.Errorf(atelier.CodeUpstreamTimeout, "The URL's host %s did not answer in time.", show(host))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return atelier.Errorf(atelier.CodeUpstream, "The download of the URL was interrupted.")
	case errors.Is(err, syscall.ECONNREFUSED):
		if u := addressOf(err); u != nil {
			host = u.Host
		}
		return atelier.Errorf(atelier.CodeUpstream, "The URL's host %s cannot be reached: it refused the connection. Is a server running there, at this port?", show(host))
	}
	return atelier.Errorf(atelier.CodeUpstream, "The URL's host %s cannot be reached.", show(host))
}

// addressOf is the address that a request failed at, which after a redirect is not the one that the caller named.
func addressOf(err error) *url.URL {
	var at *url.Error
	if !errors.As(err, &at) {
		return nil
	}
	u, err := url.Parse(at.URL)
	if err != nil {
		return nil
	}
	return u
}
