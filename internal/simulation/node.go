package simulation

import (
	"context"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/analytics"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/filter"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/lora/source"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/webhook"
	"github.com/atelier-project/atelier/internal/workflow"
)

// node is a process of the service. Its engines are gone when it dies; another process under its
// name begins with what is in the database.
type node struct {
	world *world
	name  string
	seat  *seat
	up    bool

	bus       *bus.Bus
	billing   *billing.Engine
	fleet     *fleet.Engine
	workflows *workflow.Engine
	webhooks  *webhook.Engine
	media     *media.Engine
	loras     *lora.Engine
	analytics *analytics.Engine
	runs      *run.Engine // nil in a game without chats

	inside   atelier.WorkerID // the session in which it does its own tasks
	expiry   time.Time        // when it next looks for leases that have ended
	presence time.Time        // when it next writes which workers it has seen
	offers   time.Time        // when it next looks which models are served
	counting time.Time        // when it next counts ended work
}

// start begins a process.
func (n *node) start() {
	w := n.world
	n.seat.fault.dead, n.up, n.inside = false, true, ""
	b, err := bus.Open(context.Background(), bus.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	n.bus, n.billing = b, billing.New(n.seat.db, w.now, enginetest.Catalog().VendorDiscount)
	n.billing.SetFairUse(func(atelier.PlanTier) billing.FairUse { return billing.FairUse{Daily: w.rules.fairUse} })
	n.billing.SetWorkerPay(func(atelier.Network) billing.Pay { return billing.Pay{PlanBps: 5000, TokenBps: 3000} })
	n.fleet = fleet.New(n.seat.db, b, w.files, n.billing, fleet.Options{
		Lease: w.rules.lease, RenderTimeout: w.rules.renderTimeout, DownloadTTL: time.Hour, Catalog: enginetest.Catalog(), NoWorkerTimeout: w.rules.noWorker,
		FallbackAfter: 10 * time.Minute, Node: n.name, Now: w.now, Log: enginetest.Log,
	})
	if n.webhooks, err = webhook.New(n.seat.db, b, n.fleet, webhook.Options{
		Secrets: []string{"a-secret-of-sixteen"}, Fetch: fetch.Options{Dial: w.web.dial, AllowPrivate: true}, Now: w.now, Log: enginetest.Log,
	}); err != nil {
		w.t.Fatal(err)
	}
	n.media = media.New(n.seat.db, w.files, media.Options{Now: w.now, Limits: media.Limits{UploadBytesADay: 1 << 30, DownloadTTL: time.Hour}})
	n.workflows = workflow.New(n.seat.db, w.files, n.billing, enginetest.Catalog(), n.fleet, journal.New(n.seat.db, b), workflow.Options{
		ActiveLimit: w.rules.active, PreviewTTL: 5 * time.Minute, DownloadTTL: time.Hour, Now: w.now, Log: enginetest.Log, Filter: words(),
		Web:       fetch.New(fetch.Options{Dial: w.web.dial, AllowPrivate: true}),
		Templates: template.New(n.seat.db, enginetest.Catalog(), template.Options{Now: w.now}),
		Media:     n.media,
		Webhooks:  n.webhooks,
	})
	sites, err := source.New(loratest.Sources("http://"+sitesHost), source.Options{Dial: w.web.dial, AllowPrivate: true})
	if err != nil {
		w.t.Fatal(err)
	}
	n.loras = lora.New(n.seat.db, w.files, enginetest.Catalog(), n.fleet, sites, lora.Options{Entries: 4, ImportsPerDay: 3, Now: w.now, Log: enginetest.Log})
	n.analytics = analytics.New(n.seat.db, w.now)
	if w.rules.chats {
		n.runs = n.newRuns()
	}
	n.expiry, n.presence, n.offers, n.counting = w.now(), w.now(), w.now(), w.now()
}

// words is the content filter with the words of the program.
var words = sync.OnceValue(func() *filter.Filter {
	f, err := filter.New(filter.Options{})
	if err != nil {
		panic(err)
	}
	return f
})

// stop ends the process: of what it has in memory nothing is left.
func (n *node) stop() {
	if !n.up {
		return
	}
	n.up, n.seat.fault.dead = false, true
	n.bus.Close()
	n.world.note("stop", "%s", n.name)
}

// running are the nodes that are up.
func (w *world) running() (list []*node) {
	for _, n := range w.nodes {
		if n.up {
			list = append(list, n)
		}
	}
	return list
}

// anyNode is a node that is up; nil when none is.
func (w *world) anyNode() *node {
	if list := w.running(); len(list) > 0 {
		return pick(w.r, list...)
	}
	return nil
}

// killNode ends a process between two calls.
func (w *world) killNode() {
	if n := w.anyNode(); n != nil {
		w.count("killed")
		n.stop()
	}
}

// restartNode starts a process in the place of one that has died, now and then on a database
// that is opened again.
func (w *world) restartNode() {
	for _, n := range w.nodes {
		if n.up {
			continue
		}
		if w.r.IntN(20) == 0 {
			n.seat.close()
			n.seat.open()
		}
		n.start()
		w.note("restart", "%s", n.name)
		return
	}
	if w.chats != nil && !w.chats.up {
		w.chats.begin()
	}
}

// runTasks does what goes by time and is due on a node.
func (n *node) runTasks() {
	ctx, w, now := context.Background(), n.world, n.world.now()
	lost := func(what string, err error) {
		if err != nil {
			w.note("task failed", "%s %s: %v", n.name, what, err)
		}
	}
	due := func(at *time.Time, every time.Duration) bool {
		if now.Before(*at) {
			return false
		}
		*at = now.Add(every)
		return true
	}
	if due(&n.expiry, 0) {
		lost("expire", n.fleet.Expire(ctx))
	}
	if due(&n.presence, w.rules.lease/3) {
		lost("presence", n.fleet.RecordPresence(ctx))
	}
	if due(&n.offers, 20*time.Second) {
		_, err := n.fleet.CheckOffers(ctx)
		lost("offers", err)
		lost("workers", n.fleet.RefreshWorkers(ctx))
	}
	if due(&n.counting, time.Minute) {
		lost("count", n.analytics.Count(ctx))
	}
	_, err := n.webhooks.Queue(ctx)
	lost("webhooks", err)
}
