package webhook

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/seal"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/telemetry"
)

// Engine keeps webhooks and sends to them. It is safe for concurrent use.
type Engine struct {
	db     *store.DB
	bus    *bus.Bus
	fleet  *fleet.Engine
	sealer seal.Sealer
	web    *fetch.Client
	opts   Options
	tries  telemetry.Histogram
}

// Options are the settings of an engine. A zero value means the default.
type Options struct {
	Secrets []string      // of the installation: the first one seals, all of them open
	Fetch   fetch.Options // how receivers are reached; its timeouts are set
	Limit   int           // webhooks of one account: 20
	Timeout time.Duration // of one attempt: 15 seconds
	Now     func() time.Time
	Log     *slog.Logger
	Metrics *telemetry.Metrics // may be nil
}

// The jobs of deliveries: the kind of their owner, and the node task.
const (
	ownerKind   = "webhook"
	deliverTool = "deliver_webhook"
)

// topic is nudged when a delivery may be due.
const topic = "webhooks/due"

// New makes an engine, and registers its hooks with the fleet and the store.
func New(db *store.DB, b *bus.Bus, f *fleet.Engine, o Options) (*Engine, error) {
	sealer, err := seal.New("secrets of webhooks", o.Secrets)
	if err != nil {
		return nil, err
	}
	o.Limit = cmp.Or(o.Limit, 20)
	o.Timeout = cmp.Or(o.Timeout, 15*time.Second)
	o.Fetch.Timeout, o.Fetch.Idle = o.Timeout, o.Timeout
	e := &Engine{
		db: db, bus: b, fleet: f, sealer: sealer, web: fetch.New(o.Fetch), opts: o,
		tries: o.Metrics.Histogram("webhook_delivery_seconds", "How long attempts to deliver an event took.", nil, "end"),
	}
	f.RegisterHooks(ownerKind, fleet.Hooks{Ended: e.onEnded})
	db.OnChange(func(c store.AccountChange) {
		if c.Topic == store.TopicWebhooks {
			b.Publish(topic)
		}
	})
	return e, nil
}

// NodeTasks are the tasks of deliveries that nodes do.
func (e *Engine) NodeTasks() map[string]fleet.NodeTask {
	return map[string]fleet.NodeTask{deliverTool: e.deliver}
}

// now is the time as rows store it.
func (e *Engine) now() time.Time { return e.opts.Now().UTC().Truncate(time.Millisecond) }

// How often the engine looks for deliveries that are due without a nudge: while some wait, and otherwise.
const (
	lookSoon  = time.Second
	lookAgain = 20 * time.Second
)

// Run queues deliveries when they are due, until ctx ends.
func (e *Engine) Run(ctx context.Context) {
	sub := e.bus.Subscribe(topic)
	defer sub.Close()
	for {
		waits, err := e.Queue(ctx)
		if err != nil && ctx.Err() == nil {
			e.opts.Log.Warn("queue webhook deliveries failed", "error", err)
		}
		pause := lookAgain
		if waits {
			pause = lookSoon
		}
		if !clock.Wait(ctx, sub.C(), pause) {
			return
		}
	}
}

// queuedAtOnce is for how many webhooks one transaction queues deliveries.
const queuedAtOnce = 100

// Queue queues a node task for each delivery that is due. It reports whether deliveries wait.
func (e *Engine) Queue(ctx context.Context) (waits bool, err error) {
	for {
		now, due := e.now(), false
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			waits, due, err = tx.AnyDue(now)
			return err
		})
		if err != nil || !due {
			return waits, err
		}
		queued := 0
		err = e.db.Write(ctx, func(tx *store.Tx) error {
			queued = 0
			hooks, err := tx.DueWebhooks(now, queuedAtOnce)
			for i := 0; i < len(hooks) && err == nil; i++ {
				var n int
				n, err = e.queueOf(tx, hooks[i], now)
				queued += n
			}
			return err
		})
		if err != nil || queued < queuedAtOnce {
			return waits, err
		}
	}
}

