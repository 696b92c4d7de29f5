package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
)

// patience is how long a delivery is tried, and how long a webhook may fail before it is disabled.
const patience = 24 * time.Hour

// pauseAfter is the pause after a number of failed attempts of a delivery.
func pauseAfter(tries int) time.Duration { return pause(tries, 5*time.Second, time.Hour) }

// restAfter is how long a webhook rests after a number of failures in a row, whatever the deliveries: a receiver
// that is down is not tried with every event that waits.
func restAfter(failures int) time.Duration { return pause(failures, time.Second, 5*time.Minute) }

func pause(times int, first, most time.Duration) (d time.Duration) {
	b := clock.Backoff{First: first, Most: most}
	for range min(times, 40) {
		d = b.Next()
	}
	return d
}

// attempt is what came of one attempt.
type attempt struct {
	at     time.Time
	took   time.Duration
	code   int    // of the answer; 0 without one
	answer string // its beginning
	fault  string // why it failed; empty when it did not
	gone   bool   // the receiver wants no more
}

// deliver makes one attempt to deliver an event, and records what came of it.
func (e *Engine) deliver(ctx context.Context, j atelier.Job, _ fleet.Put) ([]apitype.ReportedArtifact, error) {
	var (
		d      atelier.Delivery
		w      store.StoredWebhook
		active bool
	)
	err := e.db.Snapshot(ctx, func(tx *store.Tx) (err error) {
		if d, err = tx.Delivery(j.Owner.ID, j.Owner.Part); err != nil {
			return err
		}
		if w, err = tx.Webhook(j.Wallet, j.Owner.ID); err != nil {
			return err
		}
		owner, err := tx.Account(j.Wallet)
		active = owner.SuspendedAt.IsZero()
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && (d.Status != atelier.DeliverySending || d.JobID != j.ID) {
		return nil, nil // it was removed, or its outcome is recorded
	}
	if err != nil {
		return nil, err
	}
	var a attempt
	switch {
	case w.Status != atelier.WebhookEnabled:
		a = attempt{at: e.now(), fault: disabledError, gone: true}
	case !active:
		a = attempt{at: e.now(), fault: "The account is suspended."}
	default:
		if a, err = e.send(ctx, w, d); err != nil {
			return nil, err
		}
	}
	return nil, e.record(ctx, j, a)
}

// The bounds of what is kept of an answer.
const (
	readBytes   = 4 << 10
	answerRunes = 500
)

// send makes the request of a delivery. It fails only when nothing is known about the receiver.
func (e *Engine) send(ctx context.Context, w store.StoredWebhook, d atelier.Delivery) (a attempt, err error) {
	a.at = e.now()
	secrets, err := e.secrets(w, a.at)
	if err != nil {
		a.fault = "Its secret cannot be read, because the session secret of this installation has changed: rotate it."
		return a, nil
	}
	header, err := headers(d.ID, a.at, d.Body, secrets)
	if err != nil {
		return a, err
	}
	url := w.URL
	if d.URL != "" {
		url = d.URL
	}
	began := time.Now()
	answer, err := e.web.Open(ctx, fetch.Request{URL: url, Post: d.Body, Header: header})
	defer func() { a.took = time.Since(began) }()
	if ctx.Err() != nil {
		if err == nil {
			answer.Close()
		}
		return a, context.Cause(ctx) // the node stops
	}
	if err != nil {
		a.fault = err.Error() // it is for the one who named the address
		return a, nil
	}
	defer answer.Close()
	a.code = answer.Status
	text, _ := io.ReadAll(io.LimitReader(answer, readBytes)) // an answer that is interrupted has a status all the same
	a.answer = printable(string(text))
	switch {
	case a.code >= 200 && a.code < 300:
	case a.code == http.StatusGone:
		a.fault, a.gone = "The receiver answered with status 410: it wants no more events.", true
	case a.code >= 300 && a.code < 400:
		a.fault = fmt.Sprintf("The receiver answered with status %d. Redirects are not followed.", a.code)
	default:
		a.fault = fmt.Sprintf("The receiver answered with status %d.", a.code)
	}
	return a, nil
}

// printable is the beginning of an answer as it is shown and stored.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if runes := []rune(text); len(runes) > answerRunes {
		text = string(runes[:answerRunes]) + "…"
	}
	return text
}

