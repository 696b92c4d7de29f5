package node

import (
	"context"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/worker"
)

// embeddedWallet owns the workers inside server processes.
const embeddedWallet = "atelier-embedded"

// startWorkers starts the workers of this process, and its node tasks, which are among
// what runs. The first channel is closed when the workers have ended and returned their
// jobs, the second when all are connected or have failed to connect.
func (n *Node) startWorkers(ctx context.Context, running *sync.WaitGroup) (ended, connected <-chan struct{}) {
	end, connect := make(chan struct{}), make(chan struct{})
	var connecting sync.WaitGroup
	connecting.Add(4)
	running.Go(func() { n.runNodeTasks(ctx, nodeTasks, n.workflows.NodeTasks(), connecting.Done) })
	running.Go(func() { n.runNodeTasks(ctx, loraImports, n.loras.NodeTasks(), connecting.Done) })
	running.Go(func() { n.runNodeTasks(ctx, webhookDeliveries, n.webhooks.NodeTasks(), connecting.Done) })
	go func() {
		defer close(end)
		n.runWorkers(ctx, sync.OnceFunc(connecting.Done))
	}()
	go func() { connecting.Wait(); close(connect) }()
	return end, connect
}

// runWorkers runs the embedded worker and those of vendors until ctx ends. They use
// the public API, as an external worker does, with a key that only this process
// accepts and that ends with it.
func (n *Node) runWorkers(ctx context.Context, ready func()) {
	defer ready()
	var workers []worker.Worker
	for _, v := range n.vendors {
		v.renderer.Observe(observeVendors(n.metrics))
		workers = append(workers, v.workers(v.renderer)...)
	}
	if n.config.Workers.Embedded {
		workers = append(workers, n.embeddedWorkers()...)
	}
	for _, w := range workers {
		if c, ok := w.Renderer.(interface{ Close() }); ok {
			defer c.Close()
		}
	}
	owner, err := n.EmbeddedAccount(ctx)
	if err != nil {
		if ctx.Err() == nil {
			n.log.Error("open the account of embedded workers failed", "error", err)
		}
		return
	}
	key, end := n.Accounts.ProcessKey(owner)
	defer end()
	n.attached.start(ctx, key)
	defer n.attached.wait() // also for those that are connected later
	var running, connecting sync.WaitGroup
	connecting.Add(len(workers))
	for _, w := range workers {
		w.Client, w.Log, w.Timeout = n.ownClient(key), n.log, n.renderTimeout()
		w.Spec.Version = n.version
		w.Connected = sync.OnceFunc(connecting.Done)
		running.Go(func() {
			defer w.Connected()
			if err := w.Run(ctx); err != nil && ctx.Err() == nil {
				n.log.Error("worker ended", "worker", w.Spec.Name, "network", w.Spec.Network, "error", err)
			}
		})
	}
	running.Go(func() { connecting.Wait(); ready() })
	running.Wait()
}

// renderTimeout is the longest that the render of a job may take.
func (n *Node) renderTimeout() func(apitype.Assignment) time.Duration {
	return worker.Timeouts(n.config.Workers.RenderTimeout, n.catalog.FreeTool)
}

// EmbeddedAccount finds or opens the account of embedded workers.
func (n *Node) EmbeddedAccount(ctx context.Context) (atelier.Account, error) {
	found, err := n.Accounts.Find(ctx, embeddedWallet)
	if !atelier.HasCode(err, atelier.CodeNotFound) {
		return found, err
	}
	opened, err := n.Accounts.Create(ctx, account.NewAccount{Wallet: embeddedWallet, Username: "embedded-worker", Worker: true}, nil)
	if atelier.HasCode(err, atelier.CodeNameTaken) { // by a node that started at the same moment
		return n.Accounts.Find(ctx, embeddedWallet)
	}
	return opened.Account, err
}
