package library_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/library"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Requests at the same moment do not exceed a limit together, nor make two boards of one name.
func TestBoardLimit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixtureOn(t, o)
		for n := range library.MostBoards - 3 {
			if _, err := f.lib.CreateBoard(t.Context(), f.ann.Wallet, fmt.Sprint("Board ", n)); err != nil {
				t.Fatal(err)
			}
		}
		var running sync.WaitGroup
		refused := make(chan error, 100)
		for n := range 8 {
			for range 2 {
				running.Go(func() {
					if _, err := f.lib.CreateBoard(t.Context(), f.ann.Wallet, fmt.Sprint("Another ", n)); err != nil {
						refused <- err
					}
				})
			}
		}
		running.Wait()
		close(refused)
		for err := range refused {
			if !atelier.HasCode(err, atelier.CodeWrongState) && !atelier.HasCode(err, atelier.CodeNameTaken) {
				t.Error(err)
			}
		}
		all, err := f.lib.Boards(t.Context(), f.ann.Wallet)
		names := map[string]bool{}
		for _, b := range all.Boards {
			names[b.Name] = true
		}
		if err != nil || len(all.Boards) != library.MostBoards || len(names) != len(all.Boards) {
			t.Errorf("got %d boards with %d names, %v", len(all.Boards), len(names), err)
		}
	})
}

// An account has a limited number of different tags, and those that it has can still be used.
func TestTagLimit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tag := func(id string, tags ...string) error {
		_, err := f.lib.Mark(t.Context(), f.ann.Wallet, library.Item{ID: id}, library.MarkChange{Tags: &tags})
		return err
	}
	const items = library.MostTags / library.MostTagsPerItem
	for n := range items + 1 {
		f.add(fmt.Sprint("a", n), "image", "image/png", nil)
	}
	for n := range items {
		var tags []string
		for k := range library.MostTagsPerItem {
			tags = append(tags, fmt.Sprint("tag ", n, " ", k))
		}
		if err := tag(fmt.Sprint("a", n), tags...); err != nil {
			t.Fatal(err)
		}
	}
	last := fmt.Sprint("a", items)
	if err := tag(last, "one more"); !atelier.HasCode(err, atelier.CodeWrongState) {
		t.Errorf("got %v, want that there are too many tags", err)
	}
	if err := tag(last, "tag 0 0"); err != nil {
		t.Error(err)
	}
	if err := tag("a1"); err != nil { // frees twenty
		t.Error(err)
	}
	if err := tag(last, "one more"); err != nil {
		t.Error(err)
	}
}

// An artifact that is deleted, and a board that is, while they are marked leave no mark behind.
func TestMarksAndDeletionsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixtureOn(t, o)
		yes := true
		var running sync.WaitGroup
		for n := range 10 {
			id := fmt.Sprint("a", n)
			f.add(id, "image", "image/png", nil)
			board, err := f.lib.CreateBoard(t.Context(), f.ann.Wallet, id)
			if err != nil {
				t.Fatal(err)
			}
			running.Go(func() {
				_, err := f.lib.MarkSeveral(t.Context(), f.ann.Wallet, []library.Item{{ID: id}}, library.MarkChange{Favourite: &yes, AddTags: []string{"snow", id}, AddBoards: []string{board.BoardID}})
				if err != nil && !atelier.HasCode(err, atelier.CodeNotFound) {
					t.Error(err)
				}
			})
			running.Go(func() {
				if err := f.lib.Delete(t.Context(), f.ann.Wallet, id); err != nil {
					t.Error(err)
				}
			})
			running.Go(func() {
				if err := f.lib.DeleteBoard(t.Context(), f.ann.Wallet, board.BoardID); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		boards, err := f.lib.Boards(t.Context(), f.ann.Wallet)
		if err != nil || boards.Favourites != 0 || len(boards.Boards) != 0 {
			t.Errorf("got %+v, %v", boards, err)
		}
		if tags, err := f.lib.Tags(t.Context(), f.ann.Wallet, "", 100); err != nil || len(tags) != 0 {
			t.Errorf("got %v, %v", tags, err)
		}
		err = f.DB.Read(t.Context(), func(tx *store.Tx) error {
			for n := range 10 {
				if marks, err := tx.MarksOf(f.ann.Wallet, fmt.Sprint("a", n)); err != nil || len(marks) > 0 {
					return fmt.Errorf("got %v, %w", marks, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
