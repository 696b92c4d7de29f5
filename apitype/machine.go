package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Machine is what a worker reports about the machine that renders. What is not known is null.
type Machine struct {
	GPUs           []GPU  `json:"gpus" wire:"gpus,maxlen=16" doc:"The GPUs that render, always in the same order."`
	Renderer       string `json:"renderer" wire:"renderer,maxlen=80" doc:"The program that renders, with its version, such as ComfyUI 0.33.0."`
	DiskFreeBytes  *int64 `json:"diskFreeBytes" wire:"diskFreeBytes,min=0,max=9007199254740991" doc:"Free space on the disk that results are written to."`
	DiskTotalBytes *int64 `json:"diskTotalBytes" wire:"diskTotalBytes,min=0,max=9007199254740991" doc:"The size of that disk."`
}

// GPU is one GPU of a worker.
type GPU struct {
	Name               string   `json:"name" wire:"name,maxlen=120" doc:"Its name."`
	MemoryTotalBytes   *int64   `json:"memoryTotalBytes" wire:"memoryTotalBytes,min=0,max=1125899906842624" doc:"Its memory."`
	MemoryFreeBytes    *int64   `json:"memoryFreeBytes" wire:"memoryFreeBytes,min=0,max=1125899906842624" doc:"How much of it is free."`
	TemperatureCelsius *float64 `json:"temperatureCelsius" wire:"temperatureCelsius,min=-50,max=250" doc:"Its temperature."`
	PowerWatts         *float64 `json:"powerWatts" wire:"powerWatts,min=0,max=10000" doc:"The power that it draws."`
}

// UsedBytes is how much memory of the GPU is in use, or nil when that is not known.
func (g GPU) UsedBytes() *int64 {
	if g.MemoryTotalBytes == nil || g.MemoryFreeBytes == nil {
		return nil
	}
	return new(*g.MemoryTotalBytes - *g.MemoryFreeBytes)
}

// ReportedMachine is the machine of a worker, as the worker has reported it last.
type ReportedMachine struct {
	Machine
	ReportedAt time.Time `json:"reportedAt"`
}

// OperatorWorkerDetail is a worker with the jobs that failed on it.
type OperatorWorkerDetail struct {
	OperatorWorker
	JobsCompleted int64           `json:"jobsCompleted"` // since it connected, as are the others
	JobsFailed    int64           `json:"jobsFailed"`
	JobsDropped   int64           `json:"jobsDropped"` // that it gave up and another worker got, of those that are remembered
	Failures      []WorkerFailure `json:"failures"`    // the newest jobs that failed on it since it connected, newest first
}

// WorkerFailure is a job that failed on a worker.
type WorkerFailure struct {
	JobID    atelier.JobID `json:"jobId"`
	ModelID  string        `json:"modelId"`
	ToolName string        `json:"toolName"`
	Code     string        `json:"code"`
	Message  string        `json:"message"`
	EndedAt  time.Time     `json:"endedAt"`
}

// OperatorWorkerDetailReply is one worker.
type OperatorWorkerDetailReply struct {
	Worker OperatorWorkerDetail `json:"worker"`
}

// WorkerHistory is what a worker has reported about its machine in a window, in steps of equal
// length. It has the reports of earlier connections of a worker of the same account and name.
type WorkerHistory struct {
	Window      HistoryWindow        `json:"window"`
	StepSeconds int                  `json:"stepSeconds"`
	Points      []WorkerHistoryPoint `json:"points"` // one for each step, the earliest first
}

// WorkerHistoryPoint is one step of the history of a worker.
type WorkerHistoryPoint struct {
	At            time.Time    `json:"at"`            // when the step begins
	GPUs          []GPUHistory `json:"gpus"`          // in the order of the reports; empty without reports
	DiskFreeBytes *int64       `json:"diskFreeBytes"` // the least; null when it was not reported
}

// GPUHistory is one GPU in a step of a history. What was not reported is null.
type GPUHistory struct {
	MemoryUsedBytes    *int64   `json:"memoryUsedBytes"`    // the most
	MemoryTotalBytes   *int64   `json:"memoryTotalBytes"`   // the most
	TemperatureCelsius *float64 `json:"temperatureCelsius"` // the highest
	PowerWatts         *float64 `json:"powerWatts"`         // the mean
}

// WorkerHistoryReply is the history of a worker.
type WorkerHistoryReply struct {
	History WorkerHistory `json:"history"`
}
