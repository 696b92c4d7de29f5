package node_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/nats-io/nats-server/v2/server"
)

// patience is how long anything awaited may take: far longer than it does.
const patience = 2 * time.Minute

const (
	oldSecret = "the old secret of the nodes"
	newSecret = "the new secret of the nodes"
)

// natsServer starts a real NATS server on a loopback port.
func natsServer(t *testing.T) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatalf("nats-server: %v", err)
	}
	s.Start()
	t.Cleanup(func() { stop(s) })
	if !s.ReadyForConnections(patience) {
		t.Fatal("nats-server does not take connections")
	}
	return s
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// cluster is a database and a NATS server, for any number of nodes.
type cluster struct {
	db   store.Options
	nats *server.Server
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	return &cluster{db: storetest.Postgres(t), nats: natsServer(t)}
}

// join starts a node of the cluster.
func (c *cluster) join(t *testing.T, secret string) *ateliertest.Service {
	t.Helper()
	return ateliertest.Start(t, c.db, func(o *config.Config) {
		o.NATSURL, o.SessionSecret = c.nats.ClientURL(), secret
	})
}

// me asks a node whose a credential is.
func me(t *testing.T, s *ateliertest.Service, credential string, want int) {
	t.Helper()
	if got, body := s.Get(t, "/v2/account/me", credential); got != want {
		t.Errorf("got %d, want %d: %s", got, want, body)
	}
}

