package store

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/wire"
)

// StoredWebhook is a webhook and its secrets, which the engine of webhooks seals and opens.
type StoredWebhook struct {
	atelier.Webhook
	Sealed       string
	SealedBefore string // the secret before the last rotation; it signs too until BeforeUntil
	BeforeUntil  time.Time
}

const webhookColumns = `w.id, w.wallet, w.url, w.events, w.status, w.reason, w.disabled_at, w.failing_since, w.failures, w.resume_at, w.sealed,
	w.sealed_before, w.before_until, w.created_at, w.updated_at`

func (tx *Tx) webhooks(tail string, args ...any) (out []StoredWebhook, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			w      StoredWebhook
			events string
			at     [6]int64
		)
		if err := scan(&w.ID, &w.Wallet, &w.URL, &events, &w.Status, &w.Reason, &at[0], &at[1], &w.Failures, &at[2], &w.Sealed, &w.SealedBefore, &at[3], &at[4], &at[5]); err != nil {
			return err
		}
		if err := wire.Unmarshal([]byte(events), &w.Events); err != nil {
			return fmt.Errorf("webhook %s: %w", w.ID, err)
		}
		for i, t := range []*time.Time{&w.DisabledAt, &w.FailingSince, &w.ResumeAt, &w.BeforeUntil, &w.CreatedAt, &w.UpdatedAt} {
			*t = database.FromMillis(at[i])
		}
		out = append(out, w)
		return nil
	}, `SELECT `+webhookColumns+` FROM webhook w `+tail, args...)
	return out, err
}

func oneWebhook(found []StoredWebhook, err error) (StoredWebhook, error) {
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return StoredWebhook{}, err
	}
	return found[0], nil
}

// Webhooks lists the webhooks of an account, oldest first. They are few.
func (tx *Tx) Webhooks(owner atelier.Wallet) ([]StoredWebhook, error) {
	return tx.webhooks(`WHERE w.wallet = $1 ORDER BY w.created_at, w.id`, string(owner))
}

// Webhook finds a webhook of an account.
func (tx *Tx) Webhook(owner atelier.Wallet, id string) (StoredWebhook, error) {
	return oneWebhook(tx.webhooks(`WHERE w.id = $1 AND w.wallet = $2`, id, string(owner)))
}

// RequestsWebhook finds the webhook of an account that stands for those that requests name.
func (tx *Tx) RequestsWebhook(owner atelier.Wallet) (StoredWebhook, error) {
	return oneWebhook(tx.webhooks(`WHERE w.wallet = $1 AND w.url = ''`, string(owner)))
}

// WebhooksAfter lists webhooks of all accounts after the given one: at most limit.
func (tx *Tx) WebhooksAfter(after string, limit int) ([]StoredWebhook, error) {
	return tx.webhooks(`WHERE w.id > $1 ORDER BY w.id LIMIT $2`, after, limit)
}

// InsertWebhook stores a new webhook, unless it stands for those that requests name and the account has one.
func (tx *Tx) InsertWebhook(w StoredWebhook) error {
	events, err := wire.Marshal(w.Events)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO webhook (id, wallet, url, events, status, reason, disabled_at, failing_since, failures, resume_at, sealed, sealed_before, before_until, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, '', 0, 0, 0, 0, $6, '', 0, $7, $7) ON CONFLICT DO NOTHING`,
		w.ID, string(w.Wallet), w.URL, string(events), string(w.Status), w.Sealed, database.Millis(w.CreatedAt))
	return err
}

// UpdateWebhook stores the URL, the events and the status of a webhook. What failed before no longer counts.
func (tx *Tx) UpdateWebhook(w atelier.Webhook) error {
	events, err := wire.Marshal(w.Events)
	if err != nil {
		return err
	}
	return tx.Must(`UPDATE webhook SET url = $3, events = $4, status = $5, reason = $6, disabled_at = $7, failing_since = 0, failures = 0, resume_at = 0, updated_at = $8
		WHERE id = $1 AND wallet = $2`,
		w.ID, string(w.Wallet), w.URL, string(events), string(w.Status), w.Reason, database.Millis(w.DisabledAt), database.Millis(w.UpdatedAt))
}

// SetWebhookSecret stores the sealed secrets of a webhook.
func (tx *Tx) SetWebhookSecret(w StoredWebhook) error {
	return tx.Must(`UPDATE webhook SET sealed = $2, sealed_before = $3, before_until = $4, updated_at = $5 WHERE id = $1`,
		w.ID, w.Sealed, w.SealedBefore, database.Millis(w.BeforeUntil), database.Millis(w.UpdatedAt))
}

// SetWebhookHealth stores since when, how often and until when a webhook has failed.
func (tx *Tx) SetWebhookHealth(w atelier.Webhook) error {
	_, err := tx.Exec(`UPDATE webhook SET failing_since = $2, failures = $3, resume_at = $4 WHERE id = $1`,
		w.ID, database.Millis(w.FailingSince), w.Failures, database.Millis(w.ResumeAt))
	return err
}

// DeleteWebhook removes a webhook and its deliveries.
func (tx *Tx) DeleteWebhook(owner atelier.Wallet, id string) error {
	if err := tx.Must(`DELETE FROM webhook WHERE id = $1 AND wallet = $2`, id, string(owner)); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM webhook_delivery WHERE webhook_id = $1`, id)
	return err
}

