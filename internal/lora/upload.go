package lora

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/codec/safetensors"
	"github.com/atelier-project/atelier/internal/lora/weights"
	"github.com/atelier-project/atelier/internal/store"
)

// NewUpload describes a file that its owner sends.
type NewUpload struct {
	Name            string
	ModelID         string // by the header of the file when empty
	RightsConfirmed bool
	FileName        string // as its owner has it; made of the name when empty
	Bytes           int64  // that were announced; -1 when none were
}

const (
	fileSuffix  = ".safetensors"
	maxFileName = 255 // characters

	// earlyHeader is the largest header that is checked before the rest of the file is read.
	// Those of LoRAs are smaller; a larger one is checked with the whole file.
	earlyHeader = 256 << 10

	// mostChecks is how many uploads have their header in memory at a time.
	mostChecks = 2

	// abandonedAfter is how long after its last sign of life an upload is over. It gives one
	// every reportEvery, so its node has died.
	abandonedAfter = 5 * time.Minute
)

// Upload adds a file that its owner sends. The entry is counted before the file is read; it
// is ready when Upload returns. A file that is refused leaves nothing, and is not counted.
// When the account has an entry with the same file for the family, Upload returns that one and
// isNew is false. It needs a plan.
func (e *Engine) Upload(ctx context.Context, owner atelier.Wallet, n NewUpload, file io.Reader) (r apitype.PersonalLora, isNew bool, err error) {
	l, err := e.newUpload(owner, n)
	if err == nil && n.ModelID == "" {
		n.ModelID, file, err = e.modelOf(file, n.Bytes)
	}
	if err == nil {
		err = e.setModel(&l, n.ModelID)
	}
	if err != nil {
		return r, false, refuseUpload(err, e.opts.FileBytes)
	}
	if err := e.db.Write(ctx, func(tx *store.Tx) error { return e.reserve(tx, l) }); err != nil {
		return r, false, err
	}
	final, err := e.receive(ctx, l, n.Bytes, file)
	if err != nil {
		if failed := e.abandon(context.WithoutCancel(ctx), l); failed != nil {
			e.opts.Log.Warn("remove LoRA upload failed: the sweeper removes it", "lora", l.ID, "error", failed)
		}
		return r, false, refuseUpload(err, e.opts.FileBytes)
	}
	e.discard(ctx, l.Key) // unless it is the file of the entry
	isNew = final.ID == l.ID
	if isNew {
		e.logEnd(final)
	}
	return e.record(final.PersonalLora), isNew, nil
}

// modelOf is the model for which a file was made: the first of the family that has its layers. It also returns a reader
// of the whole file.
func (e *Engine) modelOf(file io.Reader, size int64) (id string, whole io.Reader, err error) {
	if size < 0 {
		return "", nil, atelier.Refuse("modelId", "is required for a file whose length is not announced.")
	}
	head, isWhole, err := safetensors.ReadHead(file, size, earlyHeader)
	if err != nil {
		return "", nil, err
	}
	if !isWhole {
		return "", nil, atelier.Refuse("modelId", "is required for a file whose header has more than %d bytes.", earlyHeader)
	}
	h, err := safetensors.Read(bytes.NewReader(head), size)
	if err != nil {
		return "", nil, err
	}
	var offered []string
	for _, f := range e.catalog.Families() {
		if len(f.ModelIDs) > 0 {
			offered = append(offered, f.ID)
		}
	}
	family, err := weights.FamilyOf(h, offered)
	if err != nil {
		return "", nil, err
	}
	return e.familyModels(family)[0], io.MultiReader(bytes.NewReader(head), file), nil
}

// newUpload makes the entry of an upload, with the key of its object and without its model.
func (e *Engine) newUpload(owner atelier.Wallet, n NewUpload) (store.StoredLora, error) {
	l, err := e.newEntry(owner, n.Name, n.RightsConfirmed)
	if err != nil {
		return l, err
	}
	if n.FileName == "" {
		n.FileName = n.Name + fileSuffix
	}
	if err := checkName("fileName", n.FileName, maxFileName); err != nil {
		return l, err
	}
	if !strings.EqualFold(n.FileName[max(0, len(n.FileName)-len(fileSuffix)):], fileSuffix) {
		return l, atelier.Refuse("fileName", "must end in %s: other files cannot be used.", fileSuffix)
	}
	if n.Bytes > e.opts.FileBytes {
		return l, tooLarge(e.opts.FileBytes)
	}
	if err := e.checkSpace(cmp.Or(max(n.Bytes, 0), e.opts.FileBytes)); err != nil {
		return l, err
	}
	l.Status, l.Provider, l.Source, l.Pin = atelier.LoraValidating, atelier.LoraUpload, atelier.LoraUpload+":"+n.FileName, []byte("{}")
	l.Key, l.Bytes, l.UpdatedAt, l.Rules, l.Revision = newKey(l.ID), max(n.Bytes, 0), l.CreatedAt, e.opts.Rules, 1
	return l, nil
}

// reserve counts an upload and adds its entry.
func (e *Engine) reserve(tx *store.Tx, l store.StoredLora) error {
	if err := lockActive(tx, l.Wallet); err != nil {
		return err
	}
	if err := requirePlan(tx, l.Wallet, e.opts.Now()); err != nil {
		return err
	}
	if err := e.count(tx, l.Wallet, false); err != nil {
		return err
	}
	return tx.InsertLora(l)
}

