package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/cursor"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// RequestsID names, in the place of an id, the webhook of an account that stands for those that requests name.
const RequestsID = "requests"

// oldSecretLife is how long a secret signs after it was rotated.
const oldSecretLife = 24 * time.Hour

// maxURL is the longest address of a webhook, in bytes.
const maxURL = 2048

// CheckURL refuses an address that nothing is sent to. The field names it.
func (e *Engine) CheckURL(field, url string) error {
	if len(url) > maxURL {
		return atelier.Refuse(field, "is longer than %d bytes.", maxURL)
	}
	err := e.web.CheckURL(url)
	var refused *atelier.Error
	if errors.As(err, &refused) {
		return atelier.Refuse(field, "cannot be used. %s", refused.Message)
	}
	return err
}

// shape is a webhook as its owner reads it.
func (e *Engine) shape(w store.StoredWebhook) apitype.Webhook {
	out := apitype.Webhook{
		ID: w.ID, Events: w.Events, Status: w.Status, Reason: w.Reason, CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt,
		DisabledAt: given(w.DisabledAt), FailingSince: given(w.FailingSince),
	}
	if !w.IsForRequests() {
		out.URL = &w.URL
	}
	if w.SealedBefore != "" && e.now().Before(w.BeforeUntil) {
		out.OldSecretEnd = &w.BeforeUntil
	}
	return out
}

// shapeNow is a webhook as its owner reads it, with the next attempt while it fails.
func (e *Engine) shapeNow(tx *store.Tx, w store.StoredWebhook) (apitype.Webhook, error) {
	out := e.shape(w)
	if w.Status != atelier.WebhookEnabled || w.FailingSince.IsZero() {
		return out, nil
	}
	next, err := tx.NextAttempt(w.ID)
	out.NextAttempt = given(due(w, next))
	return out, err
}

// due is when a delivery of a webhook is sent that waits until next: not while the webhook rests.
func due(w store.StoredWebhook, next time.Time) time.Time {
	if !next.IsZero() && next.Before(w.ResumeAt) {
		return w.ResumeAt
	}
	return next
}

// given is a time, or nil if it is zero.
func given(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// find finds a webhook of an account.
func find(tx *store.Tx, owner atelier.Wallet, id string) (w store.StoredWebhook, err error) {
	if id == RequestsID {
		w, err = tx.RequestsWebhook(owner)
	} else {
		w, err = tx.Webhook(owner, id)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = atelier.Missing("id", id, "webhook")
	}
	return w, err
}

// List lists the webhooks of an account.
func (e *Engine) List(ctx context.Context, owner atelier.Wallet) (apitype.Webhooks, error) {
	out := apitype.Webhooks{Webhooks: []apitype.Webhook{}, Private: e.opts.Fetch.AllowPrivate}
	err := e.db.Read(ctx, func(tx *store.Tx) error {
		hooks, err := tx.Webhooks(owner)
		for _, w := range hooks {
			shape, err := e.shapeNow(tx, w)
			if err != nil {
				return err
			}
			if w.IsForRequests() {
				out.Requests = &shape
			} else {
				out.Webhooks = append(out.Webhooks, shape)
			}
		}
		return err
	})
	return out, err
}

// Read shows a webhook of an account.
func (e *Engine) Read(ctx context.Context, owner atelier.Wallet, id string) (out apitype.Webhook, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		w, err := find(tx, owner, id)
		if err == nil {
			out, err = e.shapeNow(tx, w)
		}
		return err
	})
	return out, err
}

// Create adds a webhook to an account. Only this answer has its secret.
func (e *Engine) Create(ctx context.Context, owner atelier.Wallet, url string, events []atelier.WebhookEvent) (apitype.Webhook, error) {
	if err := e.CheckURL("url", url); err != nil {
		return apitype.Webhook{}, err
	}
	w, secret, err := e.fresh(owner, url, compact(events))
	if err != nil {
		return apitype.Webhook{}, err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := lockActive(tx, owner); err != nil {
			return err
		}
		hooks, err := tx.Webhooks(owner)
		if err != nil {
			return err
		}
		hooks = slices.DeleteFunc(hooks, func(w store.StoredWebhook) bool { return w.IsForRequests() })
		if len(hooks) >= e.opts.Limit {
			return atelier.Errorf(atelier.CodeWrongState, "This account has %d webhooks; the limit is %d. Delete one first.", len(hooks), e.opts.Limit)
		}
		return tx.InsertWebhook(w)
	})
	out := e.shape(w)
	out.Secret = secret
	return out, err
}

