// Package webhook sends the events of accounts to addresses that they name, as Standard Webhooks.
//
// A webhook is an address with the events that it wants, and a secret. A delivery is one event on its way to one
// webhook: a row that the transaction of the change inserts (store.Tx.NotifyWebhooks), so that no event is lost
// and none is reported that did not happen. The engine queues a node task for each delivery that is due (Queue). A
// task makes one attempt and records what came of it; what fails waits, for longer each time, and is given up
// after a day.
//
// Events of one subject, such as a workflow, arrive in order: a delivery is not sent while an earlier one of its
// subject is on its way. A webhook gets one after the other, and while it fails it is tried less and less often,
// so that a receiver that hangs holds up no other. After a day without success it is disabled, with a reason. An
// attempt that ended unknown is made again: events arrive at least once, with the same id each time.
//
// A request can name a webhook for what it starts. Its deliveries belong to one webhook of the account that has no
// address and never fails as a whole (RequestsID): its secret signs them, and its log lists them.
//
// Secrets are sealed with a key of the installation (package seal). Addresses are guarded, when they are named and
// at each connection (package fetch).
//
// It uses store, bus, fetch and fleet. Engines report events through the store, and this package knows none of them.
package webhook