// queueOf queues deliveries of a webhook: as many as it may get at once.
func (e *Engine) queueOf(tx *store.Tx, w store.StoredWebhook, now time.Time) (queued int, err error) {
	most := 1
	if w.IsForRequests() {
		most = store.RequestsAtOnce
	}
	busy, err := tx.CountSending(w.ID)
	if err != nil || busy >= most {
		return 0, err
	}
	due, err := tx.DueDeliveries(w.ID, now, most-busy)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	owner := atelier.JobOwner{Kind: ownerKind, ID: w.ID}
	if err := tx.DeleteEndedJobs(owner, ""); err != nil {
		return 0, err
	}
	for _, d := range due {
		owner.Part = d.ID
		job, err := e.fleet.Submit(tx, fleet.Submission{
			Wallet: w.Wallet, Owner: owner, Network: atelier.NetworkNode,
			Spec:  atelier.JobSpec{Tool: deliverTool, ModelID: deliverTool, ConcurrencyClass: ownerKind + "/" + w.ID, ConcurrencyLimit: most},
			Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillTokens},
		})
		if err != nil {
			return queued, err
		}
		before := d.JobID
		d.Status, d.JobID = atelier.DeliverySending, job.ID
		err = tx.MoveDelivery(d, atelier.DeliveryWaiting, before)
		if errors.Is(err, store.ErrNotFound) { // another node was faster
			if _, err := e.fleet.Cancel(tx, job.ID); err != nil {
				return queued, err
			}
			continue
		}
		if err != nil {
			return queued, err
		}
		queued++
	}
	return queued, nil
}

// interrupted is the pause after an attempt of which nothing is known, because its node died.
const interrupted = 5 * time.Second

// onEnded lets the next delivery follow. One whose outcome was not recorded is tried again, and the attempt does
// not count.
func (e *Engine) onEnded(tx *store.Tx, j atelier.Job, _ []atelier.Artifact) error {
	tx.OnCommit(func() { e.bus.Publish(topic) })
	d, err := tx.Delivery(j.Owner.ID, j.Owner.Part)
	if errors.Is(err, store.ErrNotFound) || err == nil && (d.Status != atelier.DeliverySending || d.JobID != j.ID) {
		return nil
	}
	if err != nil {
		return err
	}
	d.Status, d.NextAt = atelier.DeliveryWaiting, e.now().Add(interrupted)
	return tx.MoveDelivery(d, atelier.DeliverySending, j.ID)
}

// How much of the delivery log is kept, and how many deliveries of a webhook may wait.
const (
	keptOfOne   = 1000
	mostWaiting = 10_000
	swept       = 1000 // rows in one transaction
)

// Sweep deletes deliveries beyond the newest of each webhook, and gives up those of webhooks with too many that wait.
func (e *Engine) Sweep(ctx context.Context) (deleted int64, err error) {
	for {
		var n int64
		err := e.db.WriteDeletion(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.TrimDeliveries(swept)
			return err
		})
		deleted += n
		if err != nil {
			return deleted, err
		}
		if n < swept {
			break
		}
	}
	for after := ""; ; {
		var hooks []store.StoredWebhook
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			hooks, err = tx.WebhooksAfter(after, 100)
			return err
		})
		if err != nil || len(hooks) == 0 {
			return deleted, err
		}
		after = hooks[len(hooks)-1].ID
		for _, w := range hooks {
			var n int64
			err := e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
				waiting, err := tx.CountWaiting(w.ID)
				if err == nil && waiting > mostWaiting {
					err = e.giveUp(tx, w.Webhook)
				}
				if err == nil {
					n, err = tx.TrimLog(w.ID, keptOfOne)
				}
				return err
			})
			deleted += n
			if err != nil {
				return deleted, err
			}
		}
	}
}

// giveUp ends the deliveries of a webhook with too many that wait, and disables it, unless it is that of requests.
func (e *Engine) giveUp(tx *store.Tx, w atelier.Webhook) error {
	const why = "More events waited for it than are kept."
	if w.IsForRequests() {
		return tx.FailWaiting(w.ID, why, e.now())
	}
	return e.disable(tx, w, why)
}

// Reseal seals secrets with the first secret of the installation that another one opens, so that the others can be
// removed.
func (e *Engine) Reseal(ctx context.Context) error {
	if len(e.sealer) < 2 {
		return nil
	}
	return e.db.Write(ctx, func(tx *store.Tx) error {
		for after := ""; ; {
			hooks, err := tx.WebhooksAfter(after, 500)
			if err != nil || len(hooks) == 0 {
				return err
			}
			after = hooks[len(hooks)-1].ID
			for _, w := range hooks {
				var changed, changedBefore bool
				if w.Sealed, changed, err = e.sealer.Reseal(ownerKind, w.ID, w.Sealed); err != nil {
					return err
				}
				if w.SealedBefore, changedBefore, err = e.sealer.Reseal(ownerKind, w.ID, w.SealedBefore); err != nil {
					return err
				}
				if changed || changedBefore {
					if err := tx.SetWebhookSecret(w); err != nil {
						return err
					}
				}
			}
		}
	})
}
