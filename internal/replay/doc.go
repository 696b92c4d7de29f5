// Package replay keeps replay records: what runs of agents did, as their clients recorded
// it, without credentials.
//
// A replay record is a document about one run: the request, the rounds with their tool
// calls and results, the answer, the cost and the outcome.
//
// It serves the replay endpoints and stands on store. It knows nothing of how runs are
// made.
//
// A record is stored as it was sent, unknown fields included; only the shapes of known
// fields are checked (record.go). Credentials in it are redacted first (redact.go): signed
// URLs, bearer tokens, JWTs, PEM blocks, API keys and the values of fields with names such
// as password, in every string and every name at any depth.
//
// Invariants: nothing is stored that was not redacted; to redact a record again changes
// nothing; reading and redacting take time and memory in proportion to the size of the
// record; an account sees its own records only, has at most maxRecords of them, with at
// most maxBytes in all, and loses the ones that were updated longest ago first.
package replay
