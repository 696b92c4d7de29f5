package atelier

import "time"

// Network is a pool of workers.
type Network string

// The networks. Jobs of the last are done by the service's own processes, and
// nobody outside sees them.
const (
	Fast        Network = "fast"
	Relaxed     Network = "relaxed"
	NodeNetwork Network = "node"
)

// Demand is who waits for what, and who could serve it, at one moment. A
// network that is not in Networks is unknown, not empty; a model without an
// entry in a known network is all zero.
type Demand struct {
	At       time.Time
	Networks []Network
	Models   map[string]map[Network]ModelDemand // by model id
}

// ModelDemand are the counters of one model in one network. Queued jobs are
// those that wait for a worker, those held back by a concurrency limit of
// their account, and others.
type ModelDemand struct {
	WorkersReady           int `json:"workersReady"`
	WorkersLoaded          int `json:"workersLoaded"`
	JobsActive             int `json:"jobsActive"`
	JobsQueued             int `json:"jobsQueued"`
	JobsWaitingForWorker   int `json:"jobsWaitingForWorker"`
	JobsConcurrencyLimited int `json:"jobsConcurrencyLimited"`
	JobsQueuedOther        int `json:"jobsQueuedOther"`
}
