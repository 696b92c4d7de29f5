package node_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
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
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/transfer"
)

// While an account starts workflows, the installation is backed up and its move to another
// database is prepared. After the servers have stopped, everything that was accepted is on
// the other database: workflows with their status and results, the balance, the API key. The
// backup is restored, and its books agree.
func TestMoveUnderLoad(t *testing.T) {
	t.Parallel()
	type make = func(testing.TB) store.Options
	for name, pair := range map[string][2]make{
		"SQLite": {storetest.SQLite, storetest.SQLite}, "to PostgreSQL": {storetest.SQLite, storetest.Postgres}, "from PostgreSQL": {storetest.Postgres, storetest.SQLite},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var from *config.Config
			s := ateliertest.Start(t, pair[0](t), func(c *config.Config) {
				c.Limits.ActiveWorkflows, c.Limits.WorkflowStartsPerMinute = 1000, 1<<20
				from = c
			})
			to, restored := empty(t, pair[1](t)), empty(t, pair[1](t))
			ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1 << 40})
			worker := s.Worker(t, s.Account(t, account.NewAccount{Worker: true}, billing.Credits{}))
			load := startLoad(t, s, ann.Key)
			finish := func(jobs int) {
				for range jobs {
					worker.Complete(t, worker.Claim(t), 1, nil)
				}
			}
			finish(3)
			dir := filepath.Join(t.TempDir(), "backup")
			backup, _, err := node.Backup(t.Context(), from, dir, "test", nil)
			if err != nil || backup.Objects < 3 {
				t.Fatalf("%+v, %v", backup, err)
			}
			if _, err := node.Restore(t.Context(), restored, dir, node.MoveOptions{}); err != nil {
				t.Errorf("restore: %v", err)
			}
			if from.DatabaseURL == "" { // the leases of nodes on PostgreSQL are by the clock of the test: see TestCheckUnused
				if _, err := node.Move(t.Context(), from, to, node.MoveOptions{}); !errors.Is(err, transfer.ErrInUse) {
					t.Errorf("the database of a server that runs was copied: %v", err)
				}
			}
			finish(3)
			if _, err := node.Move(t.Context(), from, to, node.MoveOptions{Prepare: true}); err != nil {
				t.Fatal(err)
			}
			finish(3)
			load.end()
			before := load.results(t, s)
			s.Stop()
			moved, err := node.Move(t.Context(), from, to, node.MoveOptions{})
			if err != nil || moved.Rows <= backup.Rows || moved.Copied < 3 || moved.Copied == moved.Objects {
				t.Fatalf("moved %d rows and %+v, %v", moved.Rows, moved.ObjectSum, err)
			}
			there := ateliertest.Start(t, store.Options{URL: to.DatabaseURL, Path: to.DatabaseFile()}, func(c *config.Config) { c.DataDir = to.DataDir })
			if after := load.results(t, there); !maps.Equal(after, before) {
				t.Errorf("after the move there is\n%v\nand before it was\n%v", after, before)
			}
		})
	}
}

// empty is the configuration of an installation that does not exist yet.
func empty(t *testing.T, o store.Options) *config.Config {
	c := config.Default()
	c.DatabaseURL, c.DataDir = o.URL, t.TempDir()
	return c
}

// load starts workflows, one after the other.
type load struct {
	key     string
	stop    context.CancelFunc
	done    sync.WaitGroup
	started []string
}

func startLoad(t *testing.T, s *ateliertest.Service, key string) *load {
	ctx, cancel := context.WithCancel(t.Context())
	l := &load{key: key, stop: cancel}
	t.Cleanup(l.end)
	c := client.New(s.URL, key)
	l.done.Go(func() {
		for ctx.Err() == nil && len(l.started) < 500 {
			id := startPicture(t, c)
			if id == "" {
				return
			}
			l.started = append(l.started, id)
		}
	})
	return l
}

// startPicture starts a workflow that makes a picture, and returns its id.
func startPicture(t *testing.T, c *client.Client) string {
	w, err := c.StartWorkflow(t.Context(), client.Start{Steps: []atelier.StepInput{
		{ID: "fox", ToolName: "generate_image", Arguments: map[string]any{"prompt": "a fox"}},
	}})
	if err != nil {
		t.Errorf("start a workflow: %v", err)
	}
	return w.WorkflowID
}

func (l *load) end() {
	l.stop()
	l.done.Wait()
}

// results are the status and the files of all workflows, and the balance of their account.
func (l *load) results(t *testing.T, s *ateliertest.Service) map[string]string {
	t.Helper()
	all := map[string]string{}
	c := client.New(s.URL, l.key)
	for _, id := range l.started {
		w, err := c.Workflow(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		all[id] = string(w.Status)
		for _, a := range w.Artifacts {
			all[id] += " " + download(t, a.URL)
		}
	}
	status, balance := s.Get(t, "/v4/account/balance", l.key)
	if status != http.StatusOK {
		t.Fatalf("the balance: %d %s", status, balance)
	}
	all["balance"] = balance
	return all
}

func download(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %d, %v", url, resp.StatusCode, err)
	}
	return string(content)
}

// A backup is neither in the data directory nor restored into itself, and one without its media
// or with another secret is refused.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	var from *config.Config
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) { from = c })
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1 << 40})
	worker := s.Worker(t, s.Account(t, account.NewAccount{Worker: true}, billing.Credits{}))
	startPicture(t, client.New(s.URL, ann.Key))
	worker.Complete(t, worker.Claim(t), 1, nil)
	refused := func(what string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	for _, dir := range []string{from.DataDir, filepath.Join(from.DataDir, "sub"), filepath.Join(from.MediaDir(), "sub")} {
		_, _, err := node.Backup(t.Context(), from, dir, "test", nil)
		refused("a backup in the data directory", err, "choose a directory outside of it")
	}
	dir := filepath.Join(t.TempDir(), "backup")
	if _, _, err := node.Backup(t.Context(), from, dir, "test", nil); err != nil {
		t.Fatal(err)
	}
	itself := config.Default()
	itself.DataDir = dir
	_, err := node.Restore(t.Context(), itself, dir, node.MoveOptions{})
	refused("a restore into the backup", err, "choose a directory outside of it")
	other := empty(t, store.Options{})
	other.SessionSecret = "another secret of the tests"
	_, err = node.Restore(t.Context(), other, dir, node.MoveOptions{})
	refused("a restore with another secret", err, "session_secret: must be that of the source")
	if err := os.RemoveAll(filepath.Join(dir, "media", "objects", "results+")); err != nil {
		t.Fatal(err)
	}
	to := empty(t, store.Options{})
	_, err = node.Restore(t.Context(), to, dir, node.MoveOptions{})
	refused("a backup without its media", err, "lacks objects that its rows name")
	if _, err := node.Restore(t.Context(), to, dir, node.MoveOptions{Incomplete: true}); err != nil {
		t.Error(err)
	}
}
