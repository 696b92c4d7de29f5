// Package mcp speaks the Model Context Protocol both ways. It serves the media tools of the catalog, the templates that
// an account has opened to language models, and workflows, to programs; and it calls the tools of other servers for the
// language models that answer here (ToolServers).
//
// A call of a tool is a workflow whose end the client waits for (package generation), with progress as
// notifications. What a call would cost is asked about where the client can ask its user. Results are
// links, and small pictures beside them. Bridge serves a program over pipes with the tools of a service.
//
// Invariants: requests have no session, so that each node answers each; a call sees what its caller may
// see, and nothing of another account; errors of a tool are results, which the model of the client reads. Another
// server gets the arguments of a call and nothing of its account, in a separate session; what it does costs a bounded
// time and a bounded amount of memory.
package mcp
