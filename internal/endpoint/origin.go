package endpoint

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/atelier-project/atelier"
)

// origins knows which requests may use the cookie of the console: those of its pages.
type origins struct {
	public     *url.URL // how clients reach the service
	listen     string   // the host that it serves on
	anyAddress bool     // it serves on all addresses of the machine
}

func newOrigins(publicURL, listen string) origins {
	o := origins{public: &url.URL{}, listen: hostname(listen)}
	if u, err := url.Parse(publicURL); err == nil {
		o.public = u
	}
	addr, err := netip.ParseAddr(o.listen)
	o.anyAddress = o.listen == "" || err == nil && addr.IsUnspecified()
	return o
}

// check refuses a request that no page of the console has sent. Browsers with fetch
// metadata say so themselves, all of them send Origin with what changes something, and the
// host tells a page that had its name resolved to this machine (DNS rebinding).
func (o origins) check(r *http.Request) error {
	if !o.serves(hostname(r.Host)) {
		return atelier.Errorf(atelier.CodeForbidden, "The console is not served under the host %q. Open it under %s; an operator can change public_url.", r.Host, o.public)
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" {
			return errOtherOrigin()
		}
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || !o.isOwn(u, r.Host) {
			return errOtherOrigin()
		}
	}
	return nil
}

func errOtherOrigin() error {
	return atelier.Errorf(atelier.CodeForbidden, "A page of another origin has sent this request. Only pages of this service may use the session of the console.")
}

// serves reports whether the console is served under a host. An address cannot be rebound,
// so that any is accepted where the service listens on all of them.
func (o origins) serves(host string) bool {
	if host == "" {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return isLoopback(host) || strings.EqualFold(host, o.public.Hostname()) || strings.EqualFold(host, o.listen) || err == nil && addr.IsValid() && o.anyAddress
}

// isOwn reports whether an origin is that of the public URL, or that of the host that a
// request names.
func (o origins) isOwn(origin *url.URL, host string) bool {
	if origin.Scheme != "http" && origin.Scheme != "https" {
		return false
	}
	if origin.Scheme == o.public.Scheme && sameHost(origin.Host, o.public.Host, origin.Scheme) {
		return true
	}
	return !strings.EqualFold(host, o.public.Host) && sameHost(origin.Host, host, origin.Scheme)
}

// isSecure reports whether a browser reaches the service over HTTPS, which a proxy
// terminates. Browsers send an origin with every request that sets a cookie here.
func (o origins) isSecure(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		return strings.HasPrefix(origin, "https:")
	}
	return o.public.Scheme == "https" && strings.EqualFold(r.Host, o.public.Host)
}

// sameHost compares two hosts with their ports, of which the usual one may be missing.
func sameHost(a, b, scheme string) bool {
	return strings.EqualFold(withPort(a, scheme), withPort(b, scheme))
}

func withPort(host, scheme string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	port := "80"
	if scheme == "https" {
		port = "443"
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port)
}

// hostname is a host without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// IsLocal reports whether a request comes from this machine, and through no proxy.
func IsLocal(r *http.Request) bool {
	for _, name := range []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via"} {
		if r.Header[name] != nil {
			return false
		}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback() && isLoopback(hostname(r.Host))
}

// CheckOrigin refuses a request that no page of the console has sent.
func (c *Call) CheckOrigin() error { return c.server.origins.check(c.Request) }

// IsLocal reports whether the request comes from the machine of the service, and through no
// proxy.
func (c *Call) IsLocal() bool { return IsLocal(c.Request) }

// forConsole reports whether a request, or the one that a preflight asks for, is for the
// pages of the console alone.
func forConsole(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/v1/console/") || r.Header[consoleHeader] != nil ||
		strings.Contains(strings.ToLower(r.Header.Get("Access-Control-Request-Headers")), strings.ToLower(consoleHeader))
}