// lockActive locks an account, and refuses one that is suspended.
func lockActive(tx *store.Tx, owner atelier.Wallet) error {
	active, err := tx.LockForWork(owner)
	if err == nil && !active {
		err = &atelier.Error{Code: atelier.CodeAccountSuspended}
	}
	return err
}

// compact sorts events and removes those that are named twice.
func compact(events []atelier.WebhookEvent) []atelier.WebhookEvent {
	return slices.Compact(slices.Sorted(slices.Values(events)))
}

// fresh makes a new webhook and its secret.
func (e *Engine) fresh(owner atelier.Wallet, url string, events []atelier.WebhookEvent) (w store.StoredWebhook, secret string, err error) {
	now := e.now()
	w.Webhook = atelier.Webhook{ID: "wh_" + mint.OrderedUUID(), Wallet: owner, URL: url, Events: events, Status: atelier.WebhookEnabled, CreatedAt: now, UpdatedAt: now}
	secret = newSecret()
	w.Sealed, err = e.sealer.Seal(ownerKind, w.ID, secret)
	return w, secret, err
}

// Admit prepares an account for a webhook that a request names, in the transaction of the start: from then on it
// has the secret that signs its deliveries.
func (e *Engine) Admit(tx *store.Tx, owner atelier.Wallet) error {
	_, err := tx.RequestsWebhook(owner)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	w, _, err := e.fresh(owner, "", []atelier.WebhookEvent{})
	if err != nil {
		return err
	}
	return tx.InsertWebhook(w)
}

// Change is what an owner changes. What is nil stays as it is.
type Change struct {
	URL    *string
	Events *[]atelier.WebhookEvent
	Status *atelier.WebhookStatus
}

// Update changes a webhook of an account.
func (e *Engine) Update(ctx context.Context, owner atelier.Wallet, id string, c Change) (out apitype.Webhook, err error) {
	if c.URL != nil {
		if err := e.CheckURL("url", *c.URL); err != nil {
			return out, err
		}
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(owner); err != nil {
			return err
		}
		w, err := find(tx, owner, id)
		if err != nil {
			return err
		}
		if w.IsForRequests() {
			return errForRequests("changed")
		}
		if c.URL != nil {
			w.URL = *c.URL
		}
		if c.Events != nil {
			w.Events = compact(*c.Events)
		}
		w.UpdatedAt = store.NextTime(w.UpdatedAt, e.now())
		ends := false
		if c.Status != nil {
			ends = *c.Status == atelier.WebhookDisabled && w.Status == atelier.WebhookEnabled
			switch {
			case ends:
				w.DisabledAt, w.Reason = w.UpdatedAt, ""
			case *c.Status == atelier.WebhookEnabled:
				w.DisabledAt, w.Reason = time.Time{}, ""
			}
			w.Status = *c.Status
		}
		w.FailingSince = time.Time{} // what failed before no longer counts
		if err := tx.UpdateWebhook(w.Webhook); err != nil {
			return err
		}
		if ends {
			err = tx.FailWaiting(w.ID, disabledError, w.UpdatedAt)
		}
		tx.OnCommit(func() { e.bus.Publish(topic) })
		out = e.shape(w)
		return err
	})
	return out, err
}

func errForRequests(what string) error {
	return atelier.Errorf(atelier.CodeWrongState, "This webhook stands for those that requests name, and cannot be %s. Its secret can be rotated.", what)
}

