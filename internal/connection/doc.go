// Package connection keeps the servers that an operator connects while the service runs:
// language models, ComfyUI and other image servers, vendors, and hosting sites of LoRAs.
//
// A connection is a row of settings, and an API key that is encrypted with a key derived from
// the session secret, which the database does not hold. Keys are written and never shown; a
// stored key is sent only to the server that it was given for.
//
// The configuration file names connections too. It wins: a stored connection of the same kind
// and name is kept and not used, with a problem that names the file. What is only a default of
// the program gives way to a stored connection.
//
// The engine says which connections are used (Used), checks them as package config checks the
// file, and remembers what the last check of each server found. Package node uses the servers,
// and passes what the engine needs of the packages above: how a server is asked, and what the
// catalog says about its models.
//
// Invariants: a change is checked against all other connections in its own transaction; a
// connection that cannot be used has a problem that says why, and never stops a node.
package connection
