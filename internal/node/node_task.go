package node

import "context"

// nodeTasks is how many node tasks run at once: most of their time they wait for
// the network.
const nodeTasks = 8

// runNodeTasks does the durable work that needs no renderer, until ctx ends.
func (n *Node) runNodeTasks(ctx context.Context) {
	owner, err := n.embeddedAccount(ctx)
	if err == nil {
		err = n.fleet.Serve(ctx, owner.Wallet, nodeTasks, n.workflows.NodeTasks())
	}
	if err != nil && ctx.Err() == nil {
		n.log.Error("node tasks stopped", "error", err)
	}
}
