package media

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
)

// Trash is the prefix of removed objects. The day of the removal follows, then the
// key that the object had.
const Trash = "trash/"

// trashDays is how many whole days an object stays in the trash.
const trashDays = 7

// discard moves an object to the trash.
func (e *Engine) discard(ctx context.Context, key string) error {
	err := e.blobs.Move(ctx, key, Trash+utcDay(e.opts.Now())+"/"+key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil // it was never uploaded, or another node has moved it
	}
	return err
}

// Discard moves objects that no row names any more to the trash, with the thumbnails of those that are results: several
// at a time, because each may take long in a storage that is far away. It leaves an object that a row names.
func (e *Engine) Discard(ctx context.Context, keys []string) error {
	var moving sync.WaitGroup
	errs := make([]error, min(len(keys), movesAtOnce))
	for i := range errs {
		moving.Go(func() {
			for at := i; at < len(keys) && errs[i] == nil; at += movesAtOnce {
				errs[i] = e.discardOne(ctx, keys[at])
			}
		})
	}
	moving.Wait()
	return errors.Join(errs...)
}

// movesAtOnce is how many objects are moved to the trash at once.
const movesAtOnce = 8

func (e *Engine) discardOne(ctx context.Context, key string) error {
	named, err := e.named(ctx, key)
	if err != nil || named {
		return err
	}
	all := []string{key}
	if isResult(key) {
		all = append(all, Thumbnails(key)...)
	}
	for _, one := range all {
		if err := e.discard(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// emptyTrash deletes objects that were in the trash long enough.
func (e *Engine) emptyTrash(ctx context.Context, s *Swept) error {
	for entry, err := range e.blobs.List(ctx, Trash, "") {
		if err != nil {
			return err
		}
		day, _, ok := splitTrash(entry.Key)
		if !ok {
			continue
		}
		if e.opts.Now().Sub(day) < (trashDays+1)*24*time.Hour {
			break // the keys are sorted by day
		}
		if err := e.blobs.Delete(ctx, entry.Key); err != nil {
			return err
		}
		s.Trash++
	}
	return nil
}

// splitTrash reads a key of the trash: when it was removed, and what its key was.
func splitTrash(key string) (day time.Time, was string, ok bool) {
	text, was, found := strings.Cut(strings.TrimPrefix(key, Trash), "/")
	day, err := time.Parse(time.DateOnly, text)
	return day, was, found && err == nil
}

// Restore moves everything in the trash back to where it was, unless something
// is there now, and says how many objects it has moved.
func (e *Engine) Restore(ctx context.Context) (moved int, err error) {
	var keys []string
	for entry, err := range e.blobs.List(ctx, Trash, "") {
		if err != nil {
			return 0, err
		}
		keys = append(keys, entry.Key)
	}
	for _, key := range keys {
		_, was, ok := splitTrash(key)
		if !ok {
			continue
		}
		if _, err := e.blobs.Stat(ctx, was); !errors.Is(err, blob.ErrNotFound) {
			if err != nil {
				return moved, err
			}
			continue
		}
		if err := e.blobs.Move(ctx, key, was); err != nil {
			return moved, err
		}
		moved++
	}
	return moved, nil
}
