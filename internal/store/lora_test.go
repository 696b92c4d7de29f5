package store_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

var loraStatuses = []atelier.LoraStatus{
	atelier.LoraQueued, atelier.LoraValidating, atelier.LoraReview, atelier.LoraReady, atelier.LoraRejected, atelier.LoraRevoked,
}

// loraMoves is the state table of personal LoRAs, written a second time.
var loraMoves = map[atelier.LoraStatus][]atelier.LoraStatus{
	"":                     {atelier.LoraQueued, atelier.LoraValidating},
	atelier.LoraQueued:     {atelier.LoraValidating, atelier.LoraRejected, atelier.LoraReview, atelier.LoraRevoked},
	atelier.LoraValidating: {atelier.LoraQueued, atelier.LoraReady, atelier.LoraRejected, atelier.LoraRevoked},
	atelier.LoraReady:      {atelier.LoraRejected, atelier.LoraReview, atelier.LoraRevoked},
	atelier.LoraReview:     {atelier.LoraReady, atelier.LoraQueued, atelier.LoraRevoked},
	atelier.LoraRejected:   {atelier.LoraQueued, atelier.LoraRevoked},
}

// The store refuses every move that the table does not have, whatever the row is.
func TestLoraMoves(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.SQLite(t))
	for _, from := range append([]atelier.LoraStatus{""}, loraStatuses...) {
		for _, to := range loraStatuses {
			allowed := slices.Contains(loraMoves[from], to)
			if got := from.May(to); got != allowed {
				t.Errorf("from %q to %q: %v, want %v", from, to, got, allowed)
			}
			err := db.Write(t.Context(), func(tx *store.Tx) error {
				return tx.UpdateLora(&store.StoredLora{PersonalLora: atelier.PersonalLora{ID: "personal-1", Status: to}}, from)
			})
			if written := errors.Is(err, store.ErrNotFound); written != (allowed || from == to) {
				t.Errorf("from %q to %q: %v", from, to, err)
			}
		}
	}
}

// A change of an older reading changes nothing.
func TestLoraRevisions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		at := time.UnixMilli(1_700_000_000_000).UTC()
		l := store.StoredLora{Pin: []byte("{}"), JobID: "job", Tries: 1, Rules: 2, Held: true, Revision: 1, PersonalLora: atelier.PersonalLora{
			ID: "personal-1", Wallet: "0xann", Name: "Fox", ModelID: "m", Family: "f", Link: "l", Source: "s", Status: atelier.LoraQueued, Reason: "r", Failure: "x",
			Requirements: []string{"one"}, Provider: "p", Version: "v", Bytes: 7, SHA256: "d", Key: "k", Progress: 0.5, CreatedAt: at, UpdatedAt: at,
		}}
		write := func(f func(tx *store.Tx) error) error {
			t.Helper()
			return db.Write(t.Context(), f)
		}
		read := func() (got store.StoredLora) {
			t.Helper()
			if err := db.Read(t.Context(), func(tx *store.Tx) (err error) { got, err = tx.Lora("0xann", l.ID); return err }); err != nil {
				t.Fatal(err)
			}
			return got
		}
		if err := write(func(tx *store.Tx) error {
			if err := tx.InsertAccount(atelier.Account{Wallet: "0xann", Username: "ann", CreatedAt: at}); err != nil {
				return err
			}
			return tx.InsertLora(l)
		}); err != nil {
			t.Fatal(err)
		}
		first := read()
		if !reflect.DeepEqual(first, l) {
			t.Fatalf("read\n %+v, want\n %+v", first, l)
		}
		newer := first
		newer.Status, newer.Name = atelier.LoraValidating, "Hen"
		if err := write(func(tx *store.Tx) error { row := newer; return tx.UpdateLora(&row, atelier.LoraQueued) }); err != nil {
			t.Fatal(err)
		}
		first.Status = atelier.LoraRejected
		if err := write(func(tx *store.Tx) error { row := first; return tx.UpdateLora(&row, atelier.LoraQueued) }); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a change of the first reading: %v", err)
		}
		if err := write(func(tx *store.Tx) error { return tx.DeleteLora(first) }); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a removal by the first reading: %v", err)
		}
		if got := read(); got.Status != atelier.LoraValidating || got.Name != "Hen" || got.Revision != 2 {
			t.Errorf("it is %+v", got)
		}
	})
}

// The file of a personal LoRA is media that the database names.
func TestHasMediaOfLoras(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		has := func() (some bool) {
			t.Helper()
			if err := db.Read(t.Context(), func(tx *store.Tx) (err error) { some, err = tx.HasMedia(); return err }); err != nil {
				t.Fatal(err)
			}
			return some
		}
		l := store.StoredLora{Pin: []byte("{}"), PersonalLora: atelier.PersonalLora{ID: "personal-1", Wallet: "0xann", Status: atelier.LoraQueued, CreatedAt: time.UnixMilli(1)}}
		write := func(f func(tx *store.Tx) error) {
			t.Helper()
			if err := db.Write(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}
		write(func(tx *store.Tx) error {
			if err := tx.InsertAccount(atelier.Account{Wallet: "0xann", Username: "ann", CreatedAt: l.CreatedAt}); err != nil {
				return err
			}
			return tx.InsertLora(l)
		})
		if has() {
			t.Error("an entry without an object is media")
		}
		l.Revision, l.Status, l.Key = 1, atelier.LoraValidating, "loras/fox"
		write(func(tx *store.Tx) error { row := l; return tx.UpdateLora(&row, atelier.LoraQueued) })
		if !has() {
			t.Error("the object of an entry is not media")
		}
	})
}
