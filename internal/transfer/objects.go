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
	from, to blob.Store
	backup   bool                // leaves the trash out
	progress func(ObjectSum)     // called after every object
	seen     map[string]struct{} // unless nil, gets the keys of the source

	mu  sync.Mutex
	sum ObjectSum
}

// errDamaged says that the source cannot give an object as it was stored. It is left out: what a
// crash has left and no row names must not stop a copy, and what rows name is missed later.
var errDamaged = errors.New("the source has other content than was stored")

// copy copies what the source has now.
func (o *objects) copy(ctx context.Context) (ObjectSum, error) {
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
		if o.seen != nil {
			o.seen[entry.Key] = struct{}{}
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
// removed since it was listed, or is damaged, is left out.
func (o *objects) copyObject(ctx context.Context, key string) error {
	object, err := o.from.Stat(ctx, key)
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrDamaged) {
		return nil
	}
	if err != nil {
		return err
	}
	same, err := o.same(ctx, object)
	if err == nil && !same {
		err = o.put(ctx, key)
	}
	if errors.Is(err, errRemoved) || errors.Is(err, errDamaged) || errors.Is(err, blob.ErrDamaged) {
		return nil
	}
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sum.Objects++
	o.sum.Bytes += object.Size
	if !same {
		o.sum.Copied++
	}
	if o.progress != nil {
		o.progress(o.sum)
	}
	return nil
}

// same reports whether the target has an object of the source.
func (o *objects) same(ctx context.Context, object blob.Object) (bool, error) {
	have, err := o.to.Stat(ctx, object.Key)
	switch {
	case errors.Is(err, blob.ErrNotFound), errors.Is(err, blob.ErrDamaged):
		return false, nil
	case err != nil:
		return false, err
	case have.Size != object.Size || have.ContentType != object.ContentType:
		return false, nil
	}
	want := object.SHA256
	if want == "" { // what a client has posted with a form
		if want, err = digest(ctx, o.from, object.Key); err != nil {
			return false, err
		}
	}
	return have.SHA256 == want, nil
}

// errRemoved says that an object was removed while it was copied.
var errRemoved = errors.New("the object was removed")

func (o *objects) put(ctx context.Context, key string) error {
	content, object, err := open(ctx, o.from, key)
	if err != nil {
		return err
	}
	defer content.Close()
	put, err := o.to.Put(ctx, key, content, blob.PutOptions{ContentType: object.ContentType})
	switch {
	case errors.Is(err, blob.ErrNotFound): // S3 no longer has the rest
		return errRemoved
	case err != nil:
		return err
	case put.Size != object.Size || object.SHA256 != "" && put.SHA256 != object.SHA256:
		if err := o.to.Delete(ctx, key); err != nil {
			return err
		}
		return errDamaged
	}
	return nil
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

// missing lists the objects that rows name and a storage does not have.
func missing(ctx context.Context, db *store.DB, s blob.Store, known map[string]struct{}) (keys []string, err error) {
	keys = []string{}
	err = db.Read(ctx, func(tx *store.Tx) error {
		return tx.StoredKeys(func(key string) error {
			if _, ok := known[key]; ok {
				return nil
			}
			_, err := s.Stat(ctx, key)
			if errors.Is(err, blob.ErrNotFound) {
				keys = append(keys, key)
				return nil
			}
			if known != nil {
				known[key] = struct{}{}
			}
			return err
		})
	})
	return keys, err
}