// Notice is an event of an account that its webhooks may want.
type Notice struct {
	Wallet  atelier.Wallet
	Type    atelier.WebhookEvent
	Subject string // what the event is about; the caller has locked it, so that its events have an order
	At      time.Time
	Data    func() any              // is called only when a webhook wants the event
	Request *atelier.RequestWebhook // that the request of the subject has named; may be nil
	Body    func() any              // what the webhook of the request gets, if its protocol has its own shape
}

// NotifyWebhooks stores an event for each webhook of the account that wants it, in the transaction of the change
// that it reports. Without such a webhook it costs one read of an index.
func (tx *Tx) NotifyWebhooks(n Notice) error {
	hooks, err := tx.webhooks(`WHERE w.wallet = $1 AND w.status = 'enabled' ORDER BY w.id`, string(n.Wallet))
	if err != nil || len(hooks) == 0 {
		return err
	}
	hooks = slices.DeleteFunc(hooks, func(w StoredWebhook) bool {
		if w.IsForRequests() {
			return n.Request == nil || !n.Type.IsIn(n.Request.Events)
		}
		return n.Type == atelier.HookStarted || !n.Type.IsIn(w.Events)
	})
	usual := sync.OnceValues(func() ([]byte, error) {
		return wire.Marshal(apitype.WebhookPayload[any]{Type: n.Type, Timestamp: n.At.UTC().Truncate(time.Millisecond), Data: n.Data()})
	})
	for _, w := range hooks {
		url, read := "", usual
		if w.IsForRequests() {
			url = n.Request.URL
			if n.Body != nil {
				read = func() ([]byte, error) { return wire.Marshal(n.Body()) }
			}
		}
		body, err := read()
		if err != nil {
			return err
		}
		err = tx.InsertDelivery(atelier.Delivery{ID: NewDeliveryID(), WebhookID: w.ID, Wallet: n.Wallet, URL: url, Subject: n.Subject, Type: n.Type, Body: body, CreatedAt: n.At})
		if err != nil {
			return err
		}
	}
	return nil
}

// NewDeliveryID is the id of a new delivery.
func NewDeliveryID() string { return "msg_" + mint.OrderedUUID() }

// InsertDelivery stores a new delivery, which is due at once and the last of its subject.
func (tx *Tx) InsertDelivery(d atelier.Delivery) error {
	tx.touch(d.Wallet, TopicWebhooks)
	_, err := tx.Exec(`INSERT INTO webhook_delivery (id, webhook_id, wallet, url, subject, sequence, type, body, status, job_id, tries, first_at, next_at, sent_at, took, code, answer, error, created_at, ended_at)
		VALUES ($1, $2, $3, $4, $5, (SELECT COALESCE(MAX(d.sequence), 0) + 1 FROM webhook_delivery d WHERE d.webhook_id = $2 AND d.subject = $5), $6, $7, 'waiting', '', 0, 0, $8, 0, 0, 0, '', '', $8, 0)`,
		d.ID, d.WebhookID, string(d.Wallet), d.URL, d.Subject, string(d.Type), string(d.Body), database.Millis(d.CreatedAt))
	return err
}

const deliveryColumns = `d.id, d.webhook_id, d.wallet, d.url, d.subject, d.sequence, d.type, d.body, d.status, d.job_id, d.tries, d.first_at, d.next_at, d.sent_at,
	d.took, d.code, d.answer, d.error, d.created_at, d.ended_at`

