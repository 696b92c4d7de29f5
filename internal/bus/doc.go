// Package bus carries nudges: "something about this topic changed, look again".
//
// The database is the source of truth; the bus only notifies. A nudge is a topic
// and nothing else. It may be coalesced with others, arrive twice, or be lost,
// so a subscriber reads the database when it is woken, and also from time to time
// without a nudge. The bus gives low latency and an idle service that does almost
// no work; correctness never depends on it.
//
// Every node has a hub in its own memory. Links bridge the hubs of all nodes, so
// that a nudge published on one wakes the subscribers of all of them: NATS where
// a URL of it is configured, and the notifications of the PostgreSQL that the
// nodes share. This is the only package that knows NATS.
//
// # Invariants
//
//   - Publish never blocks on the network and never fails its caller.
//   - A nudge published on this node after Subscribe returned is seen: its
//     channel holds one nudge, so a subscriber that is busy reading the
//     database finds the next one waiting.
//   - Publish costs only what the topic's own subscribers cost. A closed
//     subscription leaves nothing behind.
//   - A node does not receive its own nudges back from a link.
//   - When nudges from other nodes may have been missed (a reconnect, a full
//     queue), every local subscriber is woken; while the link is lost, every two
//     seconds. Subscribers need no polling of their own for outages.
//   - A silent server is noticed within two heartbeats of a second.
//
// # Neighbours
//
// Engines (journal, fleet) publish after their transaction has committed, never
// inside it, and subscribe before they read, never after.
package bus
