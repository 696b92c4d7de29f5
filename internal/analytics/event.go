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
	{name: "testJobSecWorker", value: never},
	{name: "routineCooldownSecWorker", value: never},
	{name: "penaltyCooldownSecWorker", value: never},
}

func whole(n int64) string           { return strconv.FormatInt(n, 10) }
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// never is the value of what workers of this service do not do: they have no test jobs
// and no cooldowns.
func never(store.WorkerSums) string { return "0" }

// networkEvents are counters of the whole network, which have no worker, NFT or network
// to choose.
var networkEvents = []struct {
	name string
	read func(tx *store.Tx, b store.Between, today string) (map[string]int64, error)
}{
	{"uloginWorkerAddressFast", func(tx *store.Tx, b store.Between, _ string) (map[string]int64, error) {
		return tx.Logins(atelier.NetworkFast, b)
	}},
	{"uloginWorkerAddressRelaxed", func(tx *store.Tx, b store.Between, _ string) (map[string]int64, error) {
		return tx.Logins(atelier.NetworkRelaxed, b)
	}},
	{"activeWorkerNFT", (*store.Tx).ActiveNFTs},
	{"workerOnlineSnapshotFast", func(tx *store.Tx, b store.Between, _ string) (map[string]int64, error) {
		return tx.Online(atelier.NetworkFast, b)
	}},
	{"workerOnlineSnapshotRelaxed", func(tx *store.Tx, b store.Between, _ string) (map[string]int64, error) {
		return tx.Online(atelier.NetworkRelaxed, b)
	}},
	{"workerOnlineSnapshotTotal", func(tx *store.Tx, b store.Between, _ string) (map[string]int64, error) { return tx.Online("", b) }},
}

// counterNames lists the counters of workers.
func counterNames() (out []string) {
	for _, e := range events {
		out = append(out, e.name)
	}
	return out
}

// chartNames lists the events of charts.
func chartNames() []string {
	out := counterNames()
	for _, e := range networkEvents {
		out = append(out, e.name)
	}
	return out
}

// checkNames refuses a list of names with one that is not an option.
func checkNames(field string, names, options []string) error {
	for _, name := range names {
		if !slices.Contains(options, name) {
			return atelier.Refuse(field, "names %q, which is not a counter. supportedOptions lists those that are.", name).With("supportedOptions", options)
		}
	}
	return nil
}

// findEvents finds the counters that the parameter keys names; none are all.
func findEvents(keys []string) (out []event, err error) {
	if len(keys) == 0 {
		return events, nil
	}
	for _, e := range events {
		if slices.Contains(keys, e.name) {
			out = append(out, e)
		}
	}
	return out, checkNames("keys", keys, counterNames())
}

// makeCounters shows some events of sums.
func makeCounters(list []event, s store.WorkerSums) Counters {
	out := Counters{}
	for _, e := range list {
		out[e.name] = e.value(s)
	}
	return out
}
