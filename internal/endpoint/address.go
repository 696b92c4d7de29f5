package endpoint

import (
	"net/http"
	"net/netip"
	"strings"
)

// clientAddress is the address that a request came from. X-Forwarded-For counts only from
// a trusted proxy; of its addresses, the last that is not a trusted proxy itself is the
// client's.
func clientAddress(r *http.Request, trusted []netip.Prefix) netip.Addr {
	port, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	addr := port.Addr().Unmap()
	if !contains(trusted, addr) {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			return addr
		}
		if addr = hop.Unmap(); !contains(trusted, addr) {
			return addr
		}
	}
	return addr
}

// warnOfProxy warns the operator, once, of a proxy on this machine or network that is not
// trusted: all its clients count as one.
func (s *Server) warnOfProxy(r *http.Request) {
	port, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || s.warned.Load() {
		return
	}
	addr := port.Addr().Unmap()
	near := addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast()
	if near && !contains(s.trusted, addr) && s.warned.CompareAndSwap(false, true) {
		s.log.Warn("X-Forwarded-For ignored: peer is not in trusted_proxies, all its clients share one rate limit", "peer", addr)
	}
}

// limitSubject is the key under which a client is counted. One holder of IPv6 addresses
// has a whole network of them, so these count by their first 64 bits.
func limitSubject(addr netip.Addr) string {
	if addr.Is6() {
		if network, err := addr.Prefix(64); err == nil {
			return network.String()
		}
	}
	return addr.String()
}

func contains(prefixes []netip.Prefix, addr netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}
