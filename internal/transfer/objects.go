package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
)

// ObjectSum counts objects.
type ObjectSum struct {
	Objects int64 `json:"objects"` // that the source has
	Bytes   int64 `json:"bytes"`
	Copied  int64 `json:"copied"` // the others were there already
}

// atOnce is how many objects are copied at the same time.
const atOnce = 8

// objects copies the objects of a storage that another one lacks or has otherwise.
type objects struct {
	from, to  blob.Store
	backup    bool            // leaves the trash out
	progress  func(ObjectSum) // called after every object
	saved     list            // what the source, which is a backup, had when it was made; nil for others
	earlier   list            // what the target, which is a backup, had when it was made at earlierAt
	earlierAt time.Time

	mu   sync.Mutex
	sum  ObjectSum
	seen list // what the target has of the source
}

// errDamaged says that the source cannot give an object as it was stored. It is left out: what a
// crash has left and no row names must not stop a copy, and what rows name is missed later.
var errDamaged = errors.New("the source has other content than was stored")

// copy copies what the source has now.
func (o *objects) copy(ctx context.Context) (ObjectSum, error) {
	o.sum, o.seen = ObjectSum{}, list{}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		keys    = make(chan string)
		workers sync.WaitGroup
	)
	for range atOnce {
		workers.Go(func() {
			for key := range keys {
				if err := o.copyObject(ctx, key); err != nil {
					cancel(fmt.Errorf("object %s: %w", key, err))
					return
				}
			}
		})
	}
	err := o.list(ctx, keys)
	close(keys)
	workers.Wait()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return o.sum, err
}

// list sends the keys of the source.
func (o *objects) list(ctx context.Context, keys chan<- string) error {
	for entry, err := range o.from.List(ctx, "", "") {
		switch {
		case err != nil:
			return err
		case entry.Key == media.InstallationKey, o.backup && strings.HasPrefix(entry.Key, media.Trash):
			continue
		}
		select {
		case keys <- entry.Key:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// copyObject copies one object, unless the target has the same one. An object that has been
// removed since it was listed is left out, and so is one that is damaged: what the target has
// of it from an earlier copy stays.
func (o *objects) copyObject(ctx context.Context, key string) error {
	object, err := o.from.Stat(ctx, key)
	if err == nil && o.saved != nil && !o.saved.has(object) {
		err = errDamaged
	}
	var (
		have   blob.Object
		copied bool
	)
	if err == nil {
		have, err = o.find(ctx, object)
	}
	if errors.Is(err, errLacking) {
		have, err = o.put(ctx, &object)
		copied = true
	}
	switch {
	case errors.Is(err, errRemoved), errors.Is(err, blob.ErrNotFound):
		return nil
	case errors.Is(err, errDamaged), errors.Is(err, blob.ErrDamaged):
		return o.keep(ctx, key)
	case err != nil:
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen[key] = listed{have.SHA256, have.ContentType, object.ModTime}
	o.sum.Objects++
	o.sum.Bytes += object.Size
	if copied {
		o.sum.Copied++
	}
	if o.progress != nil {
		o.progress(o.sum)
	}
	return nil
}

// keep notes what a backup has of an object that the source no longer has as it was stored.
func (o *objects) keep(ctx context.Context, key string) error {
	saved, ok := o.earlier[key]
	if !ok {
		return nil
	}
	have, err := o.to.Stat(ctx, key)
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrDamaged) || err == nil && !o.earlier.has(have) {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen[key] = saved
	return err
}

// errLacking says that the target lacks an object, or has another one.
var errLacking = errors.New("the target lacks the object")

// find finds an object of the source in the target.
func (o *objects) find(ctx context.Context, object blob.Object) (blob.Object, error) {
	have, err := o.to.Stat(ctx, object.Key)
	switch {
	case errors.Is(err, blob.ErrNotFound), errors.Is(err, blob.ErrDamaged):
		return have, errLacking
	case err != nil:
		return have, err
	}
	want := object.SHA256
	if want == "" { // what a client has posted with a form
		if want, err = digest(ctx, o.from, object.Key); err != nil {
			return have, err
		}
		if want != have.SHA256 && o.unchanged(object) {
			return have, errDamaged
		}
	}
	if have.SHA256 != want || have.Size != object.Size || have.ContentType != object.ContentType {
		return have, errLacking
	}
	return have, nil
}

// unchanged reports whether an object was not written since an earlier backup: other bytes than
// then are damage. Clocks differ, and some storages cut times to seconds: so it must have been
// written a while before that backup.
func (o *objects) unchanged(object blob.Object) bool {
	saved, ok := o.earlier[object.Key]
	return ok && saved.Modified.Equal(object.ModTime) && object.ModTime.Before(o.earlierAt.Add(-time.Minute))
}

// errRemoved says that an object was removed while it was copied.
var errRemoved = errors.New("the object was removed")

// put copies an object, which may have been replaced since it was found.
func (o *objects) put(ctx context.Context, object *blob.Object) (blob.Object, error) {
	content, now, err := open(ctx, o.from, object.Key)
	if err != nil {
		return now, err
	}
	defer content.Close()
	*object = now
	put, err := o.to.Put(ctx, now.Key, content, blob.PutOptions{ContentType: now.ContentType})
	switch {
	case errors.Is(err, blob.ErrNotFound): // S3 no longer has the rest
		return put, errRemoved
	case err != nil:
		return put, err
	case put.Size != now.Size || now.SHA256 != "" && put.SHA256 != now.SHA256:
		if err := o.to.Delete(ctx, now.Key); err != nil {
			return put, err
		}
		return put, errDamaged
	}
	return put, nil
}

func open(ctx context.Context, s blob.Store, key string) (io.ReadSeekCloser, blob.Object, error) {
	content, object, err := s.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		err = errRemoved
	}
	return content, object, err
}

// digest reads an object and returns its SHA-256.
func digest(ctx context.Context, s blob.Store, key string) (string, error) {
	content, _, err := open(ctx, s, key)
	if err != nil {
		return "", err
	}
	defer content.Close()
	h := sha256.New()
	_, err = io.Copy(h, content)
	return hex.EncodeToString(h.Sum(nil)), err
}

// claim gives an empty storage the id of an installation. It accepts a storage that has the
// id already, and refuses every other.
func claim(ctx context.Context, s blob.Store, id string) error {
	switch have, err := media.StorageID(ctx, s); {
	case err != nil || have == id:
		return err
	case have != "":
		return fmt.Errorf("the storage belongs to another installation, %s", have)
	}
	for entry, err := range s.List(ctx, "", "") {
		if err != nil {
			return err
		}
		return fmt.Errorf("the storage is not empty: it has the object %s", entry.Key)
	}
	_, err := s.Put(ctx, media.InstallationKey, strings.NewReader(id+"\n"), blob.PutOptions{ContentType: "text/plain", OnlyNew: true})
	return err
}

// missing lists the objects that rows name and a storage does not have. It adds those that it has to
// the known ones.
func missing(ctx context.Context, db *store.DB, s blob.Store, known list) (keys []string, err error) {
	keys = []string{}
	err = db.Read(ctx, func(tx *store.Tx) error {
		return tx.StoredKeys(func(key string) error {
			if _, ok := known[key]; ok {
				return nil
			}
			have, err := s.Stat(ctx, key)
			if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrDamaged) {
				keys = append(keys, key)
				return nil
			}
			known[key] = listed{SHA256: have.SHA256, ContentType: have.ContentType}
			return err
		})
	})
	return keys, err
}
