package node

import (
	"context"
	"sync"

	"github.com/atelier-project/atelier/internal/fleet"
)

// How many node tasks run at once: most of their time they wait for the network.
// Imports of LoRAs may take many minutes, and receivers of webhooks may hang: neither may keep others waiting.
const (
	nodeTasks         = 8
	loraImports       = 2
	webhookDeliveries = 32
)

// runNodeTasks does durable work that needs no renderer, until ctx ends. It calls ready when it is connected, or has
// failed to connect.
func (n *Node) runNodeTasks(ctx context.Context, concurrency int, tasks map[string]fleet.NodeTask, ready func()) {
	ready = sync.OnceFunc(ready)
	defer ready()
	owner, err := n.EmbeddedAccount(ctx)
	if err == nil {
		err = n.Fleet.Serve(ctx, owner.Wallet, concurrency, tasks, ready)
	}
	if err != nil && ctx.Err() == nil {
		n.log.Error("node tasks stopped", "error", err)
	}
}
