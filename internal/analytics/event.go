package analytics

import (
	"slices"
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Counters are values of events by name, as numeric strings.
type Counters map[string]string

// event is a counter of workers.
type event struct {
	name  string
	value func(store.WorkerSums) string
	rare  bool // nothing here counts it: it is zero, and shown only to callers that name it
}

// events are the counters of a worker, an NFT or a network, in the order in which they
// are listed.
var events = []event{
	{name: "jobCompleteWorker", value: func(s store.WorkerSums) string { return whole(s.Jobs) }},
	{name: "jobErrorWorker", value: func(s store.WorkerSums) string { return whole(s.Errors) }},
	{name: "connectedSecWorker", value: func(s store.WorkerSums) string { return seconds(s.Connected) }},
	{name: "workSecWorker", value: func(s store.WorkerSums) string { return seconds(s.Work) }},
	{name: "renderSecCompleteWorker", value: func(s store.WorkerSums) string { return seconds(s.Render) }},
	{name: "modelSwitchSecWorker", value: func(s store.WorkerSums) string { return seconds(s.Switch) }},
	{name: "primingSecWorker", value: func(s store.WorkerSums) string { return seconds(s.Priming) }},
	{name: "renderTokenCompleteWorker", value: func(s store.WorkerSums) string { return s.Spark.String() }},
	{name: "renderUSDCompleteWorker", value: func(s store.WorkerSums) string { return s.USD.String() }},
	{name: "testJobSecWorker", value: never, rare: true},
	{name: "routineCooldownSecWorker", value: never, rare: true},
	{name: "penaltyCooldownSecWorker", value: never, rare: true},
}

func whole(n int64) string           { return strconv.FormatInt(n, 10) }
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
func never(store.WorkerSums) string  { return "0" }

// networkEvents are counters of the whole network, which have no worker, NFT or network
// to choose.
var networkEvents = []struct {
	name string
	read func(*store.Tx, store.Between) (map[string]int64, error)
}{
	{"uloginWorkerAddressFast", func(tx *store.Tx, b store.Between) (map[string]int64, error) {
		return tx.Logins(atelier.NetworkFast, b)
	}},
	{"uloginWorkerAddressRelaxed", func(tx *store.Tx, b store.Between) (map[string]int64, error) {
		return tx.Logins(atelier.NetworkRelaxed, b)
	}},
	{"activeWorkerNFT", (*store.Tx).ActiveNFTs},
	{"workerOnlineSnapshotFast", func(tx *store.Tx, b store.Between) (map[string]int64, error) {
		return tx.Online(atelier.NetworkFast, b)
	}},
	{"workerOnlineSnapshotRelaxed", func(tx *store.Tx, b store.Between) (map[string]int64, error) {
		return tx.Online(atelier.NetworkRelaxed, b)
	}},
	{"workerOnlineSnapshotTotal", func(tx *store.Tx, b store.Between) (map[string]int64, error) { return tx.Online("", b) }},
}

// EventNames lists the events of charts.
func EventNames() []string {
	var out []string
	for _, e := range events {
		out = append(out, e.name)
	}
	for _, e := range networkEvents {
		out = append(out, e.name)
	}
	return out
}

// findEvents finds the events of a list of names. An empty list is all that are counted
// here. Unknown names are refused with the names that exist.
func findEvents(field string, names []string) (out []event, err error) {
	if len(names) == 0 {
		return slices.DeleteFunc(slices.Clone(events), func(e event) bool { return e.rare }), nil
	}
	for _, name := range names {
		i := slices.IndexFunc(events, func(e event) bool { return e.name == name })
		if i < 0 {
			return nil, unknownEvent(field, name)
		}
		out = append(out, events[i])
	}
	return out, nil
}

func unknownEvent(field, name string) error {
	return atelier.Refuse(field, "names %q, which is not a counter. supportedOptions lists those that are.", name).With("supportedOptions", EventNames())
}

// makeCounters shows some events of sums.
func makeCounters(list []event, s store.WorkerSums) Counters {
	out := Counters{}
	for _, e := range list {
		out[e.name] = e.value(s)
	}
	return out
}
