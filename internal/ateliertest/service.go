package ateliertest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Service is a whole service on a loopback port.
type Service struct {
	URL   string
	Node  *node.Node
	Clock *enginetest.Clock // moves when it is read, and when a test moves it
	onS3  bool              // clients go to an S3 for the files
	log   *logbook
	stop  func()
}

// clocks are those of the services, by the address of the database: services on one
// have the same time, and no lease or limit passes because the machine is busy.
var clocks sync.Map

// ClockOf is the clock of the services on a database.
func ClockOf(o store.Options) *enginetest.Clock {
	c := &enginetest.Clock{}
	c.StepFrom(enginetest.Start())
	if o.URL+o.Path == "" { // a new database
		return c
	}
	known, _ := clocks.LoadOrStore(o.URL+o.Path, c)
	return known.(*enginetest.Clock)
}

// Stop ends the service before the test does: it drains, as after SIGTERM, and
// returns when everything is closed. Another can then be started on its
// database.
func (s *Service) Stop() { s.stop() }

// Each runs a test on every database there is.
func Each(t *testing.T, run func(t *testing.T, o store.Options)) { storetest.Each(t, run) }

// Start boots a service on the given database. It ends with the test. The
// functions may change the configuration first.
func Start(t testing.TB, o store.Options, set ...func(*config.Config)) *Service {
	t.Helper()
	return StartNode(t, o, node.Options{}, set...)
}

// StartNode is Start with options of the node; those that are not given are the
// test's.
func StartNode(t testing.TB, o store.Options, given node.Options, set ...func(*config.Config)) *Service {
	t.Helper()
	c := config.Default()
	c.Listen = "127.0.0.1:0"
	c.DataDir = t.TempDir()
	if o.Path != "" {
		c.DataDir = filepath.Dir(o.Path)
	}
	c.DatabaseURL = o.URL
	c.Workers.Embedded = false  // tests that want it say so
	c.Limits.FreeSpaceBytes = 1 // tests do not depend on how full a disk is
	for _, f := range set {
		f(c)
	}
	s := &Service{Clock: ClockOf(o), onS3: c.StorageURL != "", log: newLogbook(t)}
	t.Cleanup(func() { clocks.Delete(o.URL + o.Path) }) // a database of PostgreSQL is used again, by a test with its own time
	given.Log, given.Now, given.Version = slog.New(slog.NewTextHandler(s.log, nil)), s.Clock.Now, "test"
	given.NoSync = true
	n, err := node.Open(t.Context(), c, given)
	if err != nil {
		t.Fatalf("start the service: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- n.Serve(ctx) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		if err := n.Close(); err != nil {
			t.Errorf("close the service: %v", err)
		}
	})
	t.Cleanup(s.stop)
	s.Node, s.URL = n, n.URL()
	return s
}

// Account opens an account.
func (s *Service) Account(t testing.TB, a account.NewAccount, c billing.Credits) account.Opened {
	t.Helper()
	opened, err := s.Node.Open(t.Context(), a, c)
	if err != nil {
		t.Fatalf("open an account: %v", err)
	}
	return opened
}

// ServiceAccount is the account of the service's own workers with another key.
func (s *Service) ServiceAccount(ctx context.Context) (account.Opened, error) {
	a, err := s.Node.EmbeddedAccount(ctx)
	if err != nil {
		return account.Opened{}, err
	}
	key, err := s.Node.Accounts.CreateKey(ctx, a, "")
	return account.Opened{Account: a, Key: key}, err
}

// Submit queues one job that belongs to no workflow.
func (s *Service) Submit(ctx context.Context, q fleet.Submission) (j atelier.Job, err error) {
	err = s.Node.DB.Write(ctx, func(tx *store.Tx) error {
		j, err = s.Node.Fleet.Submit(tx, q)
		return err
	})
	return j, err
}

// Cancel ends a job.
func (s *Service) Cancel(ctx context.Context, id atelier.JobID) (inFlight bool, err error) {
	err = s.Node.DB.Write(ctx, func(tx *store.Tx) error {
		inFlight, err = s.Node.Fleet.Cancel(tx, id)
		return err
	})
	return inFlight, err
}

// Token makes a session token.
func (s *Service) Token(t testing.TB, a atelier.Account, ttl time.Duration) string {
	t.Helper()
	token, err := s.Node.Accounts.CreateToken(t.Context(), a, "", ttl)
	if err != nil {
		t.Fatalf("create a session token: %v", err)
	}
	return token
}

// Get reads a path with a credential and returns the status and the body.
func (s *Service) Get(t testing.TB, path, credential string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if credential != "" {
		req.Header.Set("Authorization", "Bearer "+credential)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return resp.StatusCode, string(body)
}
