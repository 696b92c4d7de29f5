// Package worker is a worker process: it claims jobs of a service, renders them,
// uploads the results and reports. It uses only the public API, so it runs anywhere
// that can reach the service, and also inside the service's own process. It never
// touches the database.
//
// A Renderer makes the media. What customers read of a failure has no address and no path
// of the worker; its log has them.
package worker
