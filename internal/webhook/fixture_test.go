package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/webhook"
)

const (
	ann  = atelier.Wallet("0xann")
	bob  = atelier.Wallet("0xbob")
	node = atelier.Wallet("0xnode") // owns the workers of the nodes
)

// fixture is a node that sends to webhooks.
type fixture struct {
	*enginetest.Env
	e *webhook.Engine
}

func newFixture(t testing.TB, o store.Options, set ...func(*webhook.Options)) *fixture {
	t.Helper()
	f := newFixtureOn(t, storetest.Open(t, o), set...)
	f.addAccounts()
	f.serve(4)
	return f
}

// newFixtureOn makes a node on a database. It sends nothing until serve is called.
func newFixtureOn(t testing.TB, db *store.DB, set ...func(*webhook.Options)) *fixture {
	t.Helper()
	f := &fixture{Env: enginetest.NewOn(t, db)}
	opts := webhook.Options{Secrets: []string{"a-secret-of-sixteen"}, Fetch: fetch.Options{AllowPrivate: true}, Now: f.Now, Log: enginetest.Log}
	for _, change := range set {
		change(&opts)
	}
	var err error
	if f.e, err = webhook.New(f.DB, f.Bus, f.Fleet, opts); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) addAccounts() {
	f.AddAccount(atelier.Account{Wallet: ann}, billing.Credits{})
	f.AddAccount(atelier.Account{Wallet: bob}, billing.Credits{})
	f.AddAccount(atelier.Account{Wallet: node, Worker: true}, billing.Credits{})
}

// serve does node tasks until stop is called or the test ends.
func (f *fixture) serve(concurrency int) (stop func()) {
	end := f.RunFleet(f.Fleet)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = f.Fleet.Serve(ctx, node, concurrency, f.e.NodeTasks(), func() {}) })
	stop = sync.OnceFunc(func() { cancel(); wg.Wait(); end() })
	f.T.Cleanup(stop)
	return stop
}

// add adds a webhook of an account for all events, and returns it with its secret.
func (f *fixture) add(owner atelier.Wallet, url string) apitype.Webhook {
	f.T.Helper()
	w, err := f.e.Create(context.Background(), owner, url, []atelier.WebhookEvent{atelier.HookAll})
	if err != nil {
		f.T.Fatal(err)
	}
	return w
}

// emit reports an event of a subject, with a name that tells it apart.
func (f *fixture) emit(owner atelier.Wallet, subject, name string) {
	f.T.Helper()
	f.Write(func(tx *store.Tx) error { return notify(tx, owner, subject, name, f.Now(), nil) })
}

func notify(tx *store.Tx, owner atelier.Wallet, subject, name string, at time.Time, r *atelier.RequestWebhook) error {
	return tx.NotifyWebhooks(store.Notice{
		Wallet: owner, Type: atelier.HookWorkflowCompleted, Subject: subject, At: at, Request: r,
		Data: func() any { return map[string]string{"name": name} },
	})
}

// settle sends what is due until nothing is, without the time that failures wait.
func (f *fixture) settle() {
	f.T.Helper()
	f.settleBut(func(atelier.Wallet) bool { return false })
}

// settleBut is settle, and does not wait for the deliveries of some accounts.
func (f *fixture) settleBut(ignored func(atelier.Wallet) bool) {
	f.T.Helper()
	news := f.Bus.Subscribe("webhooks/due")
	defer news.Close()
	for deadline := time.After(2 * time.Minute); ; {
		if _, err := f.e.Queue(context.Background()); err != nil {
			f.T.Fatal(err)
		}
		busy, due := false, false
		f.Read(func(tx *store.Tx) error {
			for _, w := range []atelier.Wallet{ann, bob} {
				hooks, err := tx.Webhooks(w)
				if err != nil {
					return err
				}
				for _, hook := range hooks {
					n, err := tx.CountSending(hook.ID)
					if err != nil {
						return err
					}
					busy = busy || n > 0 && !ignored(w)
				}
			}
			var err error
			_, due, err = tx.AnyDue(f.Now())
			return err
		})
		switch {
		case due: // what came before it has ended since
			continue
		case !busy:
			return
		}
		select {
		case <-news.C():
		case <-deadline:
			f.T.Fatal("deliveries are not sent")
		}
	}
}

// log is the delivery log of a webhook, oldest first.
func (f *fixture) log(owner atelier.Wallet, id string) []apitype.WebhookDelivery {
	f.T.Helper()
	page, err := f.e.Deliveries(context.Background(), owner, id, webhook.Query{Limit: 50})
	if err != nil {
		f.T.Fatal(err)
	}
	slices.Reverse(page.Deliveries)
	return page.Deliveries
}

// statuses are those of the delivery log, oldest first.
func (f *fixture) statuses(owner atelier.Wallet, id string) (out []string) {
	for _, d := range f.log(owner, id) {
		out = append(out, string(d.Status))
	}
	return out
}

func (f *fixture) read(owner atelier.Wallet, id string) apitype.Webhook {
	f.T.Helper()
	w, err := f.e.Read(context.Background(), owner, id)
	if err != nil {
		f.T.Fatal(err)
	}
	return w
}

// got is a request that a receiver got.
type got struct {
	id, name string
	header   http.Header
	body     []byte
}

// receiver is a server that webhooks are sent to.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	all    []got
	answer func(got) int // the status, or hangs or breaks
}

func newReceiver(t testing.TB, answer func(got) int) *receiver {
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		var payload apitype.WebhookPayload[struct{ Name string }]
		_ = json.Unmarshal(body, &payload)
		g := got{q.Header.Get("webhook-id"), payload.Data.Name, q.Header, body}
		r.mu.Lock()
		r.all = append(r.all, g)
		say := r.answer
		r.mu.Unlock()
		status := say(g)
		switch status {
		case hangs:
			<-q.Context().Done()
			return
		case breaks:
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "answer to "+g.name)
	}))
	t.Cleanup(r.Close)
	return r
}

// What a receiver may do in the place of an answer.
const (
	hangs  = -iota // until the client leaves
	breaks         // the connection
)

func always(status int) func(got) int { return func(got) int { return status } }

// change changes what the receiver answers.
func (r *receiver) change(answer func(got) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// names are the events that came, in their order.
func (r *receiver) names() (out []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.all {
		out = append(out, g.name)
	}
	return out
}

func (r *receiver) last() got {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[len(r.all)-1]
}

// wants checks the events that came.
func (r *receiver) wants(t testing.TB, want ...string) {
	t.Helper()
	if names := r.names(); !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

// verify checks the signature of a request as a receiver does.
func (g got) verify(secret string) bool {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(g.header.Get("webhook-id") + "." + g.header.Get("webhook-timestamp") + "." + string(g.body)))
	return slices.Contains(strings.Fields(g.header.Get("webhook-signature")), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}
