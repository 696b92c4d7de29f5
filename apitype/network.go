package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Network is the connected workers and the queues, as an account may see them.
type Network struct {
	Workers []NetworkWorker `json:"workers"`
	Models  []NetworkModel  `json:"models"`
}

// NetworkWorker is a connected worker. Only its owner learns its id and name.
type NetworkWorker struct {
	WorkerID   atelier.WorkerID `json:"workerId,omitzero"`
	Name       string           `json:"name"`
	Own        bool             `json:"own"`
	Network    atelier.Network  `json:"network"`
	Models     []string         `json:"models"`
	GPU        string           `json:"gpu"`
	Version    string           `json:"version"`
	Fallback   bool             `json:"fallback"`
	BuiltIn    bool             `json:"builtIn"` // the service runs it itself
	Draining   bool             `json:"draining"`
	Capacity   int              `json:"capacity"`
	LastSeenAt time.Time        `json:"lastSeenAt"`
	Jobs       []NetworkJob     `json:"jobs"`

	// Unavailable says why the worker takes no jobs for now; it is absent while it takes
	// them. Only its owner learns the reason.
	Unavailable string `json:"unavailable,omitzero"`

	// NotClaimingSince is since when the worker asks for no jobs although it could take some,
	// so that it serves no model; it is absent while it claims.
	NotClaimingSince time.Time `json:"notClaimingSince,omitzero"`

	// Standing is what the jobs have shown that it failed at and that others then completed; it is
	// absent when there are none. Others than its owner learn only that it is low, and since when.
	Standing *WorkerStanding `json:"standing,omitzero"`

	// Machine is what the worker has reported about its machine. Only its owner learns it.
	Machine *ReportedMachine `json:"machine,omitzero"`
}

// NetworkJob is a job that a worker renders.
type NetworkJob struct {
	ModelID   string    `json:"modelId"`
	ToolName  string    `json:"toolName"`
	Progress  float64   `json:"progress"`
	StartedAt time.Time `json:"startedAt"`
	Own       bool      `json:"own"`
}

// NetworkModel is how many jobs of a model there are, and workers for them.
type NetworkModel struct {
	ModelID          string          `json:"modelId"`
	Network          atelier.Network `json:"network"`
	Queued           int             `json:"queued"`
	Active           int             `json:"active"`
	Workers          int             `json:"workers"`
	WaitingForWorker int             `json:"waitingForWorker"`
}
