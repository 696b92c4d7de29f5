package node

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/pull"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// attached are the workers of this process that render with the servers of stored connections.
// They come and go with the connections.
type attached struct {
	node *Node
	id   string // of this process, in holds

	graphs atomic.Pointer[graphLibrary] // for the ComfyUI servers

	mu      sync.Mutex
	ctx     context.Context // of all workers; nil before they may start
	key     string          // of the account of this service's workers
	wanted  []connection.Entry
	servers map[string]chan struct{} // by the id and the revision of a connection, see key; closed when it was changed or removed
	running sync.WaitGroup
}

func newAttached(n *Node) *attached {
	a := &attached{node: n, id: mint.UUID(), servers: map[string]chan struct{}{}}
	a.graphs.Store(&graphLibrary{Library: n.graphs})
	return a
}

// graphLibrary is the graphs that ComfyUI workers know, after a change of those that operators have brought.
type graphLibrary struct {
	*comfyui.Library
	change int64
}

// version tells a connection apart from what it was before: one to a ComfyUI begins again with other graphs.
func (l *graphLibrary) version(e connection.Entry) string {
	if e.Kind == apitype.ConnectionComfyUI {
		return fmt.Sprint(e.Revision, "/", l.change)
	}
	return fmt.Sprint(e.Revision)
}

// start lets workers run until ctx ends, with a key of their account.
func (a *attached) start(ctx context.Context, key string) {
	a.mu.Lock()
	a.ctx, a.key = ctx, key
	wanted := a.wanted
	a.mu.Unlock()
	a.use(wanted)
}

// use renders with the servers of some connections and no others. Renders at a server that is
// left out, or has changed, end first.
func (a *attached) use(list []connection.Entry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wanted = list
	if a.ctx == nil || a.ctx.Err() != nil {
		return
	}
	keep := map[string]bool{}
	for _, e := range list {
		if e.From != apitype.ConnectionFromStore || e.Kind == apitype.ConnectionLLM || e.Kind == apitype.ConnectionLoraSource {
			continue // those of the configuration have their workers from the start
		}
		library := a.graphs.Load()
		key := fmt.Sprint(e.ID, "/", library.version(e))
		keep[key] = true
		if a.servers[key] != nil {
			continue
		}
		stop := make(chan struct{})
		a.servers[key] = stop
		a.running.Go(func() { a.run(e, library, stop) })
	}
	for key, stop := range a.servers {
		if !keep[key] {
			close(stop)
			delete(a.servers, key)
		}
	}
}

// run renders with a server until its connection is gone, or the process ends.
func (a *attached) run(e connection.Entry, library *graphLibrary, stop <-chan struct{}) {
	log := a.node.log.With("connection", e.Name, "kind", e.Kind)
	log.Info("connection in use")
	var err error
	if e.Kind == apitype.ConnectionComfyUI {
		a.holdAndRender(e, library, stop)
	} else {
		var v renderServer
		if e.Kind == apitype.ConnectionVendor {
			v, err = openVendor(a.node.config, e.Vendor(), e.Key, a.node.catalog, a.node.log)
		} else {
			v, err = openImages(e, a.node.catalog, a.node.config.Workers.RenderTimeout, a.node.log)
		}
		if err == nil {
			v.renderer.Observe(observeVendors(a.node.metrics))
			a.render(a.ctx, v.renderer, stop, v.workers)
		}
	}
	if err != nil {
		log.Error("connection cannot be used", "error", err)
		return
	}
	log.Info("connection no longer in use")
}

// render runs workers until ctx ends, or stop is closed and what was begun has ended.
func (a *attached) render(ctx context.Context, r worker.Renderer, stop <-chan struct{}, workers func(worker.Renderer) []worker.Worker) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := newDrainable(r)
	var running sync.WaitGroup
	var machine func(context.Context) apitype.Machine
	if m, ok := r.(worker.Measured); ok {
		machine = m.Machine
	}
	for _, w := range workers(d) {
		w.Machine = machine
		w.Client, w.Log, w.Timeout = a.node.ownClient(a.key), a.node.log, a.node.renderTimeout()
		w.Spec.Version = a.node.version
		w.Connected = sync.OnceFunc(func() {
			a.node.log.Info("connection renders", "worker", w.Spec.Name, "network", w.Spec.Network, "models", len(w.Spec.Models))
		})
		running.Go(func() {
			if err := w.Run(ctx); err != nil && ctx.Err() == nil {
				a.node.log.Error("worker ended", "worker", w.Spec.Name, "network", w.Spec.Network, "error", err)
			}
		})
	}
	select {
	case <-ctx.Done():
	case <-stop:
		select {
		case <-d.drain():
		case <-ctx.Done():
		}
	}
	cancel()
	running.Wait()
}

