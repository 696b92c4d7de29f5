package fetch

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
)

// blockedError means that an address is not dialled.
type blockedError struct{ addr netip.Addr }

func (e *blockedError) Error() string { return fmt.Sprintf("%v is not on the public Internet", e.addr) }

// dialer makes the connections of a client.
func (c *Client) dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	if c.opts.Dial != nil {
		return c.opts.Dial
	}
	guarded := &net.Dialer{Timeout: c.opts.Idle, Resolver: c.opts.Resolver, Control: control}
	open := &net.Dialer{Timeout: c.opts.Idle, Resolver: c.opts.Resolver}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if c.mayBePrivate(address) {
			return open.DialContext(ctx, network, address)
		}
		return guarded.DialContext(ctx, network, address)
	}
}

// mayBePrivate reports whether a host:port need not be on the public Internet.
func (c *Client) mayBePrivate(address string) bool {
	return c.opts.AllowPrivate || slices.Contains(c.opts.PrivateHosts, strings.ToLower(address))
}

// Address is the host:port, in lower case, that is dialled for a URL.
func Address(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// control is called by the dialer with the address it is about to connect to, after name
// resolution.
func control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("network %s is not for media", network)
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !public(to.Addr()) {
		return &blockedError{to.Addr()}
	}
	return nil
}

// notPublic are the IPv4 networks that are not on the public Internet, from
// the registry of special addresses (RFC 6890 and its successors).
var notPublic = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // a cloud's metadata, on an address that looks public
)

// The IPv6 networks that matter. Only what is in the global one can be public.
var (
	global6 = netip.MustParsePrefix("2000::/3")
	nat64   = netip.MustParsePrefix("64:ff9b::/96") // the IPv4 address in its last four bytes
	sixTo4  = netip.MustParsePrefix("2002::/16")    // the IPv4 address behind the prefix

	notPublic6 = prefixes(
		"2001::/23",     // protocol assignments, Teredo with its hidden IPv4 addresses among them
		"2001:db8::/32", // documentation
		"3fff::/20",     // documentation
	)
)

func prefixes(list ...string) (out []netip.Prefix) {
	for _, s := range list {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// public reports whether an address is on the public Internet.
func public(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	a = a.Unmap() // ::ffff:127.0.0.1 is 127.0.0.1
	if a.Is4() {
		return !within(a, notPublic)
	}
	b := a.As16()
	switch {
	case nat64.Contains(a):
		return public(netip.AddrFrom4([4]byte(b[12:16])))
	case !global6.Contains(a) || within(a, notPublic6):
		return false
	case sixTo4.Contains(a):
		return public(netip.AddrFrom4([4]byte(b[2:6])))
	case (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe: // ISATAP
		return public(netip.AddrFrom4([4]byte(b[12:16])))
	}
	return true
}

func within(a netip.Addr, list []netip.Prefix) bool {
	for _, p := range list {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// localName reports whether a host is an address, or a name, that can be known
// without asking to be on no public network.
func localName(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return !public(a)
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	for _, local := range []string{"localhost", "local", "internal", "home.arpa"} {
		if name == local || strings.HasSuffix(name, "."+local) {
			return true
		}
	}
	return false
}
