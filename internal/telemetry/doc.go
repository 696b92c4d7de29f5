// Package telemetry reports to operators what the service is doing: metrics for
// Prometheus and traces for an OpenTelemetry collector. It writes Prometheus' text
// format itself and is the only package that imports OpenTelemetry's library; every
// other package counts and traces through it.
//
// A Metrics is passed from package to package: one Metrics has its own numbers,
// so that two tests, or two services in one process, never share any. A nil
// *Metrics makes instruments that count nothing, so that a package needs no check
// whether metrics are on.
//
// Tracing is process-wide, as its configuration is: the standard OTEL_*
// environment variables. Without an endpoint in them every call here is a
// no-op that costs an atomic load.
//
// # Invariants
//
//   - Label sets are bounded. Routes are patterns from the route table, never
//     paths; methods and statuses outside the known ones become "other", and so
//     does any route beyond a generous number of them.
//   - The name of every metric of this program begins with atelier_, but for
//     those that OpenTelemetry's conventions name: gen_ai_.
//   - Nothing here fails or delays a request: a collector that is down costs
//     dropped spans and a line in the log.
//   - Spans carry no query strings, headers, bodies, keys or addresses of
//     clients.
//
// # Neighbours
//
// The API edge observes requests and opens server spans; engines open spans
// around what takes time and make their own instruments; cmd starts tracing
// and shuts it down after everything else.
package telemetry
