package telemetry

import (
	"bytes"
	"fmt"
	"os"
	"time"
)

var processStart = time.Now()

// processMetrics are what the system knows about this process. Those that this system does not
// tell are left out of a scrape.
func processMetrics() []*family {
	metric := func(name string, kind kind, help string, value func() (float64, error)) *family {
		return &family{name: "process_" + name, help: help, kind: kind, read: func(set func(v float64, labelValues ...string)) {
			if v, err := value(); err == nil {
				set(v)
			}
		}}
	}
	return []*family{
		metric("start_time_seconds", gauge, "When the process began, in Unix time.", func() (float64, error) {
			return float64(processStart.UnixMilli()) / 1000, nil
		}),
		metric("cpu_seconds_total", counter, "Processor time of the process.", processorTime),
		metric("max_fds", gauge, "File descriptors that the process may open.", fileLimit),
		metric("open_fds", gauge, "File descriptors that are open.", openFiles),
		metric("virtual_memory_bytes", gauge, "Virtual memory of the process.", func() (float64, error) { v, _, err := pages(); return v, err }),
		metric("resident_memory_bytes", gauge, "Memory of the process that is in RAM.", func() (float64, error) { _, r, err := pages(); return r, err }),
	}
}

// openFiles counts one less than it sees: the directory that it reads is open itself.
func openFiles() (float64, error) {
	d, err := os.Open("/proc/self/fd")
	if err != nil {
		return 0, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	return float64(len(names) - 1), err
}

// pages are the bytes of memory that Linux counts for this process.
func pages() (virtual, resident float64, err error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Fscan(bytes.NewReader(text), &virtual, &resident)
	}
	size := float64(os.Getpagesize())
	return virtual * size, resident * size, err
}
