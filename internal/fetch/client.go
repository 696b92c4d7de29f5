package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
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

	Resolver *net.Resolver // the system's when nil
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
	dialer := &net.Dialer{Timeout: o.Idle, Resolver: o.Resolver, Control: c.control}
	c.http = &http.Client{
		CheckRedirect: c.redirect,
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would be dialled in the place of the target
			DialContext:            dialer.DialContext,
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
	if !c.opts.AllowPrivate && localName(host) {
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
	if len(before) > max(c.opts.MaxRedirects, 0) {
		return atelier.Refuse("", "The URL redirects more than %d times.", max(c.opts.MaxRedirects, 0))
	}
	r.Header.Del("Referer") // the address before may be a secret
	return c.check(r.URL)
}

// Get begins to read the content of an address. Only its first bytes, which give its type,
// have been checked.
func (c *Client) Get(ctx context.Context, rawURL string) (*Body, error) {
	u, err := c.parse(rawURL)
	if err != nil {
		return nil, err
	}
	u.Fragment = ""
	ctx, cancel := context.WithTimeoutCause(ctx, c.opts.Timeout, errTimeout)
	ctx, stop := context.WithCancelCause(ctx)
	release := func() { stop(nil); cancel() }
	body, err := c.get(ctx, stop, release, u)
	if err != nil {
		err = c.explain(ctx, u.Hostname(), err)
		release()
		return nil, err
	}
	return body, nil
}

func (c *Client) get(ctx context.Context, stop context.CancelCauseFunc, release func(), u *url.URL) (*Body, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "atelier")
	r.Header.Set("Accept-Encoding", "identity")
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if err := c.accept(resp); err != nil {
		resp.Body.Close()
		return nil, err
	}
	content := &content{client: c, ctx: ctx, stop: stop, release: release, body: resp.Body, host: resp.Request.URL.Hostname()}
	if err := content.peek(); err != nil {
		resp.Body.Close()
		return nil, err
	}
	return &Body{
		ReadCloser: content, ContentType: content.kind, Declared: resp.Header.Get("Content-Type"),
		Size: resp.ContentLength, FinalURL: resp.Request.URL.String(),
	}, nil
}

// accept checks an answer before its content is read.
func (c *Client) accept(resp *http.Response) error {
	host := show(resp.Request.URL.Hostname())
	switch {
	case resp.StatusCode >= 500:
		return atelier.Errorf(atelier.CodeUpstream, "The URL's host %s answered with status %d. Try again.", host, resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return atelier.Refuse("", "The URL cannot be read: its host %s answered with status %d.", host, resp.StatusCode)
	case encoded(resp.Header):
		return atelier.Refuse("", "The URL's host %s answered with compressed content, which was not asked for.", host)
	case resp.ContentLength > c.opts.MaxBytes:
		return c.tooLarge()
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
		// After a redirect this is not the host that the caller named.
		var at *url.Error
		if errors.As(err, &at) {
			if u, e := url.Parse(at.URL); e == nil {
				host = u.Hostname()
			}
		}
		return refusePrivate(host)
	case errors.Is(cause, errTimeout):
		return atelier.Errorf(atelier.CodeUpstreamTimeout, "The URL could not be read within %v.", c.opts.Timeout)
	case errors.Is(cause, errIdle):
		return atelier.Errorf(atelier.CodeUpstreamTimeout, "The URL's host %s sent nothing for %v.", show(host), c.opts.Idle)
	case cause != nil:
		return cause // the caller's own
	case errors.As(err, &notFound) && notFound.IsNotFound:
		return atelier.Refuse("", "The URL's host %s was not found.", show(host))
	case errors.As(err, &timeout) && timeout.Timeout():
		return atelier.Errorf(atelier.CodeUpstreamTimeout, "The URL's host %s did not answer in time.", show(host))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return atelier.Errorf(atelier.CodeUpstream, "The download of the URL was interrupted.")
	}
	return atelier.Errorf(atelier.CodeUpstream, "The URL's host %s cannot be reached.", show(host))
}
