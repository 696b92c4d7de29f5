package node

import "context"

// RecordPresence writes which workers this node has seen, as it does a few times per lease.
func (n *Node) RecordPresence(ctx context.Context) error { return n.Fleet.RecordPresence(ctx) }