// disabledError is why a delivery of a webhook failed that was disabled.
const disabledError = "The webhook was disabled."

// record stores what came of an attempt.
func (e *Engine) record(ctx context.Context, j atelier.Job, a attempt) error {
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		d, err := tx.Delivery(j.Owner.ID, j.Owner.Part)
		if err != nil {
			return err
		}
		w, err := tx.Webhook(j.Wallet, j.Owner.ID)
		if err != nil {
			return err
		}
		now := e.now()
		d.Tries++
		d.SentAt, d.Took, d.Code, d.Answer, d.Error = a.at, a.took, a.code, a.answer, a.fault
		if d.FirstAt.IsZero() {
			d.FirstAt = a.at
		}
		switch {
		case a.fault == "":
			d.Status, d.EndedAt = atelier.DeliveryDone, now
		case a.gone || d.Type == atelier.HookTest || w.Status != atelier.WebhookEnabled || now.Sub(d.FirstAt) >= patience:
			d.Status, d.EndedAt = atelier.DeliveryFailed, now
		default:
			d.Status, d.NextAt = atelier.DeliveryWaiting, now.Add(pauseAfter(d.Tries))
		}
		if err := tx.MoveDelivery(d, atelier.DeliverySending, j.ID); err != nil {
			return err
		}
		tx.OnCommit(func() {
			end := string(d.Status)
			if d.Status == atelier.DeliveryWaiting {
				end = "retried"
			}
			e.tries.Observe(a.took.Seconds(), end)
		})
		if a.fault != "" {
			tx.OnCommit(func() {
				e.opts.Log.Info("webhook delivery failed", "webhook", w.ID, "delivery", d.ID, "tries", d.Tries, "status", d.Status, "error", a.fault)
			})
		}
		if d.Type == atelier.HookTest && a.fault != "" {
			return nil // no event was lost
		}
		return e.recordHealth(tx, w.Webhook, a, now)
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil // it was removed meanwhile, or another attempt was recorded
	}
	return err
}

// recordHealth stores whether a webhook fails, and disables one that has failed for too long.
func (e *Engine) recordHealth(tx *store.Tx, w atelier.Webhook, a attempt, now time.Time) error {
	switch {
	case w.IsForRequests() || w.Status != atelier.WebhookEnabled || a.fault == "" && w.Failures == 0:
		return nil
	case a.fault == "":
		w.FailingSince, w.Failures, w.ResumeAt = time.Time{}, 0, time.Time{}
		return tx.SetWebhookHealth(w)
	}
	if w.FailingSince.IsZero() {
		w.FailingSince = a.at
	}
	switch {
	case a.gone:
		return e.disable(tx, w, a.fault)
	case now.Sub(w.FailingSince) >= patience:
		return e.disable(tx, w, fmt.Sprintf("No event has arrived since %s. The last attempt: %s", w.FailingSince.Format(time.RFC3339), a.fault))
	}
	w.Failures++
	w.ResumeAt = now.Add(restAfter(w.Failures))
	return tx.SetWebhookHealth(w)
}

// disable disables a webhook that fails. Its deliveries that wait have failed: they can be redelivered.
func (e *Engine) disable(tx *store.Tx, w atelier.Webhook, why string) error {
	now := e.now()
	w.Status, w.Reason, w.DisabledAt, w.UpdatedAt = atelier.WebhookDisabled, why, now, now
	if err := tx.UpdateWebhook(w); err != nil {
		return err
	}
	tx.OnCommit(func() { e.opts.Log.Warn("webhook disabled", "webhook", w.ID, "wallet", w.Wallet, "reason", why) })
	return tx.FailWaiting(w.ID, disabledError, now)
}
