// Package worker is a worker process: it claims jobs of a service, renders
// them, uploads what it made and reports. It speaks only the public API, so it
// runs anywhere that can reach the service, and inside the service's own
// process just the same. It never touches the database.
//
// A Renderer makes the media.
package worker
