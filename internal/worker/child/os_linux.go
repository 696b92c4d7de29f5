package child

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ownProgram is the running program, also when its file has been replaced by a
// newer one.
func ownProgram() string {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running
	}
	path, _ := os.Executable()
	return path
}

// apply limits this process and those that it will start.
func (l limits) apply() error {
	// When the machine runs out of memory, the kernel ends this process before the
	// service.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	return l.set(map[int]uint64{
		// This limits writable memory: reserved addresses, of which Go has many, do
		// not count.
		syscall.RLIMIT_DATA: uint64(l.MaxMemory + runtimeMemory),
	})
}

// runtimeMemory is added to the limit of a process for memory that is mapped and
// not used.
const runtimeMemory = 256 << 20

// measured says that the processes of a group can be measured.
const measured = true

// usage is what the processes of a group use.
type usage struct {
	memory int64 // bytes
	cpu    time.Duration
}

// processTable reads the processes of the machine, and caches them for a short
// time.
type processTable struct {
	mu     sync.Mutex
	read   time.Time
	groups map[int]usage
}

// usage adds up the processes of a group.
func (t *processTable) usage(group int) usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.read) > often/2 {
		t.groups, t.read = readProcesses(), time.Now()
	}
	return t.groups[group]
}

// tick is the unit of processor time in /proc: a hundredth of a second on every
// architecture that Go runs on.
const tick = 10 * time.Millisecond

// readProcesses reads the usage of every process group.
func readProcesses() map[int]usage {
	groups := map[int]usage{}
	dir, err := os.Open("/proc")
	if err != nil {
		return groups
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	page := int64(os.Getpagesize())
	var buf [1024]byte
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		// The fields of stat come after the name of the program, which may
		// contain anything: state, parent, group, and so on.
		_, text, found := bytes.Cut(readSmall("/proc/"+name+"/stat", buf[:]), []byte("("))
		end := bytes.LastIndexByte(text, ')')
		if !found || end < 0 {
			continue // it has ended
		}
		f := strings.Fields(string(text[end+1:]))
		if len(f) < 22 {
			continue
		}
		group, _ := strconv.Atoi(f[2])
		u := groups[group]
		for _, at := range []int{11, 12, 13, 14} { // user and system, its own and of children that it has waited for
			n, _ := strconv.ParseInt(f[at], 10, 64)
			u.cpu += time.Duration(n) * tick
		}
		// Pages of programs and files do not count: they are shared, and the kernel
		// can drop them.
		if f := strings.Fields(string(readSmall("/proc/"+name+"/statm", buf[:]))); len(f) > 2 {
			resident, _ := strconv.ParseInt(f[1], 10, 64)
			shared, _ := strconv.ParseInt(f[2], 10, 64)
			u.memory += (resident - shared) * page
		}
		groups[group] = u
	}
	return groups
}

// readSmall reads a file of /proc into a buffer.
func readSmall(path string, buf []byte) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	n, _ := f.Read(buf)
	return buf[:n]
}

// machineMemory is what this machine, or the container, has.
func machineMemory() int64 {
	most := int64(0)
	least := func(n int64) {
		if n > 0 && (most == 0 || n < most) {
			most = n
		}
	}
	info, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(info)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "MemTotal:" {
			kb, _ := strconv.ParseInt(f[1], 10, 64)
			least(kb << 10)
		}
	}
	files := []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}
	groups, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			files = append(files, filepath.Join("/sys/fs/cgroup", path, "memory.max"))
		}
	}
	for _, name := range files {
		text, _ := os.ReadFile(name)
		n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max", no limit, reads as 0
		least(n)
	}
	if most == 0 {
		return defaultMemory
	}
	return most
}

// niceness is the value of the system call, inverted as the kernel does.
func niceness(n int) int { return 20 - n }