// receive stores the file of an upload and makes its entry ready, or finds the entry that
// has the same file.
func (e *Engine) receive(ctx context.Context, l store.StoredLora, announced int64, file io.Reader) (store.StoredLora, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	counted := &countingReader{r: file}
	endRenewals := e.renew(ctx, stop, l, counted)
	defer endRenewals()
	content, err := e.checkEarly(counted, announced, &l)
	if err != nil {
		return l, err
	}
	object, err := e.blobs.Put(ctx, l.Key, content, blob.PutOptions{
		ContentType: "application/octet-stream", MaxBytes: e.opts.FileBytes, Unread: true,
		Check: func(content io.ReadSeeker, size int64, sha256 string) error {
			if announced >= 0 && size != announced {
				return io.ErrUnexpectedEOF
			}
			return e.checkWhole(ctx, content, size, sha256, &l)
		},
	})
	if err != nil {
		return l, whyStopped(ctx, err)
	}
	l.Bytes, l.SHA256 = object.Size, object.SHA256
	endRenewals() // they would see that the entry is ready, and not why
	l, err = e.complete(ctx, l)
	return l, whyStopped(ctx, err)
}

// whyStopped is the reason for which the upload of a context was stopped, if it was, else its
// error, also when its client has gone.
func whyStopped(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// checkEarly checks the header of a file before the rest of it is read, if its size is known
// and the header is not large. It returns a reader of the whole file.
func (e *Engine) checkEarly(file io.Reader, size int64, l *store.StoredLora) (io.Reader, error) {
	if size < 0 {
		return file, nil
	}
	head, whole, err := safetensors.ReadHead(file, size, earlyHeader)
	if err == nil && whole {
		err = e.check(bytes.NewReader(head), size, l)
	}
	return io.MultiReader(bytes.NewReader(head), file), err
}

// checkWhole checks a file that has arrived.
func (e *Engine) checkWhole(ctx context.Context, content io.Reader, size int64, sha256 string, l *store.StoredLora) error {
	select {
	case e.checks <- struct{}{}:
		defer func() { <-e.checks }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := e.check(content, size, l); err != nil {
		return err
	}
	return e.checkPublic(l.ModelID, sha256)
}

// complete makes the entry of an upload ready, unless the account has the file already: then
// it removes the entry and returns the other one.
func (e *Engine) complete(ctx context.Context, l store.StoredLora) (out store.StoredLora, err error) {
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := lockActive(tx, l.Wallet); err != nil {
			return err
		}
		if err := requirePlan(tx, l.Wallet, e.opts.Now()); err != nil {
			return err
		}
		if out, err = tx.LoraOfDigest(l.Wallet, l.Family, l.SHA256); err == nil {
			return drop(tx, l)
		} else if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		out = l
		out.Status, out.Progress, out.UpdatedAt = atelier.LoraReady, 1, e.opts.Now()
		return tx.UpdateLora(&out, atelier.LoraValidating)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = errStale
	}
	return out, err
}

// drop removes the entry of an upload that failed, and does not count it.
func drop(tx *store.Tx, l store.StoredLora) error {
	if err := tx.DeleteLora(l); err != nil {
		return err
	}
	return tx.UncountImport(l.Wallet, day(l.CreatedAt))
}

// abandon removes the entry and the object of an upload that failed, unless
// the entry has changed.
func (e *Engine) abandon(ctx context.Context, l store.StoredLora) error {
	err := e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(l.Wallet); err != nil { // lock order: account, then the entry
			return err
		}
		return drop(tx, l)
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	e.discard(ctx, l.Key)
	return nil
}

// dropUploads removes the entries of uploads whose node has died.
func (e *Engine) dropUploads(ctx context.Context) (dropped int, err error) {
	before := e.opts.Now().Add(-abandonedAfter)
	for after := atelier.LoraID(""); ; {
		var rows []store.StoredLora
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			rows, err = tx.LorasOfAll(atelier.LoraValidating, after, page)
			return err
		})
		if err != nil || len(rows) == 0 {
			return dropped, err
		}
		after = rows[len(rows)-1].ID
		for _, l := range rows {
			if !l.Uploaded() || l.UpdatedAt.After(before) {
				continue
			}
			if err := e.abandon(ctx, l); err != nil {
				return dropped, err
			}
			dropped++
		}
	}
}

// renew records the progress of an upload until the returned function is called. It stops an
// upload whose entry is no longer there, and one that would fill the storage.
func (e *Engine) renew(ctx context.Context, stop context.CancelCauseFunc, l store.StoredLora, file *countingReader) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for clock.Sleep(ctx, reportEvery) {
			if err := e.checkSpace(0); err != nil {
				stop(err)
				return
			}
			progress := float64(0)
			if l.Bytes > 0 {
				progress = min(1, float64(file.n.Load())/float64(l.Bytes))
			}
			err := e.db.Write(ctx, func(tx *store.Tx) error { return tx.SetLoraProgress(l.ID, l.Key, progress, l.Bytes, e.opts.Now()) })
			if errors.Is(err, store.ErrNotFound) {
				stop(errStale)
				return
			}
		}
	})
	return func() { cancel(); wg.Wait() }
}

// countingReader counts what was read.
type countingReader struct {
	r io.Reader
	n atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func tooLarge(limit int64) error {
	return atelier.Errorf(atelier.CodeBodyTooLarge, "The file is larger than %d bytes, the limit of a personal LoRA.", limit)
}

// refuseUpload says what the sender of a file can do about a failure.
func refuseUpload(err error, limit int64) error {
	var no *rejection
	switch {
	case errors.Is(err, blob.ErrTooLarge):
		return tooLarge(limit)
	case errors.Is(err, errStale):
		return atelier.Errorf(atelier.CodeLoraChanged, "The personal LoRA was removed while its file was uploaded.")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return atelier.Refuse("file", "does not have the size that was announced.")
	case errors.As(judge(err), &no):
		refused := atelier.Errorf(atelier.CodeInvalidRequest, "%s", no.reason)
		refused.Field = "file"
		return refused.With("failureCode", no.failure)
	}
	return err
}
