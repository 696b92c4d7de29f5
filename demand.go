package atelier

import (
	"slices"
	"time"
)

// Network is a pool of workers.
type Network string

// The networks. The service's own processes do the jobs of the last; the API does
// not show them.
const (
	NetworkFast    Network = "fast"
	NetworkRelaxed Network = "relaxed"
	NetworkNode    Network = "node"
)

// HasWorkers reports whether workers of accounts do the jobs of the network.
func (n Network) HasWorkers() bool { return n == NetworkFast || n == NetworkRelaxed }

// Demand counts queued jobs and workers at one moment. A network that is not in
// Networks is unknown, not empty; a model without an entry in a known network has
// neither jobs nor workers.
type Demand struct {
	At       time.Time
	Networks []Network
	Models   map[string]map[Network]ModelDemand // by model id
}

// Server says which kind of worker serves a model now.
type Server string

// The kinds, from the best to none.
const (
	ServedByWorkers  Server = "workers"
	ServedByVendor   Server = "vendor"
	ServedByExpected Server = "expected" // fallback workers, but jobs wait for a while for a worker that was there a moment ago
	ServedByPreview  Server = "preview"  // fallback workers alone
	ServedByNobody   Server = "nobody"
)

// Servers lists the kinds, the best first.
var Servers = []Server{ServedByWorkers, ServedByVendor, ServedByExpected, ServedByPreview, ServedByNobody}

// Values lists the kinds for the OpenAPI document.
func (Server) Values() []string {
	var out []string
	for _, s := range Servers {
		out = append(out, string(s))
	}
	return out
}

// ServedBy is the best of those that serve a model in any of the networks.
func (d Demand) ServedBy(model string, networks ...Network) Server {
	best := len(Servers) - 1
	for _, n := range networks {
		if at := slices.Index(Servers, d.Models[model][n].ServedBy); at >= 0 {
			best = min(best, at)
		}
	}
	return Servers[best]
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

	ServedBy Server `json:"servedBy"`
}
