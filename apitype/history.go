package apitype

import "time"

// HistoryWindow is how far back a history goes.
type HistoryWindow string

// The windows.
const (
	HistoryHour HistoryWindow = "hour"
	HistoryDay  HistoryWindow = "day"
	HistoryWeek HistoryWindow = "week"
)

// Values lists the windows for the OpenAPI document.
func (HistoryWindow) Values() []string {
	return []string{string(HistoryHour), string(HistoryDay), string(HistoryWeek)}
}

// History is what the nodes of an installation have seen in a window, in steps of equal length.
type History struct {
	Window      HistoryWindow  `json:"window"`
	StepSeconds int            `json:"stepSeconds"`
	Points      []HistoryPoint `json:"points"` // one for each step, the earliest first
}

// HistoryPoint is one step of a history. All its numbers are null if no node took a sample, and the means are if nodes
// only began or ended in it.
type HistoryPoint struct {
	At             time.Time `json:"at"`             // when the step begins
	Queued         *float64  `json:"queued"`         // renders that wait; the mean of the step
	Active         *float64  `json:"active"`         // renders that workers hold; the mean of the step
	Workers        *float64  `json:"workers"`        // that are connected; the mean of the step
	Nodes          *float64  `json:"nodes"`          // that run; the mean of the step
	Started        *int64    `json:"started"`        // renders that workers took
	Completed      *int64    `json:"completed"`      // renders that ended well
	Failed         *int64    `json:"failed"`         // renders that failed
	WaitP50Seconds *float64  `json:"waitP50Seconds"` // how long half of those that started waited at most; null if none started
	WaitP95Seconds *float64  `json:"waitP95Seconds"` // how long 95 % of those that started waited at most; null if none started
	MemoryBytes    *int64    `json:"memoryBytes"`    // of the node that held most
	FreeBytes      *int64    `json:"freeBytes"`      // on the disks of the node that had least; null where none stores anything
}

// HistoryReply is a history.
type HistoryReply struct {
	History History `json:"history"`
}
