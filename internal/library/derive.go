package library

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/thumbnail"
)

const (
	// smallSize is the size of the thumbnail that lists show: its longer edge, in pixels.
	smallSize = 320

	// makeWithin is how long it may take to make a thumbnail.
	makeWithin = time.Minute

	// clipBytes is the largest clip whose first frame is read.
	clipBytes = 256 << 20
)

// hasPicture reports whether artifacts of a kind can have a thumbnail.
func hasPicture(kind string) bool {
	return kind == string(catalog.Image) || kind == string(catalog.Video)
}

// errNoPreview means that nothing can be made from a file.
var errNoPreview = errors.New("library: nothing can be shown of the file")

// enqueue has the file of an artifact read in the background, unless it was.
func (e *Engine) enqueue(i store.LibraryItem) {
	if i.Derived.State != store.DerivedPending || !hasPicture(i.Kind) && i.Kind != string(catalog.Audio) {
		return
	}
	e.wanted.add(i)
}

// making is a thumbnail that is being made.
type making struct {
	done chan struct{}
	err  error
}

// derive makes a thumbnail of an artifact, and reads what else the library shows of its
// file. Of several calls for one thumbnail, one makes it and the others wait. It is made
// even when the caller leaves, but not before its account has the memory for it.
func (e *Engine) derive(ctx context.Context, item store.LibraryItem, size int) error {
	key := media.Thumbnail(item.Key, size)
	e.mu.Lock()
	m := e.making[key]
	e.mu.Unlock()
	if m == nil {
		memory := memoryFor(item)
		if err := e.memory.Acquire(ctx, string(item.Wallet), memory); err != nil {
			return err
		}
		m = e.begin(ctx, item, size, func() { e.memory.Release(string(item.Wallet), memory) })
	}
	select {
	case <-m.done:
		return m.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin makes a thumbnail, unless another call makes it now, and calls release then.
func (e *Engine) begin(ctx context.Context, item store.LibraryItem, size int, release func()) *making {
	key := media.Thumbnail(item.Key, size)
	e.mu.Lock()
	defer e.mu.Unlock()
	if m := e.making[key]; m != nil {
		release()
		return m
	}
	m := &making{done: make(chan struct{})}
	e.making[key] = m
	go func() {
		defer release()
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), makeWithin)
		defer cancel()
		m.err = e.guarded(own, item.ID, size)
		e.mu.Lock()
		delete(e.making, key)
		e.mu.Unlock()
		close(m.done)
	}()
	return m
}

// memoryFor is what reading a file takes at most, besides the picture that is decoded in
// its turn: buffers, and of a clip its index, which is read and then kept.
func memoryFor(item store.LibraryItem) int64 {
	const buffers = 8 << 20
	if item.Kind == string(catalog.Video) {
		return buffers + 2*min(item.Bytes, mp4.MaxIndex)
	}
	return buffers
}

// guarded is make, with the panic of a decoder as an error: files come from strangers.
func (e *Engine) guarded(ctx context.Context, id string, size int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			e.opts.Log.Error("decoder panicked", "artifact", id, "error", p, "stack", string(debug.Stack()))
			err = errors.Join(errNoPreview, e.db.Write(ctx, func(tx *store.Tx) error { return tx.SetDerived(id, store.Derived{State: store.DerivedNone}) }))
		}
	}()
	return e.make(ctx, id, size)
}

