// Package account authenticates callers and reads what they may do: accounts, each
// named by its wallet address, API keys, session tokens, console sessions and
// subscriptions.
//
// A credential is looked up in the database for every request that shows one,
// so that a key revoked by the command line or another node is refused from
// the next request on. Requests with the same key share one lookup, if that
// lookup began after they arrived. The last use of a key is recorded in the
// background, at most once a minute: no request waits for it.
//
// A console session is the sign-in of a browser. It acts with an API key and has
// two halves, of which only hashes are stored: neither works without the other.
// It begins with a key, or with a one-time code that a process keeps in memory.
//
// The service accepts no credential of a suspended account, and no session token or
// console session of an earlier epoch. A session token ends with the API key that made
// it; those of the command line name none.
//
// An account keeps presets: words of a style, or filters of a view, under a name. Each is
// a row that is written by itself, so that two devices do not lose what the other keeps.
//
// It serves the Authentication part of the specification and the account
// commands. It uses store. Money belongs to billing, so creating an account
// takes a function that books the opening credits.
package account
