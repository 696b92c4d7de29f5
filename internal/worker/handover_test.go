package worker_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/worker"
)

// outage is a proxy of a service that simulates an outage.
type outage struct {
	mu     sync.Mutex
	status int            // to answer with; 0 closes the connection
	away   bool           // until enough calls have failed
	left   map[string]int // how often each call must fail before the outage ends
}

// begin begins an outage that lasts until the named calls have failed so often.
func (o *outage) begin(status int, calls map[string]int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.status, o.left, o.away = status, calls, true
}

// refuse reports whether a call fails.
func (o *outage) refuse(call string) (int, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.away {
		return 0, false
	}
	o.left[call]--
	o.away = false
	for _, n := range o.left {
		o.away = o.away || n > 0
	}
	return o.status, true
}

func (o *outage) before(t *testing.T, service string) string {
	t.Helper()
	target, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, away := o.refuse(path.Base(r.URL.Path))
		switch {
		case !away:
			proxy.ServeHTTP(w, r)
		case status == 0:
			panic(http.ErrAbortHandler)
		default:
			w.WriteHeader(status)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A result that was rendered during an outage is delivered afterwards, by the same
// session: nothing is rendered twice, and no other render is ended.
func TestResultsSurviveAnOutage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		calls  map[string]int
		large  bool
	}{
		"the database is away":  {http.StatusInternalServerError, map[string]int{"complete": 2}, false},
		"it reports that":       {http.StatusServiceUnavailable, map[string]int{"complete": 2}, false},
		"the service is away":   {0, map[string]int{"complete": 2}, false},
		"before the file is up": {http.StatusInternalServerError, map[string]int{"uploadUrl": 2}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) {
				c.Workers.Lease, c.Limits.AccountReadsPerMinute = 10*time.Minute, 1_000_000
			})
			var away outage
			renders := make(chan struct{}, 8)
			b := renderFunc(func(ctx context.Context, k worker.Task) ([]worker.Output, error) {
				renders <- struct{}{}
				away.begin(c.status, c.calls)
				return paint(ctx, k)
			})
			if c.large {
				b = large(b)
			}
			hand := s.Account(t, account.NewAccount{Worker: true}, billing.Credits{})
			calls := client.New(away.before(t, s.URL), hand.Key)
			calls.Retries = 0
			w := &worker.Worker{
				Client: calls, Renderer: b, Log: slog.New(slog.DiscardHandler),
				Spec: apitype.WorkerSpec{Name: "hand", Network: "fast", Models: []string{model}, Capacity: 2},
			}
			st := &fixture{t: t, s: s, artist: s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100}), ended: make(chan error, 1)}
			ctx, cancel := context.WithCancel(context.Background())
			go func() { st.ended <- w.Run(ctx) }()
			t.Cleanup(func() { cancel(); <-st.ended })
			j := st.submit()
			if p := st.project(j.ProjectID); p.Status != "completed" {
				t.Errorf("the project is %s: %s", p.Status, p.Reason)
			}
			if n := len(renders); n != 1 {
				t.Errorf("it was rendered %d times", n)
			}
			st.spent(10)
		})
	}
}

// A claim that fails does not end the other renders of the worker.
func TestAFailedClaimEndsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newProtocolServer(t, simple())
		c.claim = http.StatusInternalServerError
		w := &worker.Worker{Client: c.client(t), Log: slog.New(slog.DiscardHandler), Renderer: renderFunc(func(ctx context.Context, k worker.Task) ([]worker.Output, error) {
			for range 4 { // its own, and three that failed
				select {
				case <-c.claims:
				case <-ctx.Done():
					t.Error("the render was ended")
					return nil, ctx.Err()
				}
			}
			return paint(ctx, k)
		}), Spec: apitype.WorkerSpec{Name: "w", Network: "fast", Models: []string{model}, Capacity: 2}}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); _ = w.Run(ctx) }()
		defer func() { cancel(); <-ended }()
		select {
		case e := <-c.ends:
			if e["verb"] != "complete" {
				t.Errorf("it ended with %v", e)
			}
		case <-time.After(time.Hour):
			t.Fatal("the job did not end")
		}
	})
}

// A worker stops trying after a time, or when another worker has the job.
func TestAHandoverEnds(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*protocolServer){
		"after a while": func(c *protocolServer) { c.complete = http.StatusInternalServerError },
		"when refused":  func(c *protocolServer) { c.complete = http.StatusConflict },
	} {
		inBubble(t, name, func(t *testing.T) {
			c := newProtocolServer(t, simple())
			set(c)
			w := &worker.Worker{Client: c.client(t), Renderer: renderFunc(paint), Patience: time.Second, Log: slog.New(slog.DiscardHandler),
				Spec: apitype.WorkerSpec{Name: "w", Network: "fast", Models: []string{model}, Capacity: 1}}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); _ = w.Run(ctx) }()
			<-c.claims // the first
			<-c.claims // it continues with the next
			cancel()
			<-ended
		})
	}
}