// make reads a file, and stores its thumbnail and what else is shown of it.
func (e *Engine) make(ctx context.Context, id string, size int) error {
	var item store.LibraryItem
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		item, err = tx.LibraryItemOfAny(id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && item.Derived.State == store.DerivedNone {
		return errNoPreview
	}
	if err != nil {
		return err
	}
	if item.Derived.State == store.DerivedDone { // another node or an earlier call has read it
		if item.Kind == string(catalog.Audio) {
			return nil
		}
		if _, err := e.blobs.Stat(ctx, media.Thumbnail(item.Key, size)); err == nil {
			return nil
		}
	}
	l := store.Derived{State: store.DerivedDone}
	if item.Kind == string(catalog.Audio) {
		l.Peaks, err = e.peaks(ctx, item)
	} else {
		l.Colors, err = e.thumbnail(ctx, item, size)
	}
	var refused *atelier.Error
	switch {
	case errors.Is(err, errNoPreview), errors.As(err, &refused) && refused.Code == atelier.CodeInvalidRequest:
		l, err = store.Derived{State: store.DerivedNone}, errNoPreview
	case err != nil:
		return err
	}
	gone := e.db.Write(ctx, func(tx *store.Tx) error { return tx.SetDerived(item.ID, l) })
	if errors.Is(gone, store.ErrNotFound) { // it was deleted meanwhile
		_ = e.blobs.Delete(ctx, media.Thumbnail(item.Key, size))
		return errNoPreview
	}
	return errors.Join(err, gone)
}

// thumbnail makes a thumbnail and returns its colours.
func (e *Engine) thumbnail(ctx context.Context, item store.LibraryItem, size int) (colors string, err error) {
	err = e.decode(ctx, item, size, func(picture image.Image) error {
		small := thumbnail.Reduce(picture, size)
		file, err := thumbnail.JPEG(small, 80)
		if err != nil {
			return err
		}
		colors = thumbnail.Colors(small)
		_, err = e.blobs.Put(ctx, media.Thumbnail(item.Key, size), bytes.NewReader(file), blob.PutOptions{ContentType: "image/jpeg", NoDigest: true})
		return err
	})
	return colors, err
}

// decode calls use with the picture of an artifact: the picture itself, or of a clip the
// preview that its worker sent, or its first frame. It may be made smaller, to edge
// pixels for its longer edge.
func (e *Engine) decode(ctx context.Context, item store.LibraryItem, edge int, use func(image.Image) error) error {
	if item.Kind == string(catalog.Image) {
		return e.decodeObject(ctx, item.Wallet, item.Key, edge, use)
	}
	if preview, ok := previewOf(item); ok {
		if err := e.decodeObject(ctx, item.Wallet, preview, edge, use); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return e.decodeClip(ctx, item, use)
}

// previewOf is the key of the preview that a worker may have sent of an artifact.
func previewOf(item store.LibraryItem) (string, bool) {
	i := strings.LastIndex(item.Key, item.ID)
	if i < 0 {
		return "", false
	}
	return item.Key[:i+len(item.ID)] + "-preview", true
}

func (e *Engine) decodeObject(ctx context.Context, w atelier.Wallet, key string, edge int, use func(image.Image) error) error {
	file, _, err := e.open(ctx, key)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := e.media.Decode(ctx, w, file, edge, use); err != nil {
		return cmp.Or(file.failed, err)
	}
	return nil
}

// open opens the file of an artifact. errNoPreview means that the file does not exist.
func (e *Engine) open(ctx context.Context, key string) (*object, int64, error) {
	file, stat, err := e.blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		err = errNoPreview
	}
	return &object{ReadSeekCloser: file}, stat.Size, err
}

// decodeClip decodes the first frame of a clip, where Options.FirstFrame can.
func (e *Engine) decodeClip(ctx context.Context, item store.LibraryItem, use func(image.Image) error) error {
	if item.Bytes > clipBytes || e.opts.FirstFrame == nil {
		return errNoPreview
	}
	file, size, err := e.open(ctx, item.Key)
	if err != nil {
		return err
	}
	defer file.Close()
	bounds, decode, err := e.opts.FirstFrame(ctx, &blockReader{file: file}, size)
	if err != nil {
		return cmp.Or(file.failed, fmt.Errorf("%w: %w", errNoPreview, err))
	}
	return e.media.InTurn(ctx, item.Wallet, int64(bounds.X)*int64(bounds.Y)*bytesOfFrame, func() error {
		frame, err := decode()
		var fault interface {
			error
			PanicStack() []byte
		}
		if errors.As(err, &fault) {
			e.opts.Log.Error("decoder panicked", "artifact", item.ID, "error", err, "stack", string(fault.PanicStack()))
		}
		if err != nil {
			return cmp.Or(file.failed, ctx.Err(), fmt.Errorf("%w: %w", errNoPreview, err))
		}
		return use(frame)
	})
}

// bytesOfFrame is how much memory decoding a frame takes for a pixel: the frame, those
// that others refer to, and its colours.
const bytesOfFrame = 32

// peaks reads how loud a recording is over its length.
func (e *Engine) peaks(ctx context.Context, item store.LibraryItem) (text string, err error) {
	read := soundReaders[item.ContentType]
	if read == nil {
		return "", errNoPreview
	}
	file, size, err := e.open(ctx, item.Key)
	if err != nil {
		return "", err
	}
	defer file.Close()
	err = e.media.InTurn(ctx, item.Wallet, soundMemory(size), func() error {
		peaks, err := readPeaks(ctx, file, read)
		text = hex.EncodeToString(peaks)
		return cmp.Or(file.failed, ctx.Err(), err)
	})
	return text, err
}

// Thumbnail opens the thumbnail of an artifact for the holder of a link.
func (e *Engine) Thumbnail(ctx context.Context, id string, size int, until int64, signature string) (io.ReadSeekCloser, blob.Object, error) {
	if err := e.opts.Links.check(id, until, signature, e.opts.Now()); err != nil {
		return nil, blob.Object{}, err
	}
	var item store.LibraryItem
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		item, err = tx.LibraryItemOfAny(id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = missingThumbnail(id)
	}
	if err != nil {
		return nil, blob.Object{}, err
	}
	return e.openThumbnail(ctx, item, size)
}

// OwnThumbnail opens the thumbnail of an artifact of an account.
func (e *Engine) OwnThumbnail(ctx context.Context, w atelier.Wallet, id string, size int) (io.ReadSeekCloser, blob.Object, error) {
	item, err := e.item(ctx, w, id)
	if err != nil {
		return nil, blob.Object{}, err
	}
	return e.openThumbnail(ctx, item, size)
}

func missingThumbnail(id string) error {
	return atelier.Missing("id", id, "artifact with a thumbnail")
}

// openThumbnail opens the thumbnail of an artifact, and makes it if it does not exist yet.
func (e *Engine) openThumbnail(ctx context.Context, item store.LibraryItem, size int) (io.ReadSeekCloser, blob.Object, error) {
	if !hasPicture(item.Kind) || item.Derived.State == store.DerivedNone {
		return nil, blob.Object{}, missingThumbnail(item.ID)
	}
	key := media.Thumbnail(item.Key, size)
	file, object, err := e.blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		if err = e.derive(ctx, item, size); err == nil {
			file, object, err = e.blobs.Open(ctx, key)
		}
	}
	if errors.Is(err, errNoPreview) || errors.Is(err, blob.ErrNotFound) {
		return nil, object, missingThumbnail(item.ID)
	}
	return file, object, err
}
