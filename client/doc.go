// Package client calls atelier's public API from Go: workflows, templates, chat runs and their event
// streams, personal LoRAs, the worker protocol, the operator API, and files by signed forms and URLs. The
// command line and the workers of this project use it; so can your programs.
//
// A call that the service refuses with 429, or that fails because the service
// is unavailable, is retried: after the time in Retry-After, else after growing
// pauses. A broken stream is reopened after the last event that was read. An
// *Error holds the service's message, code and details.
package client
