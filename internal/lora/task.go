package lora

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/codec/safetensors"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/lora/source"
	"github.com/atelier-project/atelier/internal/lora/weights"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// rejection is why a file is not imported, for its owner.
type rejection struct {
	failure atelier.LoraFailure
	reason  string
}

func (r *rejection) Error() string { return r.reason }

// errStale means that an entry was removed, or that another attempt has begun.
var errStale = errors.New("lora: the import is no longer needed")

// runImport imports the file of an entry. What it finds out it writes into the entry;
// only a failure that may pass is an error.
func (e *Engine) runImport(ctx context.Context, j atelier.Job, _ fleet.Put) ([]apitype.ReportedArtifact, error) {
	l, err := e.begin(ctx, j)
	if errors.Is(err, errStale) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = e.fetch(ctx, &l)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // the node stops, or the entry was removed
	}
	var no *rejection
	switch {
	case err == nil:
		l.Status, l.Rules = atelier.LoraReady, e.opts.Rules
	case errors.As(err, &no):
		l.Status, l.Failure, l.Reason, l.Rules, l.Requirements = atelier.LoraRejected, no.failure, no.reason, e.opts.Rules, nil
	case errors.Is(err, errStale):
		return nil, nil
	case source.IsTransient(err):
		return nil, &fleet.TaskError{Message: err.Error(), Retryable: true}
	default:
		return nil, err
	}
	return nil, e.finish(ctx, l)
}

// begin moves an entry to validating, with a new key for the object of this attempt.
func (e *Engine) begin(ctx context.Context, j atelier.Job) (l store.StoredLora, err error) {
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		active, err := tx.LockForWork(j.Wallet) // lock order: account, then the entry
		if err != nil {
			return err
		}
		l, err = tx.LoraOfAny(atelier.LoraID(j.Owner.ID))
		if errors.Is(err, store.ErrNotFound) || err == nil && (l.JobID != j.ID || !l.Status.Importing()) {
			return errStale
		}
		if err != nil {
			return err
		}
		if err := tx.DeleteEndedJobs(j.Owner, j.ID); err != nil {
			return err
		}
		from := l.Status
		l.UpdatedAt, l.Rules = e.opts.Now(), e.opts.Rules
		switch err := requirePlan(tx, l.Wallet, e.opts.Now()); {
		case !active:
			l.Status, l.Failure, l.Reason = atelier.LoraRejected, atelier.LoraSubscriptionRequired, "The account was suspended before the file was imported."
		case atelier.HasCode(err, atelier.CodeNoUnlimitedAccess):
			l.Status, l.Failure, l.Reason = atelier.LoraRejected, atelier.LoraSubscriptionRequired, err.Error()
		case err != nil:
			return err
		default:
			l.Status, l.Reason, l.Progress, l.Key = atelier.LoraValidating, "", 0, newKey(l.ID)
		}
		return tx.UpdateLora(&l, from)
	})
	if err == nil && l.Status == atelier.LoraRejected {
		e.logEnd(l)
		err = errStale
	}
	if errors.Is(err, store.ErrNotFound) {
		err = errStale
	}
	return l, err
}

// objects is the prefix of the files.
const objects = "loras/"

// newKey is a key that no attempt had before.
func newKey(id atelier.LoraID) string {
	return objects + string(id) + "-" + strings.ToLower(rand.Text()[:12]) + ".safetensors"
}

// finish writes the outcome of an attempt. The object of an attempt without a use is
// removed.
func (e *Engine) finish(ctx context.Context, l store.StoredLora) error {
	key := l.Key
	if l.Status == atelier.LoraRejected {
		l.Key = ""
	}
	l.Progress, l.UpdatedAt = 1, e.opts.Now()
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		row := l
		return tx.UpdateLora(&row, atelier.LoraValidating)
	})
	lost := errors.Is(err, store.ErrNotFound) // it was removed, or another attempt has begun
	if err != nil && !lost {
		return err
	}
	e.discard(ctx, key)
	if !lost {
		e.logEnd(l)
	}
	return nil
}

func (e *Engine) logEnd(l store.StoredLora) {
	e.opts.Log.Info("LoRA import ended", "lora", l.ID, "status", l.Status, "failure", l.Failure, "bytes", l.Bytes)
}

// fetch reads and checks the header of a file, and then stores the whole file and checks
// that.
func (e *Engine) fetch(ctx context.Context, l *store.StoredLora) error {
	var pin source.Pin
	if err := wire.Unmarshal(l.Pin, &pin); err != nil {
		return err
	}
	size, err := e.checkHeader(ctx, pin, l)
	if err != nil {
		return judge(err)
	}
	if err := e.checkSpace(cmp.Or(size, e.opts.FileBytes)); err != nil {
		return err
	}
	l.Bytes = cmp.Or(size, l.Bytes)
	object, err := e.download(ctx, pin, l)
	if err != nil {
		return judge(err)
	}
	l.Bytes, l.SHA256 = object.Size, object.SHA256
	if pin.SHA256 != "" && !strings.EqualFold(pin.SHA256, object.SHA256) {
		return &rejection{atelier.LoraInvalidArtifact, "The file is not the one that the site describes: its digest differs."}
	}
	if public, ok := e.catalog.PublicLora(l.ModelID, object.SHA256, l.Link, l.Source); ok {
		return &rejection{atelier.LoraCatalogDuplicate, fmt.Sprintf("The public catalog has this file as %q: use that id.", public.LoraID)}
	}
	return nil
}

