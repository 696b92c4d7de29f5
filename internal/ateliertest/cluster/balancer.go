package cluster

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// askEvery is how often the balancer asks nodes whether they are ready.
const askEvery = 100 * time.Millisecond

// Balancer sends each request to the next node that is ready, as guides say a load balancer has to.
type Balancer struct {
	*httptest.Server
	backends  []*backend
	next      atomic.Int64
	transport *http.Transport
	stop      context.CancelFunc
	asking    sync.WaitGroup
}

// backend is a node as the balancer knows it.
type backend struct {
	host    string
	isReady atomic.Bool
}

func startBalancer(t testing.TB, address string, hosts []string) *Balancer {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	b := &Balancer{transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 5 * time.Second}, stop: cancel}
	for _, host := range hosts {
		one := &backend{host: host}
		b.backends = append(b.backends, one)
		b.asking.Go(func() { b.ask(ctx, one) })
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "node"})
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		},
		Transport: b, FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, "balancer: "+err.Error(), http.StatusBadGateway)
		},
	}
	b.Server = &httptest.Server{Listener: l, Config: &http.Server{Handler: proxy}}
	b.Start()
	t.Cleanup(func() {
		b.CloseClientConnections()
		b.Close()
		b.stop()
		b.asking.Wait()
		b.transport.CloseIdleConnections()
	})
	return b
}

// ask asks a node again and again whether it is ready.
func (b *Balancer) ask(ctx context.Context, one *backend) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		resp, err := client.Get("http://" + one.host + "/readyz")
		if err == nil {
			resp.Body.Close()
		}
		one.isReady.Store(err == nil && resp.StatusCode == http.StatusOK)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// errNoNode says that no node is ready.
var errNoNode = errors.New("no node is ready")

// RoundTrip implements http.RoundTripper. A node that refuses the connection has not seen the request: the
// next one gets
// it.
func (b *Balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	err := errNoNode
	first := b.next.Add(1)
	for i := range int64(len(b.backends)) {
		one := b.backends[(first+i)%int64(len(b.backends))]
		if !one.isReady.Load() {
			continue
		}
		out := r.Clone(r.Context())
		out.URL.Host = one.host
		if r.Body != nil {
			out.Body = io.NopCloser(r.Body) // a transport that could not connect would close it
		}
		resp, failed := b.transport.RoundTrip(out)
		if failed == nil {
			return resp, nil
		}
		err = failed
		var dial *net.OpError
		if !errors.As(failed, &dial) || dial.Op != "dial" {
			return nil, failed
		}
	}
	return nil, err
}
