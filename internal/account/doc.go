// Package account knows who is calling and what their plan says: accounts,
// API keys, session tokens, subscriptions.
//
// A credential is looked up in the database for every request that shows one,
// so that a key revoked by the command line or another node is refused from
// the next request on. Requests that wait for the same key share one lookup,
// as long as that lookup began after they came. When keys are used is written
// down beside that, now and then: no request waits for it.
//
// No credential of a suspended account is accepted, and session tokens of an
// epoch that is over neither.
//
// It serves the Authentication part of the specification and the account
// commands. It stands on store; money is billing's affair, which is why
// creating an account takes a function for the opening credits.
package account
