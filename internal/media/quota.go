package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
)

// postsAForm is how often one form can be used: enough for a client whose
// connection breaks to try again.
const postsAForm = 10

// within writes how soon to try again.
func within(seconds int) string {
	if seconds < 120 {
		return fmt.Sprintf("in %d s.", seconds)
	}
	return fmt.Sprintf("in %d minutes.", (seconds+59)/60)
}

// utcDay is the UTC day of a time, as counters are kept.
func utcDay(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// untilMidnight is how long a UTC day still lasts.
func untilMidnight(now time.Time) time.Duration {
	now = now.UTC()
	return now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
}

// count adds to what an account has uploaded today, or refuses when that is more
// than a day's worth.
func (e *Engine) count(tx *store.Tx, w atelier.Wallet, forms, size int64) error {
	now := e.opts.Now()
	allForms, allBytes, err := tx.CountUpload(w, utcDay(now), forms, size)
	switch {
	case err != nil:
		return err
	case allForms > int64(e.opts.Limits.FormsADay):
		return tooMany(untilMidnight(now), "This account has requested %d upload forms today, which is the limit of a UTC day.", e.opts.Limits.FormsADay)
	case allBytes > e.opts.Limits.UploadBytesADay, size == 0 && allBytes == e.opts.Limits.UploadBytesADay:
		return errUsedUp(untilMidnight(now)).With("uploadBytesPerDay", e.opts.Limits.UploadBytesADay)
	}
	return nil
}

func errUsedUp(wait time.Duration) *atelier.Error {
	return tooMany(wait, "This exceeds what the account may still upload on this UTC day.")
}

// settleForm counts what was uploaded with a closed form instead of what was
// reserved for it.
func (e *Engine) settleForm(ctx context.Context, u store.Upload) error {
	if u.Reserved == 0 {
		return nil
	}
	object, err := e.blobs.Stat(ctx, u.Key)
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	return e.db.Write(ctx, func(tx *store.Tx) error { return tx.SettleUpload(u, utcDay(u.CreatedAt), object.Size) })
}

// countPost counts a file that was posted with a form, and finds its owner.
func (e *Engine) countPost(ctx context.Context, key string, size int64) (owner atelier.Wallet, err error) {
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		var posts int64
		owner, posts, err = tx.CountPost(key)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return atelier.Errorf(atelier.CodeBadSignature, "This form is no longer valid: ask for a new one.")
		case err != nil:
			return err
		case posts > postsAForm:
			return atelier.Errorf(atelier.CodeBadSignature, "This form was used %d times, which is the limit: ask for a new one.", postsAForm)
		}
		return e.count(tx, owner, 0, size)
	})
	return owner, err
}

// CountFetched counts media that was fetched from the web for an account.
func (e *Engine) CountFetched(ctx context.Context, w atelier.Wallet, size int64) error {
	if err := e.checkSpace(size); err != nil {
		return err
	}
	return e.db.Write(ctx, func(tx *store.Tx) error { return e.count(tx, w, 0, size) })
}

// checkSpace refuses an upload that would leave less than the required free space:
// the database shares the disk.
func (e *Engine) checkSpace(size int64) error {
	if e.opts.FreeSpace == nil {
		return nil
	}
	free, err := e.opts.FreeSpace()
	if err != nil {
		return err
	}
	if free-size-e.allowances.expected() >= e.opts.Limits.FreeSpaceBytes {
		return nil
	}
	full := atelier.Errorf(atelier.CodeUnavailable, "The service has no space for uploads now. Try again later.")
	full.RetryAfter = 5 * time.Minute
	return full
}

// isResult reports whether a key is that of a worker's result.
func isResult(key string) bool { return strings.HasPrefix(key, "results/") }

// Admit decides about an upload before its bytes are read. Results of workers are
// counted with their jobs and never wait for uploads.
func (e *Engine) Admit(_ context.Context, u blob.Upload) (release func(), err error) {
	if isResult(u.Key) {
		return func() {}, nil
	}
	if err := e.checkSpace(u.Size); err != nil {
		return nil, err
	}
	account := u.Account
	if account == "" { // signed by a version that did not name it
		account = u.Key
	}
	return e.allowances.begin(account, u.Size, e.opts.Now())
}

// InspectUpload checks an uploaded file before it appears.
func (e *Engine) InspectUpload(ctx context.Context, u blob.Upload, file io.ReadSeeker) error {
	if isResult(u.Key) {
		return InspectResult(u.ContentType, file, u.Size)
	}
	account := u.Account
	if strings.HasPrefix(u.Key, "inputs/") { // a saved asset was counted when it was announced
		day := utcDay(e.opts.Now())
		owner, err := e.countPost(ctx, u.Key, u.Size)
		if atelier.HasCode(err, atelier.CodeRateLimited) {
			e.allowances.refuseFrom(account, u.Size, e.opts.Now())
		}
		if err != nil {
			return err
		}
		account = string(owner)
		err = e.inspect(ctx, account, u.ContentType, file)
		if later := (*atelier.Error)(nil); errors.As(err, &later) && later.RetryAfter > 0 {
			return errors.Join(err, e.returnPost(context.WithoutCancel(ctx), u.Key, owner, day, u.Size))
		}
		return err
	}
	return e.inspect(ctx, account, u.ContentType, file)
}

// returnPost undoes the count of a file that the client must send again later.
func (e *Engine) returnPost(ctx context.Context, key string, owner atelier.Wallet, day string, size int64) error {
	return e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.ReturnPost(key); err != nil {
			return err
		}
		return tx.ReturnUploadBytes(owner, day, size)
	})
}