// Delete removes a webhook of an account and its delivery log. What is being sent may still arrive.
func (e *Engine) Delete(ctx context.Context, owner atelier.Wallet, id string) error {
	return e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		w, err := find(tx, owner, id)
		if err != nil {
			return err
		}
		if w.IsForRequests() {
			return errForRequests("deleted")
		}
		err = tx.DeleteWebhook(owner, w.ID)
		if errors.Is(err, store.ErrNotFound) {
			return atelier.Missing("id", id, "webhook")
		}
		if err != nil {
			return err
		}
		return tx.DeleteEndedJobs(atelier.JobOwner{Kind: ownerKind, ID: w.ID}, "")
	})
}

// Rotate gives a webhook a new secret, which only this answer has. The one before signs too, for a day.
func (e *Engine) Rotate(ctx context.Context, owner atelier.Wallet, id string) (out apitype.Webhook, err error) {
	secret := newSecret()
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := lockActive(tx, owner); err != nil {
			return err
		}
		if id == RequestsID {
			if err := e.Admit(tx, owner); err != nil {
				return err
			}
		}
		w, err := find(tx, owner, id)
		if err != nil {
			return err
		}
		w.UpdatedAt = store.NextTime(w.UpdatedAt, e.now())
		w.SealedBefore, w.BeforeUntil = w.Sealed, w.UpdatedAt.Add(oldSecretLife)
		if w.Sealed, err = e.sealer.Seal(ownerKind, w.ID, secret); err != nil {
			return err
		}
		out = e.shape(w)
		out.Secret = secret
		return tx.SetWebhookSecret(w)
	})
	return out, err
}

// Secret is the secret that signs what webhooks of requests get. Protocols whose clients read it need it.
func (e *Engine) Secret(ctx context.Context, owner atelier.Wallet) (secret string, err error) {
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := lockActive(tx, owner); err != nil {
			return err
		}
		if err := e.Admit(tx, owner); err != nil {
			return err
		}
		w, err := tx.RequestsWebhook(owner)
		if err == nil {
			secret, err = e.sealer.Open(ownerKind, w.ID, w.Sealed)
		}
		return err
	})
	return secret, err
}

// deliveriesList names the list in cursors.
const deliveriesList = "webhook-deliveries"

// Query selects a part of a delivery log.
type Query struct {
	Status atelier.DeliveryStatus // any when empty
	Cursor string
	Limit  int
}

// Deliveries lists the deliveries of a webhook of an account, newest first.
func (e *Engine) Deliveries(ctx context.Context, owner atelier.Wallet, id string, q Query) (apitype.WebhookDeliveries, error) {
	out := apitype.WebhookDeliveries{Deliveries: []apitype.WebhookDelivery{}}
	place, err := cursor.Decode(deliveriesList, q.Cursor, 2)
	if err != nil {
		return out, err
	}
	at, err := place.Time(0)
	if err != nil {
		return out, err
	}
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		w, err := find(tx, owner, id)
		if err != nil {
			return err
		}
		list, err := tx.Deliveries(w.ID, q.Status, at, place.Text(1), q.Limit+1)
		if len(list) > q.Limit {
			list = list[:q.Limit]
			last := list[q.Limit-1]
			out.NextCursor = cursor.Encode(deliveriesList, cursor.Time(last.CreatedAt), last.ID)
		}
		for _, d := range list {
			out.Deliveries = append(out.Deliveries, deliveryShape(w, d))
		}
		return err
	})
	return out, err
}

func deliveryShape(w store.StoredWebhook, d atelier.Delivery) apitype.WebhookDelivery {
	out := apitype.WebhookDelivery{
		ID: d.ID, WebhookID: d.WebhookID, URL: w.URL, Type: d.Type, Subject: d.Subject, Status: d.Status, Attempts: d.Tries, Response: d.Answer, Error: d.Error,
		CreatedAt: d.CreatedAt, LastAttemptAt: given(d.SentAt), EndedAt: given(d.EndedAt),
	}
	_ = wire.Unmarshal(d.Body, &out.Payload) // we have written it
	if d.URL != "" {
		out.URL = d.URL
	}
	if d.Code != 0 {
		out.ResponseStatus = &d.Code
	}
	if d.Tries > 0 && !d.SentAt.IsZero() {
		ms := d.Took.Milliseconds()
		out.DurationMs = &ms
	}
	if d.Status == atelier.DeliveryWaiting {
		out.NextAttemptAt = given(due(w, d.NextAt))
	}
	return out
}

