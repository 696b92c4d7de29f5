// Package bus carries nudges: "something about this topic changed, look again".
//
// The database is the source of truth; the bus only notifies. A nudge is a topic
// and nothing else. It may be coalesced with others, arrive twice, or be lost,
// so a subscriber reads the database when it is woken, and also from time to time
// without a nudge. The bus gives low latency and an idle service that does almost
// no work; correctness never depends on it.
//
// Every node has a hub in its own memory. When a NATS URL is configured the
// hubs of all nodes are bridged: a nudge published on one node wakes the
// subscribers of all of them. This is the only package that knows NATS.
//
// # Invariants
//
//   - Publish never blocks on the network and never fails its caller.
//   - A nudge published on this node after Subscribe returned is seen: its
//     channel holds one nudge, so a subscriber that is busy reading the
//     database finds the next one waiting.
//   - Publish costs only what the topic's own subscribers cost. A closed
//     subscription leaves nothing behind.
//   - A node does not receive its own nudges back from NATS.
//   - When nudges from other nodes may have been missed (a reconnect, a full
//     queue), every local subscriber is woken.
//
// # Neighbours
//
// Engines (journal, fleet) publish after their transaction has committed, never
// inside it, and subscribe before they read, never after.
package bus
