package node_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/blob/blobtest"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/transfer"
)

// While an account starts workflows, the installation is backed up and its move to another
// database and storage is prepared. After the servers have stopped, everything that was accepted is
// there: workflows with their status and results, the balance, the API key. Moved back, it has the
// same rows and bytes. The backup is restored, and its books agree.
//
// ATELIER_TEST_MOVE_WORKFLOWS is how many workflows there are before all this begins, of which a
// fifth have a result.
func TestMoveUnderLoad(t *testing.T) {
	t.Parallel()
	type make = func(testing.TB) store.Options
	for name, pair := range map[string][2]make{
		"SQLite": {storetest.SQLite, storetest.SQLite}, "to PostgreSQL": {storetest.SQLite, storetest.Postgres}, "from PostgreSQL": {storetest.Postgres, storetest.SQLite},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			moveUnderLoad(t, pair[0](t), pair[1], name == "to PostgreSQL")
		})
	}
}

func moveUnderLoad(t *testing.T, source store.Options, target func(testing.TB) store.Options, toS3 bool) {
	workflows := 0
	if text := os.Getenv("ATELIER_TEST_MOVE_WORKFLOWS"); text != "" {
		var err error
		if workflows, err = strconv.Atoi(text); err != nil {
			t.Fatalf("ATELIER_TEST_MOVE_WORKFLOWS: %v", err)
		}
	}
	var from *config.Config
	s := ateliertest.Start(t, source, func(c *config.Config) {
		c.Limits.ActiveWorkflows, c.Limits.ActiveWorkflowsInAll = 1<<20, 1<<20
		c.Limits.WorkflowStartsPerMinute, c.Limits.AccountReadsPerMinute = 1<<30, 1<<30
		from = c
	})
	to, restored, back := empty(t, target(t)), empty(t, target(t)), empty(t, store.Options{})
	if toS3 && blobtest.HasS3() {
		to.StorageURL = blobtest.S3URL(t).String()
	}
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1 << 40})
	owner := s.Account(t, account.NewAccount{Worker: true}, billing.Credits{})
	load := startLoad(t, s, ann.Key, workflows)
	finish := func(jobs int) {
		worker := s.Worker(t, owner) // one that was silent during a long copy is no longer connected
		for range jobs {
			worker.Complete(t, worker.Claim(t), 1, nil)
		}
	}
	began := time.Now()
	step := func(what string, facts ...any) {
		if workflows > 0 {
			t.Log(append([]any{what, "in", time.Since(began).Round(time.Millisecond)}, facts...)...)
		}
		began = time.Now()
	}
	finish(3 + workflows/5)
	<-load.ready
	step("made")
	dir := filepath.Join(t.TempDir(), "backup")
	backup, sum, err := node.Backup(t.Context(), from, dir, "test", nil)
	if err != nil || backup.Objects < int64(3+workflows/5) {
		t.Fatalf("%+v, %v", sum, err)
	}
	step("backed up", backup.Rows, "rows", sum)
	if _, err := node.Restore(t.Context(), restored, dir, node.MoveOptions{}); err != nil {
		t.Errorf("restore: %v", err)
	}
	step("restored")
	audit(t, restored)
	if from.DatabaseURL == "" { // the leases of nodes on PostgreSQL are by the clock of the test: see TestCheckUnused
		if _, err := node.Move(t.Context(), from, to, node.MoveOptions{}); !errors.Is(err, transfer.ErrInUse) {
			t.Errorf("the database of a server that runs was copied: %v", err)
		}
	}
	finish(3)
	began = time.Now()
	prepared, err := node.Move(t.Context(), from, to, node.MoveOptions{Prepare: true})
	if err != nil {
		t.Fatal(err)
	}
	step("prepared", prepared.ObjectSum)
	finish(3)
	load.end()
	before := load.results(t, s)
	s.Stop()
	began = time.Now()
	moved, err := node.Move(t.Context(), from, to, node.MoveOptions{})
	if err != nil || moved.Rows <= backup.Rows || moved.Copied < 3 || moved.Copied == moved.Objects {
		t.Fatalf("moved %d rows and %+v, %v", moved.Rows, moved.ObjectSum, err)
	}
	step("moved", len(load.started), "workflows", moved.Rows, "rows", moved.ObjectSum)
	if _, err := node.Move(t.Context(), to, back, node.MoveOptions{}); err != nil {
		t.Fatalf("move back: %v", err)
	}
	step("moved back")
	if there, here := inventory(t, back), inventory(t, from); !maps.Equal(there, here) {
		t.Errorf("what was moved there and back has %d tables and objects, and is not the same as before, %d", len(there), len(here))
	}
	audit(t, back)
	there := ateliertest.Start(t, store.Options{URL: to.DatabaseURL, Path: to.DatabaseFile()}, func(c *config.Config) {
		c.DataDir, c.StorageURL, c.Limits.AccountReadsPerMinute = to.DataDir, to.StorageURL, 1<<30
	})
	if after := load.results(t, there); !maps.Equal(after, before) {
		t.Errorf("after the move there are %d results that are not the same as before, %d", len(after), len(before))
	}
}

// inventory has the digests of all tables and objects of an installation.
func inventory(t *testing.T, c *config.Config) map[string]string {
	t.Helper()
	all := map[string]string{}
	db, err := store.OpenUnmigrated(t.Context(), store.Options{URL: c.DatabaseURL, Path: c.DatabaseFile()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tables, err := db.SumRows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		all["table "+table.Name] = fmt.Sprint(table)
	}
	disk, err := blob.OpenDisk(c.MediaDir())
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	for entry, err := range disk.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		content, object, err := disk.Open(t.Context(), entry.Key)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.New()
		if _, err := io.Copy(sum, content); err != nil {
			t.Fatal(err)
		}
		content.Close()
		if entry.Key == media.InstallationKey { // its type does not matter
			object.ContentType = ""
		}
		all[entry.Key] = fmt.Sprintf("%s %x", object.ContentType, sum.Sum(nil))
	}
	return all
}

// audit does what atelier ledger verify does.
func audit(t *testing.T, c *config.Config) {
	t.Helper()
	admin, err := node.OpenAdmin(t.Context(), c, node.AdminOptions{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if n, differences, err := admin.Billing.Audit(t.Context()); err != nil || len(differences) > 0 || n.Purses == 0 {
		t.Errorf("%+v, %v, %v", n, differences, err)
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
	ready   chan struct{} // closed when there are as many as a test wants at first
	started []string
}

// startLoad begins to start workflows. After the first ones it continues until it is ended, but not for
// ever on a machine that is slow with the rest.
func startLoad(t *testing.T, s *ateliertest.Service, key string, first int) *load {
	ctx, cancel := context.WithCancel(t.Context())
	l := &load{key: key, stop: cancel, ready: make(chan struct{})}
	t.Cleanup(l.end)
	c := client.New(s.URL, key)
	l.done.Go(func() {
		for ctx.Err() == nil && len(l.started) < 2*first+500 {
			if len(l.started) == first {
				close(l.ready)
			}
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