func (tx *Tx) deliveries(tail string, args ...any) (out []atelier.Delivery, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			d    atelier.Delivery
			body string
			took int64
			at   [5]int64
		)
		if err := scan(&d.ID, &d.WebhookID, &d.Wallet, &d.URL, &d.Subject, &d.Sequence, &d.Type, &body, &d.Status, &d.JobID, &d.Tries, &at[0], &at[1], &at[2],
			&took, &d.Code, &d.Answer, &d.Error, &at[3], &at[4]); err != nil {
			return err
		}
		for i, t := range []*time.Time{&d.FirstAt, &d.NextAt, &d.SentAt, &d.CreatedAt, &d.EndedAt} {
			*t = database.FromMillis(at[i])
		}
		d.Body, d.Took = []byte(body), time.Duration(took)*time.Millisecond
		out = append(out, d)
		return nil
	}, `SELECT `+deliveryColumns+` FROM webhook_delivery d `+tail, args...)
	return out, err
}

// Delivery finds a delivery of a webhook.
func (tx *Tx) Delivery(webhookID, id string) (atelier.Delivery, error) {
	return oneDelivery(tx.deliveries(`WHERE d.id = $1 AND d.webhook_id = $2`, id, webhookID))
}

func oneDelivery(found []atelier.Delivery, err error) (atelier.Delivery, error) {
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return atelier.Delivery{}, err
	}
	return found[0], nil
}

// OpenTest finds the test of a webhook that is on its way.
func (tx *Tx) OpenTest(webhookID string) (atelier.Delivery, error) {
	return oneDelivery(tx.deliveries(`WHERE d.webhook_id = $1 AND d.type = $2 AND d.status IN ('waiting', 'sending') LIMIT 1`, webhookID, string(atelier.HookTest)))
}

// Deliveries lists the deliveries of a webhook in a status, or in any when it is empty, newest first: at most
// limit, before the given one.
func (tx *Tx) Deliveries(webhookID string, status atelier.DeliveryStatus, at time.Time, id string, limit int) ([]atelier.Delivery, error) {
	var q conditions
	q.add(true, `d.webhook_id = `, webhookID)
	q.add(status != "", `d.status = `, string(status))
	if id != "" {
		q.and(`(d.created_at, d.id) < (` + q.param(database.Millis(at)) + `, ` + q.param(id) + `)`)
	}
	return tx.deliveries(q.where()+` ORDER BY d.created_at DESC, d.id DESC LIMIT `+q.param(limit), q.args...)
}

// RequestsAtOnce is how many deliveries of requests of one account are sent at once: each may go to another
// receiver. A webhook gets one after the other.
const RequestsAtOnce = 4

// AnyDue reports whether a delivery waits, and whether one of a webhook that is not busy is due.
func (tx *Tx) AnyDue(now time.Time) (waits, due bool, err error) {
	err = tx.Row(`SELECT EXISTS (SELECT 1 FROM webhook_delivery WHERE status = 'waiting')`).Scan(&waits)
	if err != nil || !waits {
		return waits, false, err
	}
	found, err := tx.DueWebhooks(now, 1)
	return true, len(found) > 0, err
}

// dueDeliveries are the deliveries that are due at $1, before which no other of their subject is on its way.
const dueDeliveries = `d.status = 'waiting' AND d.next_at <= $1 AND NOT EXISTS (SELECT 1 FROM webhook_delivery e
	WHERE e.webhook_id = d.webhook_id AND e.subject = d.subject AND (e.sequence, e.id) < (d.sequence, d.id) AND e.status IN ('waiting', 'sending'))`

// DueWebhooks lists the webhooks that have a delivery that is due, and are not busy: those first whose delivery
// has waited longest.
func (tx *Tx) DueWebhooks(now time.Time, limit int) ([]StoredWebhook, error) {
	return tx.webhooks(`JOIN (SELECT d.webhook_id, MIN(d.next_at) AS first FROM webhook_delivery d WHERE `+dueDeliveries+` GROUP BY d.webhook_id) due
		ON due.webhook_id = w.id WHERE w.resume_at <= $1 AND (SELECT COUNT(*) FROM webhook_delivery s WHERE s.webhook_id = w.id AND s.status = 'sending') <
		CASE WHEN w.url = '' THEN $3 ELSE 1 END ORDER BY due.first, w.id LIMIT $2`, database.Millis(now), limit, RequestsAtOnce)
}

