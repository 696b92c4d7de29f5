package library

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// An account that wants much neither delays nor displaces one that wants little.
func TestQueueIsFair(t *testing.T) {
	t.Parallel()
	q := newQueue()
	add := func(w atelier.Wallet, id string) {
		q.add(store.LibraryItem{Artifact: atelier.Artifact{ID: id}, Wallet: w})
	}
	for i := range 2 * mostWaiting {
		add("0xrob", fmt.Sprint("rob ", i))
	}
	add("0xrob", "rob 0") // it waits already
	add("0xann", "ann 0")
	add("0xann", "ann 1")
	if q.turns.Len() != mostWaiting {
		t.Errorf("%d wait, want %d", q.turns.Len(), mostWaiting)
	}
	next := func() (string, func()) {
		item, done, ok := q.take()
		if !ok {
			return "nothing", func() {}
		}
		return item.ID, done
	}
	first, firstDone := next()
	second, secondDone := next()
	third, _ := next() // one file of each account is read at a time
	if got := first + ", " + second + ", " + third; got != "rob 0, ann 0, nothing" {
		t.Errorf("got %s", got)
	}
	secondDone()
	if got, done := next(); got != "ann 1" {
		t.Errorf("got %s", got)
	} else {
		done()
	}
	firstDone()
	if got, _ := next(); got != "rob 1" || q.turns.Accounts() != 1 {
		t.Errorf("got %s with %d accounts", got, q.turns.Accounts())
	}
}

// In a queue full of accounts that want one file each, another account waits for its turn: it
// displaces none of them, and leaves nothing behind.
func TestQueueOfManyAccounts(t *testing.T) {
	t.Parallel()
	q := newQueue()
	for i := range mostWaiting + 10 {
		q.add(store.LibraryItem{Artifact: atelier.Artifact{ID: fmt.Sprint("file ", i)}, Wallet: atelier.Wallet(fmt.Sprint("0x", i))})
	}
	if q.turns.Accounts() != mostWaiting {
		t.Errorf("there are %d accounts, want %d", q.turns.Accounts(), mostWaiting)
	}
	if item, _, _ := q.take(); item.ID != "file 0" {
		t.Errorf("got %s first, want that of the account that waits longest", item.ID)
	}
}

// seeks counts the requests that an object on S3 would take.
type seeks struct {
	*bytes.Reader
	n int
}

func (s *seeks) Seek(offset int64, whence int) (int64, error) {
	s.n++
	return s.Reader.Seek(offset, whence)
}

func TestBlockReader(t *testing.T) {
	t.Parallel()
	content := make([]byte, 5<<20)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(content)
	file := &seeks{Reader: bytes.NewReader(content)}
	r := &blockReader{file: file}
	dice := rand.New(random)
	for range 500 {
		off, n := dice.Int64N(int64(len(content))+100), dice.IntN(3*blockSize)
		got := make([]byte, n)
		k, err := r.ReadAt(got, off)
		want := content[min(off, int64(len(content))):min(off+int64(n), int64(len(content)))]
		if !bytes.Equal(got[:k], want) || (err == nil) != (k == n) || err != nil && err != io.EOF {
			t.Fatalf("%d bytes at %d: got %d and %v, want %d", n, off, k, err, len(want))
		}
	}
	// Small steps forward take one request.
	file = &seeks{Reader: bytes.NewReader(content)}
	r = &blockReader{file: file}
	for off := int64(0); off < int64(len(content)); off += 100_000 {
		if _, err := r.ReadAt(make([]byte, 16), off); err != nil {
			t.Fatal(err)
		}
	}
	if file.n > 0 {
		t.Errorf("%d seeks", file.n)
	}
}
