//go:build unix

package database_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/database/databasetest"
)

// standby is a standby of the PostgreSQL of the tests, of the same owner, in a separate directory.
type standby struct {
	t     *testing.T
	dir   string
	owner *syscall.SysProcAttr
	URL   string
}

// newStandby copies the server of a database, which has to be one of this machine, and starts the copy as its standby.
func newStandby(t *testing.T, o database.Options) *standby {
	t.Helper()
	u, err := url.Parse(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	host := u.Query().Get("host")
	if _, err := exec.LookPath("pg_basebackup"); err != nil || !filepath.IsAbs(host) {
		t.Skip("needs pg_basebackup and a PostgreSQL behind a socket of this machine, as scripts/with-postgres has them")
	}
	info, err := os.Stat(filepath.Join(host, "data"))
	if err != nil {
		t.Skip("needs the directory of PostgreSQL beside its socket")
	}
	owner := info.Sys().(*syscall.Stat_t)
	dir, err := os.MkdirTemp("/tmp", "atelier-standby-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chown(dir, int(owner.Uid), int(owner.Gid)); err != nil {
		t.Fatal(err)
	}
	s := &standby{t: t, dir: dir, owner: &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}}
	if os.Getuid() == int(owner.Uid) {
		s.owner = nil
	}
	query := u.Query()
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	s.URL = u.String()
	s.run("pg_basebackup", "-h", host, "-U", u.User.Username(), "-D", filepath.Join(dir, "data"), "-R", "-X", "stream", "-c", "fast", "--no-sync")
	s.start()
	return s
}

func (s *standby) run(program string, args ...string) {
	s.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.SysProcAttr = s.dir, s.owner
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v: %s", program, err, out)
	}
}

func (s *standby) start() {
	s.t.Helper()
	s.run("pg_ctl", "start", "-w", "-D", filepath.Join(s.dir, "data"), "-l", filepath.Join(s.dir, "log"), "-o", "-c unix_socket_directories='"+s.dir+"'")
	s.t.Cleanup(s.stop)
}

func (s *standby) stop() {
	cmd := exec.Command("pg_ctl", "stop", "-D", filepath.Join(s.dir, "data"), "-m", "immediate")
	cmd.Dir, cmd.SysProcAttr = s.dir, s.owner
	_ = cmd.Run() // it may have stopped
}

// halt stops the processes of the standby without ending them, until the test ends.
func (s *standby) halt() {
	s.t.Helper()
	content, err := os.ReadFile(filepath.Join(s.dir, "data", "postmaster.pid"))
	if err != nil {
		s.t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	children, err := exec.Command("pgrep", "-P", first).Output()
	if err != nil {
		s.t.Skip("needs pgrep: ", err)
	}
	for _, id := range append(strings.Fields(string(children)), first) {
		pid, err := strconv.Atoi(id)
		if err != nil {
			s.t.Fatal(err)
		}
		_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended
		s.t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	}
}

// tell runs a statement on the standby.
func (s *standby) tell(sql string) {
	s.t.Helper()
	db, err := database.Open(s.t.Context(), database.Options{URL: s.URL})
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	if err := db.Read(s.t.Context(), func(tx *database.Tx) error { return execute(tx, sql) }); err != nil {
		s.t.Fatal(err)
	}
}

// where reads whether the server that answers is a standby, and whether it has a note.
func where(t *testing.T, db *database.DB, note string) (isStandby, found bool) {
	t.Helper()
	err := db.SnapshotBehind(t.Context(), func(tx *database.Tx) error {
		if err := tx.Row(`SELECT pg_is_in_recovery()`).Scan(&isStandby); err != nil {
			return err
		}
		var n int
		err := tx.Row(`SELECT COUNT(*) FROM note WHERE name = $1`, note).Scan(&n)
		found = n > 0
		return err
	})
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return isStandby, found
}

// await waits until a read is answered by the standby, or by the primary.
func await(t *testing.T, db *database.DB, note string, standby bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		isStandby, found := where(t, db, note)
		if isStandby == standby && found {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the standby answers: %t, want %t; it has the note: %t", isStandby, standby, found)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Reads that may be behind go to the replica while it is close behind, and to the primary while it is away or too far
// behind. Other reads, and changes, never go there.
func TestReplica(t *testing.T) {
	t.Parallel()
	o := databasetest.Postgres(t)
	s := newStandby(t, o)
	o.ReplicaURL, o.ReplicaLag = s.URL, 5*time.Second
	db := openNotes(t, o)
	write(t, db, insert("first"))
	await(t, db, "first", true)
	if lag, used := db.ReplicaLag(); !used || lag > o.ReplicaLag {
		t.Errorf("it is %v behind, used: %t", lag, used)
	}
	for name, read := range map[string]func(context.Context, func(*database.Tx) error) error{"Read": db.Read, "Snapshot": db.Snapshot} {
		err := read(t.Context(), func(tx *database.Tx) error {
			var isStandby bool
			err := tx.Row(`SELECT pg_is_in_recovery()`).Scan(&isStandby)
			if isStandby {
				t.Errorf("%s went to the replica", name)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	failed := errors.New("no")
	runs := 0
	err := db.SnapshotBehind(t.Context(), func(*database.Tx) error {
		runs++
		return failed
	})
	if !errors.Is(err, failed) || runs != 1 {
		t.Errorf("a read that fails by itself: %v after %d runs, want one", err, runs)
	}

	// It is paused: it answers, and what is new is not there.
	s.tell(`SELECT pg_wal_replay_pause()`)
	write(t, db, insert("second"))
	await(t, db, "second", false)
	s.tell(`SELECT pg_wal_replay_resume()`)
	await(t, db, "second", true)

	// It is away, and comes back.
	s.stop()
	await(t, db, "second", false)
	write(t, db, insert("third"))
	s.start()
	await(t, db, "third", true)
}

// A read of a standby that no longer answers, as behind a network that drops its packets, goes to the primary after a
// while, and so do the next ones at once.
func TestReplicaThatHangs(t *testing.T) {
	t.Parallel()
	o := databasetest.Postgres(t)
	s := newStandby(t, o)
	o.ReplicaURL, o.ReplicaLag = s.URL, time.Hour
	db := openNotes(t, o)
	write(t, db, insert("first"))
	await(t, db, "first", true)
	s.halt()
	for range 2 {
		if isStandby, found := where(t, db, "first"); isStandby || !found {
			t.Errorf("the standby answers: %t; the note is found: %t", isStandby, found)
		}
		if _, used := db.ReplicaLag(); used {
			t.Error("the standby is still used")
		}
	}
}

// A database that is no standby of the primary is not read, whatever it has, nor is one that is not there.
func TestWhatIsNoReplica(t *testing.T) {
	t.Parallel()
	o, other := databasetest.Postgres(t), databasetest.Postgres(t)
	stranger := openNotes(t, other)
	write(t, stranger, insert("strange"))
	for name, at := range map[string]string{"a primary": other.URL, "nothing": strings.Replace(other.URL, "host=", "host=/nowhere", 1)} {
		t.Run(name, func(t *testing.T) {
			o := o
			o.ReplicaURL, o.ReplicaLag = at, time.Hour
			db, err := database.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, used := db.ReplicaLag(); used {
				t.Error("it is used")
			}
		})
	}
}