// Test sends an event to a webhook of an account that is about nothing, at once and in one attempt, which does not
// count as a failure of the webhook. One that is on its way already is not sent twice.
func (e *Engine) Test(ctx context.Context, owner atelier.Wallet, id string) (out apitype.WebhookDelivery, err error) {
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := lockActive(tx, owner); err != nil {
			return err
		}
		w, err := find(tx, owner, id)
		switch {
		case err != nil:
			return err
		case w.IsForRequests():
			return errForRequests("tested")
		case w.Status != atelier.WebhookEnabled:
			return errDisabled(w)
		}
		d, err := tx.OpenTest(w.ID)
		if errors.Is(err, store.ErrNotFound) {
			d, err = e.newTest(tx, w)
		}
		out = deliveryShape(w, d)
		return err
	})
	return out, err
}

func (e *Engine) newTest(tx *store.Tx, w store.StoredWebhook) (d atelier.Delivery, err error) {
	d = atelier.Delivery{ID: store.NewDeliveryID(), WebhookID: w.ID, Wallet: w.Wallet, Type: atelier.HookTest, Status: atelier.DeliveryWaiting, NextAt: e.now(), CreatedAt: e.now()}
	d.Subject = d.ID // it waits for no other
	d.Body, err = wire.Marshal(apitype.WebhookPayload[apitype.WebhookTest]{
		Type: d.Type, Timestamp: d.CreatedAt, Data: apitype.WebhookTest{WebhookID: w.ID, Message: "This is a test of the webhook. Nothing has happened."},
	})
	if err != nil {
		return d, err
	}
	if err := tx.InsertDelivery(d); err != nil {
		return d, err
	}
	w.ResumeAt = time.Time{}
	return d, tx.SetWebhookHealth(w.Webhook)
}

func errDisabled(w store.StoredWebhook) error {
	return atelier.Errorf(atelier.CodeWrongState, "The webhook is disabled: enable it first.").With("status", w.Status)
}

// Redeliver sends an event again that has ended, with the same id and a day of attempts. One that waits for its next
// attempt is tried at once.
func (e *Engine) Redeliver(ctx context.Context, owner atelier.Wallet, id, deliveryID string) (out apitype.WebhookDelivery, err error) {
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := lockActive(tx, owner); err != nil {
			return err
		}
		w, err := find(tx, owner, id)
		if err != nil {
			return err
		}
		d, err := tx.Delivery(w.ID, deliveryID)
		if errors.Is(err, store.ErrNotFound) {
			return atelier.Missing("deliveryId", deliveryID, "delivery")
		}
		switch {
		case err != nil:
			return err
		case w.Status != atelier.WebhookEnabled:
			return errDisabled(w)
		case d.Status == atelier.DeliveryWaiting && d.Tries > 0:
			d.NextAt = e.now()
			w.ResumeAt = time.Time{}
			out = deliveryShape(w, d)
			return errors.Join(tx.HastenDelivery(d, d.NextAt), tx.SetWebhookHealth(w.Webhook))
		case d.EndedAt.IsZero():
			return atelier.Errorf(atelier.CodeWrongState, "The delivery is %s: it has not ended yet.", d.Status).With("status", d.Status)
		}
		from, job := d.Status, d.JobID
		d.Status, d.JobID, d.Tries, d.FirstAt, d.EndedAt, d.NextAt = atelier.DeliveryWaiting, "", 0, time.Time{}, time.Time{}, e.now()
		if err := tx.MoveDelivery(d, from, job); err != nil {
			return fmt.Errorf("redeliver %s: %w", d.ID, err)
		}
		out = deliveryShape(w, d)
		return nil
	})
	return out, err
}
