// Package hostile runs hostile tenants against a service, beside an honest one
// whose requests are measured.
//
// The attackers are ordinary accounts without a balance. Each repeats every
// attack of the table in attack.go: bodies that cost more memory than they have
// bytes, media that is slow to decode, floods of uploads, streams, connections
// and wrong keys. The honest account reads, uploads, chats and renders at a
// steady pace, first alone and then beside them. Report has the latencies of
// both times, what failed, and how large the server became.
//
// Attackers run in a process of their own with the lowest priority and come from
// other loopback addresses: what is measured is how the service shares itself,
// not how the machine shares its processors with the attackers' clients.
package hostile
