package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/child"
	"github.com/atelier-project/atelier/internal/worker/cpu"
)

// embeddedWallet owns the workers inside server processes.
const embeddedWallet = "atelier-embedded"

// embedded runs a CPU worker beside this process until ctx ends, for both
// networks. It speaks the public API, as a worker elsewhere would, with a key that
// only this process accepts and that ends with it. It calls ready once it is
// connected, or cannot be.
func (n *Node) embedded(ctx context.Context, ready func()) {
	defer ready()
	if err := n.runEmbedded(ctx, ready); err != nil && ctx.Err() == nil {
		n.log.Error("the embedded worker ended", "error", err)
	}
}

func (n *Node) runEmbedded(ctx context.Context, ready func()) error {
	owner, err := n.embeddedAccount(ctx)
	if err != nil {
		return err
	}
	key, end := n.Accounts.ProcessKey(owner)
	defer end()
	var workers []worker.Worker
	for _, lane := range n.lanes(runtime.NumCPU(), child.Memory()-decodeMemory()) {
		if c, ok := lane.renderer.(interface{ Close() }); ok {
			defer c.Close()
		}
		workers = append(workers, worker.Worker{
			Client: n.ownClient(key), Renderer: lane.renderer, Pace: n.config.Workers.EmbeddedPace, Log: n.log, Timeout: n.renderTimeout(),
			Spec: client.WorkerSpec{
				Name: "embedded", Network: string(lane.network), Models: lane.models, Capacity: lane.slots, Fallback: true, Version: n.version, GPU: "none",
			},
		})
	}
	return runWorkers(ctx, workers, ready)
}

// runWorkers runs workers inside this process until ctx ends. It calls ready once
// all of them are connected, or cannot be.
func runWorkers(ctx context.Context, workers []worker.Worker, ready func()) error {
	var running, connecting sync.WaitGroup
	errs := make([]error, len(workers))
	connecting.Add(len(workers))
	for i, w := range workers {
		w.Connected = sync.OnceFunc(connecting.Done)
		running.Go(func() {
			defer w.Connected()
			if err := w.Run(ctx); err != nil {
				errs[i] = fmt.Errorf("%s: %w", w.Spec.Name, err)
			}
		})
	}
	running.Go(func() { connecting.Wait(); ready() })
	running.Wait()
	return errors.Join(errs...)
}

// lane is a part of the embedded worker with slots of its own, so that what is
// rendered in another cannot hold it up.
type lane struct {
	network  atelier.Network
	models   []string
	slots    int
	renderer worker.Renderer
}

// lanes are a lane for each network, and on each one for free tools: an account
// without money takes neither the slots nor the memory of those who pay.
// There are more slots than cores, because a long render gives way to a short one.
func (n *Node) lanes(cores int, memory int64) []lane {
	var free, paid []string
	for _, id := range append(n.catalog.NativeModels(), n.catalog.WorkerTools()...) {
		if n.catalog.FreeTool(id) {
			free = append(free, id)
		} else {
			paid = append(paid, id)
		}
	}
	size := laneSizes(cores, memory)
	costly := n.cpuRenderer(child.Options{Slots: size.paid + size.paidRelaxed, Memory: size.paidMemory, Spare: true})
	cheap := n.cpuRenderer(child.Options{Slots: size.free + size.freeRelaxed, Memory: size.freeMemory, Behind: true})
	return []lane{
		{atelier.NetworkFast, paid, size.paid, costly}, {atelier.NetworkRelaxed, paid, size.paidRelaxed, costly},
		{atelier.NetworkFast, free, size.free, cheap}, {atelier.NetworkRelaxed, free, size.freeRelaxed, cheap},
	}
}

// What there should be for each slot: a render that finds its memory taken fails,
// one that finds no slot waits. Free tools read a picture and make none.
const (
	minMemory     = 256 << 20
	minFreeMemory = 128 << 20
)

// laneSize is how many slots and how much memory the lanes of a machine have.
type laneSize struct {
	paid, paidRelaxed, free, freeRelaxed int
	paidMemory, freeMemory               int64
}

// laneSizes divides a machine. A small one has lanes that ordinary pictures fit
// into all the same: when it runs out of memory, the kernel ends a renderer and
// not the service.
func laneSizes(cores int, memory int64) (s laneSize) {
	s.paid = max(2, min(2*cores, 8, int(memory/minMemory)))
	s.paidRelaxed = max(2, s.paid/2)
	s.paidMemory = max(memory/4*3, 2*minMemory)
	s.freeMemory = max(memory/4, 2*minFreeMemory)
	free := int(s.freeMemory / minFreeMemory)
	s.free = min(s.paidRelaxed, free-1)
	s.freeRelaxed = min(2, free-s.free)
	return s
}

// cpuRenderer is what the embedded worker renders with: processes of their own,
// or this one where no command for them is known.
func (n *Node) cpuRenderer(o child.Options) worker.Renderer {
	if n.renderCommand == nil {
		return cpu.Renderer{}
	}
	o.Name, o.Command, o.Log = cpu.Renderer{}.Name(), n.renderCommand, n.log
	return child.New(o)
}

// renderTimeout is the longest that the render of a job may take.
func (n *Node) renderTimeout() func(client.Job) time.Duration {
	return worker.Timeouts(n.config.Workers.RenderTimeout, n.catalog.FreeTool)
}

// embeddedAccount finds or opens the account of embedded workers.
func (n *Node) embeddedAccount(ctx context.Context) (atelier.Account, error) {
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

// loopback is how this process reaches itself.
func (n *Node) loopback() string {
	addr := n.listener.Addr().(*net.TCPAddr)
	host := addr.IP.String()
	if addr.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(addr.Port))
}