// DueDeliveries lists the deliveries of a webhook that are due: at most limit.
func (tx *Tx) DueDeliveries(webhookID string, now time.Time, limit int) ([]atelier.Delivery, error) {
	return tx.deliveries(`WHERE d.webhook_id = $2 AND `+dueDeliveries+` ORDER BY d.next_at, d.id LIMIT $3`, database.Millis(now), webhookID, limit)
}

// CountSending counts the deliveries of a webhook that are under way.
func (tx *Tx) CountSending(webhookID string) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM webhook_delivery WHERE webhook_id = $1 AND status = 'sending'`, webhookID).Scan(&n)
	return n, err
}

// CountWaiting counts the deliveries of a webhook that wait.
func (tx *Tx) CountWaiting(webhookID string) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM webhook_delivery WHERE webhook_id = $1 AND status = 'waiting'`, webhookID).Scan(&n)
	return n, err
}

// MoveDelivery stores a delivery that was read in another status, with another job. ErrNotFound means that it has
// changed since. A move that atelier.DeliveryMoves does not have is an error.
func (tx *Tx) MoveDelivery(d atelier.Delivery, from atelier.DeliveryStatus, job atelier.JobID) error {
	if !from.May(d.Status) {
		return fmt.Errorf("store: a delivery may not move from %q to %q", from, d.Status)
	}
	tx.touch(d.Wallet, TopicWebhooks)
	return tx.Must(`UPDATE webhook_delivery SET status = $4, job_id = $5, tries = $6, first_at = $7, next_at = $8, sent_at = $9, took = $10, code = $11, answer = $12, error = $13, ended_at = $14
		WHERE id = $1 AND status = $2 AND job_id = $3`, d.ID, string(from), string(job), string(d.Status), string(d.JobID), d.Tries, database.Millis(d.FirstAt), database.Millis(d.NextAt),
		database.Millis(d.SentAt), d.Took.Milliseconds(), d.Code, d.Answer, d.Error, database.Millis(d.EndedAt))
}

// NextAttempt is when the first delivery of a webhook that waits is due; zero when none waits.
func (tx *Tx) NextAttempt(webhookID string) (time.Time, error) {
	var at int64
	err := tx.Row(`SELECT COALESCE(MIN(next_at), 0) FROM webhook_delivery WHERE webhook_id = $1 AND status = 'waiting'`, webhookID).Scan(&at)
	return database.FromMillis(at), err
}

// HastenDelivery makes a delivery that waits due, with those of its subject that come before it.
func (tx *Tx) HastenDelivery(d atelier.Delivery, at time.Time) error {
	tx.touch(d.Wallet, TopicWebhooks)
	return tx.Must(`UPDATE webhook_delivery SET next_at = $4 WHERE webhook_id = $1 AND subject = $2 AND sequence <= $3 AND status = 'waiting'`,
		d.WebhookID, d.Subject, d.Sequence, database.Millis(at))
}

// FailWaiting ends the deliveries of a webhook that wait.
func (tx *Tx) FailWaiting(webhookID, why string, at time.Time) error {
	_, err := tx.Exec(`UPDATE webhook_delivery SET status = 'failed', error = $2, ended_at = $3 WHERE webhook_id = $1 AND status = 'waiting'`,
		webhookID, why, database.Millis(at))
	return err
}

// TrimDeliveries deletes the deliveries of webhooks that are gone, at most limit.
func (tx *Tx) TrimDeliveries(limit int) (int64, error) {
	return tx.Exec(`DELETE FROM webhook_delivery WHERE id IN (SELECT d.id FROM webhook_delivery d WHERE NOT EXISTS (SELECT 1 FROM webhook w WHERE w.id = d.webhook_id) LIMIT $1)`, limit)
}

// TrimLog deletes the deliveries of a webhook that ended, but for the newest.
func (tx *Tx) TrimLog(webhookID string, keep int) (int64, error) {
	var at int64
	var id string
	err := tx.Row(`SELECT created_at, id FROM webhook_delivery WHERE webhook_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET $2`, webhookID, keep).Scan(&at, &id)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return tx.Exec(`DELETE FROM webhook_delivery WHERE webhook_id = $1 AND (created_at, id) <= ($2, $3) AND ended_at > 0`, webhookID, at, id)
}
