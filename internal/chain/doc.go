// Package chain reads what a wallet holds on chain: its ether and its balance of
// the two token contracts, through an EVM JSON-RPC node that the operator names
// in the configuration, one for each provider. It serves /v2/wallet/balance
// and nothing else; the balances that pay for work are rows in the database.
//
// # Invariants
//
//   - One read is one HTTP request: a JSON-RPC batch. It ends within a few
//     seconds and takes a few kilobytes, whatever the node does.
//   - Amounts are whole numbers of any size until they are written as decimals
//     with six places, truncated and not rounded, so that a wallet never appears
//     to hold more than it does.
//   - A failure of the node is CodeUnavailable for the caller. The cause
//     is wrapped for the log. Neither holds the node's URL, which often
//     contains a key.
//
// # Neighbours
//
// Nothing here is stored. The API edge's account reads call it; cmd makes it
// from the configuration key chains.
package chain
