// Package apitype has the shapes of the API: what it answers, the payloads of events, and
// the protocol of workers. The engines make them, the API sends them, clients and workers
// read them; the OpenAPI document, docs/events.md and the types of the console are
// generated from them.
//
// JSON names are those of the specification. Type names are part of the OpenAPI document.
// What is stored has separate structs.
//
// It imports the root package only, so that programs that use it do not import the service.
//
//atelier:sequential
package apitype