// checkHeader asks for the beginning of a file and checks what it holds. It returns the
// size of the file; zero when the site does not say it, and then the header is checked
// with the stored file only.
func (e *Engine) checkHeader(ctx context.Context, pin source.Pin, l *store.StoredLora) (int64, error) {
	body, size, err := e.sources.Load().Open(ctx, pin, 0, safetensors.MaxHeader+8)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	if size < 0 {
		return 0, nil
	}
	if size > e.opts.FileBytes {
		return 0, &rejection{atelier.LoraInvalidArtifact, fmt.Sprintf("The file has %d bytes; the limit is %d.", size, e.opts.FileBytes)}
	}
	return size, e.check(body, size, l)
}

// check checks the header of a file of a size, and notes the rules for its use.
func (e *Engine) check(r io.Reader, size int64, l *store.StoredLora) error {
	h, err := safetensors.Read(r, size)
	if err != nil {
		return err
	}
	if _, err := weights.Check(h, l.Family); err != nil {
		return err
	}
	l.Requirements = weights.Requirements(l.Family, h)
	return nil
}

// judge makes a rejection of an error that the file is the cause of.
func judge(err error) error {
	var (
		format *safetensors.Error
		no     *weights.Rejection
	)
	switch {
	case errors.As(err, &format):
		return &rejection{atelier.LoraInvalidArtifact, format.Error()}
	case errors.As(err, &no):
		return &rejection{atelier.LoraInvalidArtifact, no.Error()}
	case source.IsAccess(err):
		return &rejection{atelier.LoraSourceAccess, err.Error()}
	case source.IsRejected(err):
		return &rejection{atelier.LoraInvalidArtifact, err.Error()}
	}
	return err
}

// download streams a file into the object of the attempt. It is hashed on the way, and
// its header checked again before the object appears.
func (e *Engine) download(ctx context.Context, pin source.Pin, l *store.StoredLora) (blob.Object, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := e.sources.Load().Download(ctx, pin, w, e.reporter(ctx, stop, *l))
		w.CloseWithError(err)
		ended <- err
	}()
	object, err := e.blobs.Put(ctx, l.Key, r, blob.PutOptions{
		ContentType: "application/octet-stream", MaxBytes: e.opts.FileBytes, Unread: true,
		Check: func(content io.ReadSeeker, size int64, _ string) error { return e.check(content, size, l) },
	})
	r.CloseWithError(errors.Join(err, io.ErrClosedPipe))
	failed := <-ended
	if errors.Is(context.Cause(ctx), errStale) {
		return object, errStale
	}
	if failed != nil && !errors.Is(failed, io.ErrClosedPipe) {
		return object, failed
	}
	return object, err
}

// reportEvery is how often the progress of a download is recorded.
const reportEvery = 2 * time.Second

// reporter returns a function that records the progress of a download from time to
// time. It stops the download of an entry that is no longer to be imported.
func (e *Engine) reporter(ctx context.Context, stop context.CancelCauseFunc, l store.StoredLora) func(done, total int64) {
	var last time.Time
	return func(done, total int64) {
		now := time.Now()
		if total <= 0 || now.Sub(last) < reportEvery {
			return
		}
		last = now
		err := e.db.Write(ctx, func(tx *store.Tx) error {
			return tx.SetLoraProgress(l.ID, l.Key, min(1, float64(done)/float64(total)), total, e.opts.Now())
		})
		if errors.Is(err, store.ErrNotFound) {
			stop(errStale)
		}
	}
}

// The retries of an import that failed for a reason that may pass: a minute after the
// first failure of the site, then twice as long each time, up to the limit. Failures of
// the service do not count.
const (
	firstRetry = time.Minute
	lastRetry  = time.Hour
	mostTries  = 8
)

// onEnded queues an import again that has failed for a reason that may pass.
func (e *Engine) onEnded(tx *store.Tx, j atelier.Job, _ []atelier.Artifact) error {
	l, err := tx.LoraOfAny(atelier.LoraID(j.Owner.ID))
	if errors.Is(err, store.ErrNotFound) || err == nil && (l.JobID != j.ID || !l.Status.Importing()) {
		return nil // its outcome is recorded, or it is no longer needed
	}
	if err != nil {
		return err
	}
	from, reason := l.Status, "The service could not import the file. It tries again."
	if j.Error.Code == atelier.FailError {
		l.Tries++
		reason = j.Error.Message
	}
	if l.Tries >= mostTries {
		l.Status, l.Failure, l.Key, l.UpdatedAt = atelier.LoraRejected, atelier.LoraSourceAccess, "", e.opts.Now()
		l.Reason = strings.TrimSpace(fmt.Sprintf("The file could not be imported in %d tries. %s", l.Tries, j.Error.Message))
		tx.OnCommit(func() { e.logEnd(l) })
		return tx.UpdateLora(&l, from)
	}
	wait := min(firstRetry<<max(l.Tries-1, 0), lastRetry)
	if err := e.queue(tx, &l, e.opts.Now().Add(wait)); err != nil {
		return err
	}
	l.Reason = reason
	tx.OnCommit(func() {
		e.opts.Log.Warn("LoRA import failed", "lora", l.ID, "tries", l.Tries, "retry", wait, "error", j.Error.Message)
	})
	return tx.UpdateLora(&l, from)
}
