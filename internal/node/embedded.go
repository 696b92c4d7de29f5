package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/cpu"
)

// embeddedWallet owns the workers inside server processes.
const embeddedWallet = "atelier-embedded"

// embedded runs a CPU worker inside this process until ctx ends, for both
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
	easel := easel{Renderer: cpu.Renderer{}, free: make(chan struct{}, 1)}
	var (
		wg   sync.WaitGroup
		errs [2]error
	)
	for i, network := range []atelier.Network{atelier.Fast, atelier.Relaxed} {
		w := worker.Worker{
			Client: n.ownClient(key), Renderer: easel, Pace: n.config.Workers.EmbeddedPace, Log: n.log,
			Spec: client.WorkerSpec{
				Name: "embedded", Network: string(network), Models: append(n.catalog.NativeModels(), n.catalog.WorkerTools()...),
				Capacity: 1, Version: n.version, GPU: "none",
			},
		}
		wg.Go(func() { errs[i] = w.Run(ctx) })
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

// easel is a renderer that serves both networks, with so many jobs at a time.
type easel struct {
	worker.Renderer
	free chan struct{} // holds one for each job that is rendered
}

// Render implements worker.Renderer.
func (e easel) Render(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	select {
	case e.free <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-e.free }()
	return e.Renderer.Render(ctx, t)
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
