package measure

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Machine is what a result was measured on.
type Machine struct {
	Cores  int    `json:"cores"`
	CPU    string `json:"cpu"`
	Memory string `json:"memory"`
	Kernel string `json:"kernel"`
	Go     string `json:"go"`
}

// Other reports whether figures of the two are not comparable.
func (m Machine) Other(than Machine) bool {
	return m.Cores != than.Cores || m.CPU != than.CPU || m.Memory != than.Memory
}

func (m Machine) String() string {
	return fmt.Sprintf("%d × %s, %s, Linux %s, %s", m.Cores, m.CPU, m.Memory, m.Kernel, m.Go)
}

// ThisMachine describes the machine that this runs on.
func ThisMachine() Machine {
	m := Machine{Cores: runtime.NumCPU(), CPU: field("/proc/cpuinfo", "model name"), Go: runtime.Version()}
	if kb, err := strconv.ParseInt(strings.TrimSuffix(field("/proc/meminfo", "MemTotal"), " kB"), 10, 64); err == nil {
		m.Memory = fmt.Sprintf("%.0f GB", float64(kb)/(1<<20))
	}
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	m.Kernel = strings.TrimSpace(string(release))
	return m
}

// LoadAverage is how many processes wanted to run in the last minute.
func LoadAverage() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	load, _ := strconv.ParseFloat(first, 64)
	return load
}

// field reads the first line of a name from a file of lines such as "name: value".
func field(file, name string) string {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
