package node

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/endpoint"
)

// ConsoleLink makes a link with which a browser on this machine signs in to the console
// once: as the account that was created first, which on most installations is the only one
// or the operator's. The link is empty where clients reach the node by another address than
// a loopback one, and where there is no account.
func (n *Node) ConsoleLink(ctx context.Context) (link string, as atelier.Account, err error) {
	if !n.isLocal() {
		return "", as, nil
	}
	as, found, err := n.Accounts.Oldest(ctx, embeddedWallet)
	if err != nil || !found {
		return "", as, err
	}
	return n.URL() + "/#code=" + n.Accounts.CreateCode(as.Wallet), as, nil
}

// isLocal reports whether clients reach the node by a loopback address, and so only from this machine.
func (n *Node) isLocal() bool {
	public, err := url.Parse(n.URL())
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(public.Hostname())
	return (public.Hostname() == "localhost" || err == nil && addr.IsLoopback()) &&
		n.listener.Addr().(*net.TCPAddr).IP.IsLoopback()
}

// keyCommandPath is where the sign-in page finds the command that makes an API key.
const keyCommandPath = "/console/key-command.txt"

// pages serves the console, and the command that makes an API key of this installation. It has paths of this machine,
// which a browser elsewhere does not get.
func (n *Node) pages(console http.Handler, keyCommand string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != keyCommandPath || r.Method != http.MethodGet {
			console.ServeHTTP(w, r)
			return
		}
		command := "atelier key create local"
		if keyCommand != "" && n.isLocal() && endpoint.IsLocal(r) {
			command = keyCommand
		}
		header := w.Header()
		header.Set("Content-Type", "text/plain; charset=utf-8")
		header.Set("Cache-Control", "no-store")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("X-Content-Type-Options", "nosniff")
		_, _ = io.WriteString(w, command) // the server drops it for a client that has gone
	})
}

// storageOrigins are the origins that pages load media from: that of the S3, if there is
// one, otherwise the public one of this service, which is another one for a person who opened
// the console by a different name, such as localhost.
func (n *Node) storageOrigins(ctx context.Context) ([]string, error) {
	signed, err := n.blobs.GetURL(ctx, "origin", blob.GetTerms{Until: n.now().Add(time.Minute)})
	if err != nil {
		return nil, fmt.Errorf("storage_url: %w", err)
	}
	u, err := url.Parse(signed)
	if err != nil {
		return nil, fmt.Errorf("storage_url: %w", err)
	}
	return []string{u.Scheme + "://" + u.Host}, nil
}
