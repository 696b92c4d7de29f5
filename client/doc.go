// Package client speaks atelier's public API from Go: workflows and their
// streams, the worker protocol, and files by signed forms and URLs. The command line and the workers of this
// project use it; so can yours.
//
// Calls that are refused for coming too fast, or that meet a service that is
// away for a moment, are tried again: after as long as Retry-After says, else
// after growing pauses. A stream that breaks is taken up where it was. An *Error carries what the service said.
package client