// holdTime is how long a node that has died keeps the others from a ComfyUI.
const holdTime = 30 * time.Second

// holdAndRender renders with a ComfyUI while no other node does.
func (a *attached) holdAndRender(e connection.Entry, library *graphLibrary, stop <-chan struct{}) {
	holder := a.id + "/" + library.version(e)
	defer a.node.bus.Publish(connection.Topic) // another node may take it now
	sub := a.node.bus.Subscribe(connection.Topic)
	defer sub.Close()
	retry := time.NewTicker(holdTime / 3)
	defer retry.Stop()
	for a.ctx.Err() == nil {
		if a.hold(a.ctx, e, holder) {
			a.renderHeld(a.ctx, e, library, holder, stop)
			a.letGo(a.ctx, e, holder)
		}
		select {
		case <-stop:
			return
		case <-a.ctx.Done():
		case <-sub.C():
		case <-retry.C:
		}
	}
}

// hold takes the hold of a connection, or renews it. A changed connection waits until it was let go as it was before.
func (a *attached) hold(ctx context.Context, e connection.Entry, holder string) (held bool) {
	err := a.node.DB.Write(ctx, func(tx *store.Tx) (err error) {
		now := a.node.now()
		held, err = tx.HoldConnection(e.ID, holder, now, now.Add(holdTime))
		return err
	})
	if err != nil && ctx.Err() == nil {
		a.node.log.Warn("hold of a connection failed", "error", err)
	}
	return held && err == nil
}

func (a *attached) letGo(ctx context.Context, e connection.Entry, holder string) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := a.node.DB.Write(last, func(tx *store.Tx) error { return tx.ReleaseConnection(e.ID, holder) }); err != nil {
		a.node.log.Warn("release of a connection failed", "error", err)
	}
}

// renderHeld renders with a ComfyUI until the hold is lost, its connection is gone or ctx ends.
func (a *attached) renderHeld(ctx context.Context, e connection.Entry, library *graphLibrary, holder string, stop <-chan struct{}) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var renewing sync.WaitGroup
	defer renewing.Wait()
	defer cancel()
	renewing.Go(func() {
		for clock.Sleep(ctx, holdTime/3) {
			if !a.hold(ctx, e, holder) {
				cancel()
			}
		}
	})
	waiting, end := context.WithCancel(ctx) // for a ComfyUI that does not answer
	defer end()
	renewing.Go(func() {
		select {
		case <-stop:
			end()
		case <-waiting.Done():
		}
	})
	arrived := a.node.bus.Subscribe(pull.ArrivedTopic) // before the first look at the files
	defer arrived.Close()
	models := e.Settings.ComfyUI.Models
	if len(models) == 0 {
		models = ownModels(a.node.catalog)
	}
	r, err := comfyui.Open(waiting, comfyui.Options{URLs: []string{e.BaseURL()}, Library: library.Library, Models: models, Log: a.node.log})
	if err != nil {
		if waiting.Err() == nil {
			a.node.log.Warn("ComfyUI cannot be used", "connection", e.Name, "error", err)
		}
		return
	}
	defer r.Close()
	renewing.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-arrived.C():
				r.Resurvey()
			}
		}
	})
	if !awaitModels(waiting, r) {
		return
	}
	v := renderServer{name: e.Name, models: r.Models(), capacity: r.Capacity(), gpu: r.Device()}
	a.render(ctx, r, stop, v.workers)
}

// awaitModels waits until a ComfyUI has the files of a model, or ctx ends.
func awaitModels(ctx context.Context, r *comfyui.Renderer) bool {
	for {
		_, changed := r.State()
		if len(r.Models()) > 0 {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// wait waits until the context of start has ended, and all workers with it.
func (a *attached) wait() {
	<-a.ctx.Done()
	a.use(nil) // one that starts workers meanwhile has done so, and none does after it
	a.running.Wait()
}