func TestKeysChangeOnEveryNodeAtOnce(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	a, b := c.join(t, oldSecret), c.join(t, oldSecret)
	opened := a.Account(t, account.NewAccount{Username: "ann"}, billing.Credits{})
	me(t, b, opened.Key, http.StatusOK)
	for range 20 {
		key, err := b.Node.Accounts.CreateKey(t.Context(), opened.Account, "")
		if err != nil {
			t.Fatal(err)
		}
		me(t, a, key, http.StatusOK)
		me(t, b, key, http.StatusOK)
		if err := b.Node.Accounts.RevokeKey(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		me(t, a, key, http.StatusUnauthorized)
		me(t, b, key, http.StatusUnauthorized)
	}
	me(t, a, opened.Key, http.StatusOK)
}

// A token ends on every node when any of them revokes the key that made it, or ends all
// sessions.
func TestTokensEndOnEveryNodeAtOnce(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	a, b := c.join(t, oldSecret), c.join(t, oldSecret)
	opened := a.Account(t, account.NewAccount{Username: "ann"}, billing.Credits{})
	newToken := func(key string) string {
		t.Helper()
		caller, err := a.Node.Accounts.Authenticate(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		token, err := a.Node.Accounts.CreateToken(t.Context(), opened.Account, caller.KeyHash, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		me(t, a, token, http.StatusOK)
		me(t, b, token, http.StatusOK)
		return token
	}
	key, err := a.Node.Accounts.CreateKey(t.Context(), opened.Account, "")
	if err != nil {
		t.Fatal(err)
	}
	first, kept := newToken(key), newToken(opened.Key)
	if _, _, err := b.Node.Accounts.RevokeHint(t.Context(), opened.Account, key); err != nil {
		t.Fatal(err)
	}
	me(t, a, first, http.StatusUnauthorized)
	me(t, b, first, http.StatusUnauthorized)
	me(t, a, kept, http.StatusOK)
	if _, err := b.Node.Accounts.EndSessions(t.Context(), atelier.Caller{Account: opened.Account}); err != nil {
		t.Fatal(err)
	}
	me(t, a, kept, http.StatusUnauthorized)
	me(t, b, kept, http.StatusUnauthorized)
	me(t, a, opened.Key, http.StatusOK)
	newToken(opened.Key)
}

// A key in use by many requests is refused to every request that begins after
// another node revoked it.
func TestRevocationUnderLoad(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	a, b := c.join(t, oldSecret), c.join(t, oldSecret)
	opened := a.Account(t, account.NewAccount{}, billing.Credits{})
	stopped := make(chan struct{})
	var busy, callers sync.WaitGroup
	for range 4 {
		busy.Add(1)
		callers.Go(func() {
			first := sync.OnceFunc(busy.Done)
			defer first()
			for {
				select {
				case <-stopped:
					return
				default:
				}
				if _, err := b.Node.Accounts.Authenticate(t.Context(), opened.Key); err != nil {
					return // it was revoked
				}
				first()
			}
		})
	}
	busy.Wait()
	if err := a.Node.Accounts.RevokeKey(t.Context(), opened.Key); err != nil {
		t.Error(err)
	}
	me(t, b, opened.Key, http.StatusUnauthorized)
	close(stopped)
	callers.Wait()
}

func TestTokensAreValidWhereTheirSecretIsKnown(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	before, alike := c.join(t, oldSecret), c.join(t, oldSecret)
	during, after := c.join(t, newSecret+","+oldSecret), c.join(t, newSecret)
	ann := before.Account(t, account.NewAccount{}, billing.Credits{}).Account
	old := before.Token(t, ann, time.Hour)
	me(t, before, old, http.StatusOK)
	me(t, alike, old, http.StatusOK)
	me(t, during, old, http.StatusOK)
	me(t, after, old, http.StatusUnauthorized)

	// During a change the new secret signs already.
	changed := during.Token(t, ann, time.Hour)
	me(t, during, changed, http.StatusOK)
	me(t, after, changed, http.StatusOK)
	me(t, before, changed, http.StatusUnauthorized)
}

// Nodes that start together on a new database create one local account.
func TestOneNodeCreatesTheFirstAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		c := config.Default()
		c.DataDir, c.DatabaseURL = t.TempDir(), o.URL
		var (
			wg     sync.WaitGroup
			mu     sync.Mutex
			winner []account.Opened
		)
		begin := make(chan struct{})
		for range 4 {
			wg.Go(func() {
				<-begin
				admin, err := node.OpenAdmin(t.Context(), c, node.AdminOptions{})
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				defer admin.Close()
				opened, first, err := admin.First(t.Context())
				if err != nil {
					t.Errorf("first: %v", err)
				}
				if first {
					mu.Lock()
					defer mu.Unlock()
					winner = append(winner, opened)
				}
			})
		}
		close(begin)
		wg.Wait()
		if len(winner) != 1 {
			t.Fatalf("got %d local accounts, want one", len(winner))
		}
		admin, err := node.OpenAdmin(t.Context(), c, node.AdminOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer admin.Close()
		caller, err := admin.Accounts.Authenticate(t.Context(), winner[0].Key)
		if err != nil || caller.Wallet != winner[0].Account.Wallet || !caller.Worker {
			t.Errorf("the key of the local account: got %+v, %v", caller, err)
		}
		balance, err := admin.Billing.Balance(t.Context(), caller.Wallet)
		if err != nil || balance.Spark.Net <= 0 || balance.Svc.Net <= 0 {
			t.Errorf("the balance of the local account: got %+v, %v", balance, err)
		}
		plan, err := admin.Accounts.Subscription(t.Context(), caller.Wallet)
		if err != nil || !plan.Active() {
			t.Errorf("the plan of the local account: got %+v, %v", plan, err)
		}
	})
}

// Processes that start together in one directory agree on its session secret.
func TestProcessesShareOneSecret(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.DataDir = filepath.Join(t.TempDir(), "data")
	offices := make([]*node.Admin, 6)
	var wg sync.WaitGroup
	for i := range offices {
		wg.Go(func() {
			o, err := node.OpenAdmin(t.Context(), c, node.AdminOptions{})
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			offices[i] = o
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	opened, err := offices[0].Open(t.Context(), account.NewAccount{}, billing.Credits{})
	if err != nil {
		t.Fatal(err)
	}
	token, err := offices[0].Accounts.CreateToken(t.Context(), opened.Account, "", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range offices {
		if _, err := o.Accounts.Authenticate(t.Context(), token); err != nil {
			t.Errorf("admin %d: %v", i, err)
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A command that needs no data directory creates none.
func TestAdminOnASharedDatabaseLeavesNoFiles(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.DatabaseURL = storetest.Postgres(t).URL
	c.DataDir = filepath.Join(t.TempDir(), "data")
	c.SessionSecret = oldSecret
	o, err := node.OpenAdmin(t.Context(), c, node.AdminOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if _, err := os.Stat(c.DataDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data directory: got %v, want none", err)
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	port := regexp.MustCompile(`:\d+$`)
	for _, c := range []struct{ listen, public, want string }{
		{"127.0.0.1:0", "", "http://127.0.0.1:PORT"},
		{"0.0.0.0:0", "", "http://127.0.0.1:PORT"},
		{":0", "", "http://127.0.0.1:PORT"},
		{"127.0.0.1:0", "https://atelier.example", "https://atelier.example"},
		{"127.0.0.1:0", "https://atelier.example/base/", "https://atelier.example/base"},
	} {
		s := ateliertest.Start(t, storetest.SQLite(t), func(o *config.Config) { o.Listen, o.PublicURL = c.listen, c.public })
		if got := port.ReplaceAllString(s.URL, ":PORT"); got != c.want {
			t.Errorf("listen %q, public_url %q: got %s, want %s", c.listen, c.public, s.URL, c.want)
		}
	}
}
