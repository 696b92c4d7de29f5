package operator

import (
	"context"
	"errors"
	"time"

	"github.com/atelier-project/atelier"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// FilterReviews lists what the content filter refused, newest first.
func (o Operator) FilterReviews(ctx context.Context, page apitype.Page) (apitype.FilterReviews, error) {
	p, err := newPart("filter-reviews", page, 1)
	if err != nil {
		return apitype.FilterReviews{}, err
	}
	var rows []store.FilterRefusal
	err = o.db.Read(ctx, func(tx *store.Tx) error {
		rows, err = tx.RefusalsBefore(p.Text(0), p.limit+1)
		return err
	})
	rows, next := cut(p, rows, func(r store.FilterRefusal) []string { return []string{r.ID} })
	if err != nil {
		return apitype.FilterReviews{}, err
	}
	names, err := o.usernames(ctx, convert(rows, func(r store.FilterRefusal) atelier.Wallet { return r.Wallet }))
	return apitype.FilterReviews{FilterReviews: convert(rows, func(r store.FilterRefusal) apitype.FilterReview { return newReview(r, names) }), NextCursor: next}, err
}

func newReview(r store.FilterRefusal, names usernames) apitype.FilterReview {
	return apitype.FilterReview{
		ID: r.ID, At: r.At, WalletAddress: r.Wallet, Username: names[r.Wallet], Place: r.Place, SourceID: r.Source, ToolName: r.Tool, Categories: append([]string{}, r.Categories...), Excerpt: r.Excerpt,
		Verdict: optional(apitype.Verdict(r.Verdict)), Note: r.Note, JudgedBy: optional(r.JudgedBy), JudgedAt: optional(r.JudgedAt),
	}
}

// JudgeRefusal records whether a refusal of the content filter was right. A later verdict
// replaces it.
func (o Operator) JudgeRefusal(ctx context.Context, id string, verdict apitype.Verdict, note string) (apitype.FilterReview, error) {
	if err := checkReason("note", note); err != nil {
		return apitype.FilterReview{}, err
	}
	var r store.FilterRefusal
	err := o.db.Write(ctx, func(tx *store.Tx) (err error) {
		if r, err = tx.JudgeRefusal(id, string(verdict), note, o.name, o.opts.Now()); err != nil {
			return err
		}
		return o.record(store.Action{Action: "judge refusal", Wallet: r.Wallet, Target: id, Detail: string(verdict), Reason: note})(tx)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = atelier.Missing("id", id, "refusal")
	}
	if err != nil {
		return apitype.FilterReview{}, err
	}
	names, err := o.usernames(ctx, []atelier.Wallet{r.Wallet})
	return newReview(r, names), err
}

// mostRefusals is how many refusals of the content filter are kept. store.InsertRefusal
// limits those of one account.
const mostRefusals = 10_000

// Sweep removes old samples and the refusals of the content filter that are older than an age, if it is not zero, and
// returns how many refusals it removed.
func (e *Engine) Sweep(ctx context.Context, refusals time.Duration) (removed int64, err error) {
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.DeleteSamples(e.opts.Now().Add(-sampleAge)); err != nil {
			return err
		}
		if err := tx.DeleteWorkerSamples(e.opts.Now()); err != nil {
			return err
		}
		var before time.Time
		if refusals > 0 {
			before = e.opts.Now().Add(-refusals)
		}
		removed, err = tx.ExpireRefusals(before, mostRefusals)
		return err
	})
	return removed, err
}
