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
// only this process accepts and that ends with it.
func (n *Node) embedded(ctx context.Context) {
	if err := n.runEmbedded(ctx); err != nil && ctx.Err() == nil {
		n.log.Error("the embedded worker ended", "error", err)
	}
}

func (n *Node) runEmbedded(ctx context.Context) error {
	owner, err := n.embeddedAccount(ctx)
	if err != nil {
		return err
	}
	key, end := n.Accounts.ProcessKey(owner)
	defer end()
	lanes := n.lanes(runtime.NumCPU(), child.Memory()-decodeMemory())
	var wg sync.WaitGroup
	errs := make([]error, len(lanes))
	for i, lane := range lanes {
		w := worker.Worker{
			Client: n.ownClient(key), Renderer: lane.renderer, Pace: n.config.Workers.EmbeddedPace, Log: n.log, Timeout: n.renderTimeout(),
			Spec: client.WorkerSpec{
				Name: "embedded", Network: string(lane.network), Models: lane.models, Capacity: lane.slots, Version: n.version, GPU: "none",
			},
		}
		wg.Go(func() { errs[i] = w.Run(ctx) })
	}
	wg.Wait()
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
	most := max(2, min(2*cores, 8, int(memory/minMemory)))
	half := max(2, most/2)
	costly, cheap := n.cpuRenderer(most+half, memory/4*3), n.cpuRenderer(half+2, memory/4)
	return []lane{
		{atelier.Fast, paid, most, costly}, {atelier.Relaxed, paid, half, costly},
		{atelier.Fast, free, half, cheap}, {atelier.Relaxed, free, 2, cheap},
	}
}

// minMemory is what there should be for each slot.
const minMemory = 256 << 20

// cpuRenderer is what the embedded worker renders with: processes of their own,
// or this one where no command for them is known.
func (n *Node) cpuRenderer(slots int, memory int64) worker.Renderer {
	if n.renderCommand == nil {
		return cpu.Renderer{}
	}
	return child.New(child.Options{Name: cpu.Renderer{}.Name(), Command: n.renderCommand, Slots: slots, Memory: memory, Log: n.log})
}

// renderTimeout is the longest that the render of a job may take.
func (n *Node) renderTimeout() func(client.Job) time.Duration {
	return worker.Timeouts(n.config.Workers.RenderTimeout, n.catalog.FreeTool)
}

// embeddedAccount finds or opens the account of embedded workers.
func (n *Node) embeddedAccount(ctx context.Context) (atelier.Account, error) {
	found, err := n.Accounts.Find(ctx, embeddedWallet)
	if !atelier.Has(err, atelier.CodeNotFound) {
		return found, err
	}
	opened, err := n.Accounts.Create(ctx, account.NewAccount{Wallet: embeddedWallet, Username: "embedded-worker", Worker: true}, nil)
	if atelier.Has(err, atelier.CodeNameTaken) { // by a node that started at the same moment
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
