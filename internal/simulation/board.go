package simulation

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/cryptotest"
	"testing/synctest"

	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// board is the database on which games are played, one after the other.
type board struct {
	t       *testing.T
	path    string
	seats   [mostNodes]*seat
	restore func(*store.DB)
}

// mostNodes is how many nodes a game has at most, with the one that works on chats.
const (
	mostNodes = 3
	chatSeat  = mostNodes - 1
)

// seat is the connection of one node to the database, and how the database fails it.
type seat struct {
	board *board
	db    *store.DB
	fault *fault
}

// Play plays one game.
func Play(t *testing.T, s Settings) (out Outcome) {
	t.Helper()
	PlayAll(t, []Settings{s}, func(_ Settings, o Outcome) bool { out = o; return true })
	return out
}

// PlayAll plays games one after the other in a bubble of synctest, on one database, which costs half as much
// as one for each. It ends when each returns false. A game that damages the database has to be the last.
func PlayAll(t *testing.T, list []Settings, each func(Settings, Outcome) bool) {
	t.Helper()
	dir, err := os.MkdirTemp(memoryDir(), "atelier-simulation")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := storetest.Furnish(t, filepath.Join(dir, "atelier.db"))
	synctest.Test(t, func(t *testing.T) {
		b := &board{t: t, path: path}
		for i := range b.seats {
			b.seats[i] = &seat{board: b, fault: &fault{muted: true}}
			if i != chatSeat {
				b.seats[i].open()
			}
			defer func() { b.seats[i].close() }()
		}
		b.restore = storetest.Remember(t, b.seats[0].db)
		for _, s := range list {
			if !each(s, b.play(s)) {
				return
			}
		}
	})
}

// memoryDir is a directory in memory, where there is one: the files of a game end with it.
func memoryDir() string {
	const shared = "/dev/shm"
	if probe, err := os.MkdirTemp(shared, "atelier-probe"); err == nil {
		os.Remove(probe)
		return shared
	}
	return ""
}

// play plays a game on a database as it was at first.
func (b *board) play(s Settings) (out Outcome) {
	cryptotest.SetGlobalRandom(b.t, s.Seed) // of ids, by which rows are ordered
	for _, seat := range b.seats {
		*seat.fault = fault{muted: true}
	}
	b.restore(b.seats[0].db)
	w := newWorld(b.t, s, b)
	defer w.close()
	defer func() {
		if p := recover(); p != nil && p != errOver {
			panic(p)
		}
		out = w.outcome()
	}()
	w.play()
	return out
}

// take gives a seat to a node of a game.
func (s *seat) take(w *world) {
	if s.db == nil {
		s.open()
	}
	*s.fault = fault{world: w}
}

func (s *seat) open() {
	before := s.fault.muted
	s.fault.muted = true
	db, err := store.Open(context.Background(), store.Options{Path: s.board.path, NoSync: true, Fail: s.fault.meet})
	if err != nil {
		s.board.t.Fatal(err)
	}
	s.db, s.fault.muted = db, before
}

func (s *seat) close() {
	if s.db == nil {
		return
	}
	if err := s.db.Close(); err != nil {
		s.board.t.Errorf("close the database: %v", err)
	}
}
