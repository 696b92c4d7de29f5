package node_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/operator"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// admin opens a database as a command does, beside the service.
func admin(t *testing.T, o store.Options) *node.Admin {
	t.Helper()
	c := config.Default()
	c.DatabaseURL, c.DataDir = o.URL, t.TempDir()
	if o.Path != "" {
		c.DataDir = filepath.Dir(o.Path)
	}
	opened, err := node.OpenAdmin(t.Context(), c, node.AdminOptions{Existing: true, Now: ateliertest.ClockOf(o).Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// operate does what the commands of operators do.
func operate(o *node.Admin) operator.Operator { return o.Operators.As(operator.CommandLine) }

// startFox starts a workflow that costs something and returns the status and,
// where it was started, its id.
func startFox(t *testing.T, s *ateliertest.Service, key string) (int, string) {
	t.Helper()
	body := `{"input": {"steps": [{"id": "a", "toolName": "generate_image", "arguments": {"prompt": "a fox"}}]}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/creative-agent/workflows", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	var reply struct {
		Data struct{ Workflow struct{ WorkflowID string } }
	}
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		t.Errorf("start: %v", err)
	}
	return resp.StatusCode, reply.Data.Workflow.WorkflowID
}

// underWay lists the workflows of an account that are not over.
func underWay(t *testing.T, db *store.DB, w atelier.Wallet) (ids []atelier.WorkflowID) {
	t.Helper()
	err := db.Read(t.Context(), func(tx *store.Tx) (err error) { ids, err = tx.OpenWorkflows(w, "", 100); return err })
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// However many starts are in progress when a command suspends an account, none of
// them leaves work behind, and no money stays held.
func TestNoWorkIsLeftBySuspension(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o, func(c *config.Config) {
			c.Limits.ActiveWorkflows, c.Limits.WorkflowStartsPerMinute = 1_000_000, 1_000_000
		})
		db, cli := storetest.Open(t, store.Options{URL: o.URL, Path: o.Path}), admin(t, o)
		ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 10_000 * atelier.MoneyUnit})
		begun := make(chan struct{}, 1000)
		var callers sync.WaitGroup
		for range 6 {
			callers.Go(func() {
				for {
					status, _ := startFox(t, s, ann.Key)
					if status != http.StatusCreated {
						if status != http.StatusUnauthorized {
							t.Errorf("a start was answered %d", status)
						}
						return
					}
					select {
					case begun <- struct{}{}:
					default:
					}
				}
			})
		}
		for range 10 {
			<-begun
		}
		done, err := operate(cli).Suspend(t.Context(), string(ann.Account.Wallet), "")
		if err != nil || done.AlreadySuspended { // what it has not cancelled itself, the node has that looks after it
			t.Errorf("got %+v, %v", done, err)
		}
		if left := underWay(t, db, ann.Account.Wallet); len(left) > 0 {
			t.Errorf("%d workflows are left when the command has returned", len(left))
		}
		callers.Wait()
		if left := underWay(t, db, ann.Account.Wallet); len(left) > 0 {
			t.Errorf("%d workflows were added afterwards", len(left))
		}
		err = db.Read(t.Context(), func(tx *store.Tx) error {
			counts, _, err := tx.CountWorkflows(ann.Account.Wallet, store.WorkflowFilter{}, 100_000)
			if len(counts) != 1 || counts[atelier.StatusCancelled] < 10 {
				t.Errorf("the workflows are %v, want 10 or more, all of them cancelled", counts)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		b, err := cli.Billing.Balance(t.Context(), ann.Account.Wallet)
		if err != nil || b.Spark.Net != 10_000*atelier.MoneyUnit {
			t.Errorf("the balance is %s, %v", b.Spark.Net, err)
		}
		if _, differences, err := cli.Billing.Audit(t.Context()); err != nil || len(differences) > 0 {
			t.Errorf("audit: %v %q", err, differences)
		}
	})
}

// A suspension that was interrupted before the work was cancelled is finished
// by a node; one that is reinstated before that cancels it too.
func TestInterruptedSuspensionIsFinished(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o)
		db, cli := storetest.Open(t, store.Options{URL: o.URL, Path: o.Path}), admin(t, o)
		finish := map[string]func(atelier.Account) error{
			"by a node": func(atelier.Account) error { return s.Node.FinishSuspensions(t.Context()) },
			"by a command": func(a atelier.Account) error {
				_, err := operate(cli).Suspend(t.Context(), string(a.Wallet), "")
				return err
			},
			"by reinstating": func(a atelier.Account) error {
				_, err := operate(cli).Reinstate(t.Context(), string(a.Wallet), "")
				return err
			},
		}
		for name, finish := range finish {
			ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100 * atelier.MoneyUnit})
			if status, _ := startFox(t, s, ann.Key); status != http.StatusCreated {
				t.Fatalf("got %d", status)
			}
			suspended, _, err := cli.Accounts.Suspend(t.Context(), ann.Account, nil) // as if the command was killed here
			if err != nil {
				t.Fatal(err)
			}
			if err := finish(suspended); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if left := underWay(t, db, ann.Account.Wallet); len(left) > 0 {
				t.Errorf("%s: %d workflows are left", name, len(left))
			}
			if pending, err := cli.Accounts.CancelPending(t.Context()); err != nil || len(pending) > 0 {
				t.Errorf("%s: still pending: %+v, %v", name, pending, err)
			}
		}
	})
}

func TestSuspensionIsSeenOnEveryNodeAtOnce(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	a, b := c.join(t, oldSecret), c.join(t, oldSecret)
	ann := a.Account(t, account.NewAccount{Username: "ann"}, billing.Credits{Spark: 100 * atelier.MoneyUnit})
	cli := admin(t, c.db)
	for range 5 {
		found, err := cli.Accounts.Find(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		token := a.Token(t, found, patience)
		me(t, b, token, http.StatusOK)
		status, id := startFox(t, b, ann.Key)
		if status != http.StatusCreated {
			t.Fatalf("got %d", status)
		}
		done, err := operate(cli).Suspend(t.Context(), "ann", "")
		if err != nil || done.Cancelled > 1 { // the node that looks after it may have been first
			t.Fatalf("got %+v, %v", done, err)
		}
		for _, s := range []*ateliertest.Service{a, b} {
			me(t, s, ann.Key, http.StatusUnauthorized)
			me(t, s, token, http.StatusUnauthorized)
		}
		if again, err := operate(cli).Reinstate(t.Context(), "ann", ""); !again.Reinstated || err != nil {
			t.Fatalf("reinstate: got %v, %v", again, err)
		}
		for _, s := range []*ateliertest.Service{a, b} {
			me(t, s, ann.Key, http.StatusOK)
			me(t, s, token, http.StatusUnauthorized)
			if status, body := s.Get(t, "/v1/creative-agent/workflows/"+id, ann.Key); status != http.StatusOK || !strings.Contains(body, `"status":"cancelled"`) {
				t.Errorf("got %d %s", status, body)
			}
		}
	}
}

// The account of the embedded workers cannot be suspended, and has no key in the
// database that a killed process could leave behind.
func TestTheEmbeddedAccount(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o, func(c *config.Config) { c.Workers.Embedded = true })
		ready := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100 * atelier.MoneyUnit})
		status, id := startFox(t, s, ready.Key)
		if status != http.StatusCreated {
			t.Fatalf("got %d", status)
		}
		// When it has rendered something, it has connected.
		for news, err := range client.New(s.URL, ready.Key).Follow(t.Context(), id, -1) {
			if err != nil {
				t.Fatalf("%v after %+v", err, news)
			}
		}
		found, err := s.Node.Accounts.Find(t.Context(), "atelier-embedded")
		if err != nil {
			t.Fatal(err)
		}
		keys, err := s.Node.Accounts.Keys(t.Context(), atelier.Caller{Account: found})
		if err != nil || len(keys) != 1 || !keys[0].LastUsedAt.IsZero() {
			t.Errorf("its keys are %+v, %v, want the one that has no plain text", keys, err)
		}
		if _, err := operate(s.Node.Admin).Suspend(t.Context(), "atelier-embedded", ""); err == nil || !strings.Contains(err.Error(), "cannot be suspended") {
			t.Errorf("suspend: got %v", err)
		}
	})
}
