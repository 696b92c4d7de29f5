package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// checkMachine refuses what the declaration of a report cannot: a name that would confuse a terminal,
// and more free space than there is.
func checkMachine(m apitype.Machine) error {
	isPlain := func(field, text string) error {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return atelier.Refuse(field, "must not contain control characters.")
		}
		return nil
	}
	exceeds := func(part, whole *int64) bool { return part != nil && whole != nil && *part > *whole }
	if err := isPlain("machine.renderer", m.Renderer); err != nil {
		return err
	}
	if exceeds(m.DiskFreeBytes, m.DiskTotalBytes) {
		return atelier.Refuse("machine.diskFreeBytes", "must not exceed diskTotalBytes.")
	}
	for i, g := range m.GPUs {
		field := fmt.Sprintf("machine.gpus[%d]", i)
		if err := isPlain(field+".name", g.Name); err != nil {
			return err
		}
		if exceeds(g.MemoryFreeBytes, g.MemoryTotalBytes) {
			return atelier.Refuse(field+".memoryFreeBytes", "must not exceed memoryTotalBytes.")
		}
	}
	return nil
}

// noteMachine records in memory what a worker has reported about its machine.
func (p *presence) noteMachine(id atelier.WorkerID, m apitype.Machine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.seen[id]; s != nil {
		m.GPUs = slices.Concat([]apitype.GPU{}, m.GPUs) // not nil, so that JSON has an empty list
		s.machine = &store.MachineReport{Machine: m, At: p.engine.opts.Now()}
	}
}

// machineDue is the report that the next write stores, if any: one a lease. A worker reports with each
// heartbeat, and may report much.
func (s *workerSeen) machineDue(now time.Time, interval time.Duration) *store.MachineReport {
	if s.machine == nil || s.machine.At.Before(s.machineWritten) || now.Sub(s.machineWritten) < interval {
		return nil
	}
	return s.machine
}

// machine is the report of a worker on this node, with the worker.
type machine struct {
	atelier.Worker
	store.MachineReport
}

// machineAge is after how many leases a report says nothing about now.
const machineAge = 4

// An account can connect many workers, and a worker can name many GPUs: these bound how many of them
// the metrics and the history show.
const (
	mostMachines = 100 // of an account
	mostGPUs     = 8   // of a worker
)

// machines are the newest reports that this node got, of workers that still report to it.
func (e *Engine) machines() (list []machine) {
	p := e.presence
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.seen {
		if s.machine != nil && e.opts.Now().Sub(s.machine.At) <= machineAge*e.opts.Lease {
			m := machine{s.worker, *s.machine}
			m.GPUs = m.GPUs[:min(len(m.GPUs), mostGPUs)]
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b machine) int { return cmp.Compare(a.ID, b.ID) })
	of := map[atelier.Wallet]int{}
	return slices.DeleteFunc(list, func(m machine) bool {
		of[m.Wallet]++
		return of[m.Wallet] > mostMachines
	})
}

// MachineSamples are the reports of workers that this node has, as samples of a minute.
func (e *Engine) MachineSamples(at time.Time) (out []store.WorkerSample) {
	for _, m := range e.machines() {
		s := store.WorkerSample{Wallet: m.Wallet, Name: m.Name, Worker: m.ID, At: at.Truncate(time.Minute), DiskFree: m.DiskFreeBytes}
		for _, g := range m.GPUs {
			s.GPUs = append(s.GPUs, store.GPUSample{Used: g.UsedBytes(), Total: g.MemoryTotalBytes, Temperature: g.TemperatureCelsius, Power: g.PowerWatts})
		}
		out = append(out, s)
	}
	return out
}

// ShowMachine is the report of a worker among others, or nil.
func ShowMachine(among map[atelier.WorkerID]store.MachineReport, id atelier.WorkerID) *apitype.ReportedMachine {
	m, ok := among[id]
	if !ok {
		return nil
	}
	return &apitype.ReportedMachine{Machine: m.Machine, ReportedAt: m.At.UTC()}
}

// observeMachines shows what the workers of this node report about their machines. A worker chooses
// its name, so the series of each have its id too: none can write into those of another.
func (e *Engine) observeMachines() {
	type setter = func(v float64, labelValues ...string)
	ofWorker := []string{"account", "worker", "worker_id"}
	labels := func(m machine, more ...string) []string {
		return append([]string{string(m.Wallet), m.Name, string(m.ID)}, more...)
	}
	gauges := func(name, help string, more []string, show func(set setter, m machine)) {
		e.opts.Metrics.Gauges(name, help, append(slices.Clone(ofWorker), more...), func(set setter) {
			for _, m := range e.machines() {
				show(set, m)
			}
		})
	}
	each := func(show func(set setter, m machine, gpu string, g apitype.GPU)) func(setter, machine) {
		return func(set setter, m machine) {
			for i, g := range m.GPUs {
				show(set, m, strconv.Itoa(i), g)
			}
		}
	}
	gauges("worker_gpu_memory_bytes", "Memory of a GPU, by kind: used and total. Of workers that report to this node.", []string{"gpu", "kind"},
		each(func(set setter, m machine, gpu string, g apitype.GPU) {
			setBytes(set, g.UsedBytes(), labels(m, gpu, "used"))
			setBytes(set, g.MemoryTotalBytes, labels(m, gpu, "total"))
		}))
	gauges("worker_gpu_temperature_celsius", "Temperature of a GPU. Of workers that report to this node.", []string{"gpu"},
		each(func(set setter, m machine, gpu string, g apitype.GPU) {
			if g.TemperatureCelsius != nil {
				set(*g.TemperatureCelsius, labels(m, gpu)...)
			}
		}))
	gauges("worker_gpu_power_watts", "Power that a GPU draws. Of workers that report to this node.", []string{"gpu"},
		each(func(set setter, m machine, gpu string, g apitype.GPU) {
			if g.PowerWatts != nil {
				set(*g.PowerWatts, labels(m, gpu)...)
			}
		}))
	gauges("worker_disk_bytes", "Space on the disk that results are written to, by kind: free and total. Of workers that report to this node.", []string{"kind"},
		func(set setter, m machine) {
			setBytes(set, m.DiskFreeBytes, labels(m, "free"))
			setBytes(set, m.DiskTotalBytes, labels(m, "total"))
		})
}

func setBytes(set func(v float64, labelValues ...string), n *int64, labels []string) {
	if n != nil {
		set(float64(*n), labels...)
	}
}
