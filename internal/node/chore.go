package node

import "context"

// hands is how many chores a node does at once: they wait for the network more
// than they work.
const hands = 8

// chores has this node do the durable work that needs no renderer, until ctx
// ends.
func (n *Node) chores(ctx context.Context) {
	owner, err := n.embeddedAccount(ctx)
	if err == nil {
		err = n.fleet.Serve(ctx, owner.Wallet, hands, n.workflows.Chores())
	}
	if err != nil && ctx.Err() == nil {
		n.log.Error("the node does no chores any more", "error", err)
	}
}

// forget has this node forget the chats that were left long ago, until ctx ends.
func (n *Node) forget(ctx context.Context) {
	for {
		wait(ctx, sweepEvery)
		if ctx.Err() != nil {
			return
		}
		if _, err := n.chats.Sweep(ctx); err != nil && ctx.Err() == nil {
			n.log.Warn("sweep", "error", err)
		}
	}
}
