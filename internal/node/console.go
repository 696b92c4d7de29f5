package node

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
)

// ConsoleLink makes a link with which a browser on this machine signs in to the console
// once: as the account that was created first, which on most installations is the only one
// or the operator's. The link is empty where clients reach the node by another address than
// a loopback one, and where there is no account.
func (n *Node) ConsoleLink(ctx context.Context) (link string, as atelier.Account, err error) {
	public, err := url.Parse(n.URL())
	if err != nil {
		return "", as, err
	}
	addr, err := netip.ParseAddr(public.Hostname())
	isLocal := public.Hostname() == "localhost" || err == nil && addr.IsLoopback()
	if !isLocal || !n.listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
		return "", as, nil
	}
	as, found, err := n.Accounts.Oldest(ctx, embeddedWallet)
	if err != nil || !found {
		return "", as, err
	}
	return n.URL() + "/#code=" + n.Accounts.CreateCode(as.Wallet), as, nil
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
