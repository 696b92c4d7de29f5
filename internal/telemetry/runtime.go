package telemetry

import (
	"runtime"
	"runtime/metrics"
)

// goMetrics are what the Go runtime measures, under the names that Prometheus' own library gives
// them: dashboards know them. The value of a metric is the sum of its parts.
var goMetrics = []struct {
	name  string
	kind  kind
	help  string
	parts []string
}{
	{"go_goroutines", gauge, "Goroutines that exist.", []string{"/sched/goroutines:goroutines"}},
	{"go_threads", gauge, "Threads of the operating system.", []string{"/sched/threads/total:threads"}},
	{"go_sched_gomaxprocs_threads", gauge, "Threads that may run Go code at once.", []string{"/sched/gomaxprocs:threads"}},
	{"go_gc_gogc_percent", gauge, "How much the heap may grow before it is collected.", []string{"/gc/gogc:percent"}},
	{"go_gc_gomemlimit_bytes", gauge, "The memory limit of the runtime.", []string{"/gc/gomemlimit:bytes"}},
	{"go_gc_cycles_total_gc_cycles_total", counter, "Collections that completed.", []string{"/gc/cycles/total:gc-cycles"}},
	{"go_cpu_classes_gc_total_cpu_seconds_total", counter, "Processor time of the collector, estimated.", []string{"/cpu/classes/gc/total:cpu-seconds"}},
	{"go_memstats_alloc_bytes", gauge, "Bytes in use on the heap.", []string{"/memory/classes/heap/objects:bytes"}},
	{"go_memstats_alloc_bytes_total", counter, "Bytes allocated on the heap, freed ones included.", []string{"/gc/heap/allocs:bytes"}},
	{"go_memstats_mallocs_total", counter, "Objects allocated on the heap.", []string{"/gc/heap/allocs:objects", "/gc/heap/tiny/allocs:objects"}},
	{"go_memstats_frees_total", counter, "Objects of the heap that were freed.", []string{"/gc/heap/frees:objects", "/gc/heap/tiny/allocs:objects"}},
	{"go_memstats_heap_alloc_bytes", gauge, "Bytes in use on the heap.", []string{"/memory/classes/heap/objects:bytes"}},
	{"go_memstats_heap_idle_bytes", gauge, "Bytes of the heap that wait to be used.", []string{"/memory/classes/heap/released:bytes", "/memory/classes/heap/free:bytes"}},
	{"go_memstats_heap_inuse_bytes", gauge, "Bytes of the heap in use, unused parts of spans included.", []string{"/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes"}},
	{"go_memstats_heap_objects", gauge, "Objects on the heap.", []string{"/gc/heap/objects:objects"}},
	{"go_memstats_heap_released_bytes", gauge, "Bytes of the heap given back to the system.", []string{"/memory/classes/heap/released:bytes"}},
	{"go_memstats_heap_sys_bytes", gauge, "Bytes that the heap has from the system.", []string{
		"/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes", "/memory/classes/heap/released:bytes", "/memory/classes/heap/free:bytes"}},
	{"go_memstats_next_gc_bytes", gauge, "Size of the heap at which the next collection begins.", []string{"/gc/heap/goal:bytes"}},
	{"go_memstats_stack_inuse_bytes", gauge, "Bytes in use for stacks.", []string{"/memory/classes/heap/stacks:bytes"}},
	{"go_memstats_stack_sys_bytes", gauge, "Bytes that stacks have from the system.", []string{"/memory/classes/heap/stacks:bytes", "/memory/classes/os-stacks:bytes"}},
	{"go_memstats_sys_bytes", gauge, "Bytes that the runtime has from the system.", []string{"/memory/classes/total:bytes"}},
}

func runtimeMetrics() []*family {
	list := []*family{{name: "go_info", help: "The version of Go.", kind: gauge, labels: []string{"version"},
		read: func(set func(v float64, labelValues ...string)) { set(1, runtime.Version()) }}}
	for _, g := range goMetrics {
		list = append(list, &family{name: g.name, help: g.help, kind: g.kind,
			read: func(set func(v float64, labelValues ...string)) { set(runtimeSum(g.parts)) }})
	}
	return list
}

func runtimeSum(parts []string) (sum float64) {
	samples := make([]metrics.Sample, len(parts))
	for i, name := range parts {
		samples[i].Name = name
	}
	metrics.Read(samples)
	for _, s := range samples {
		switch s.Value.Kind() {
		case metrics.KindUint64:
			sum += float64(s.Value.Uint64())
		case metrics.KindFloat64:
			sum += s.Value.Float64()
		}
	}
	return sum
}
