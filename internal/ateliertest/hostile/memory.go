package hostile

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// watch notes the largest memory of the server and of the processes it has
// started.
func watch(ctx context.Context, pid int, r *Report) {
	for wait(ctx, 200*time.Millisecond) == nil {
		server, children := resident(pid), int64(0)
		for _, child := range childrenOf(pid) {
			children += resident(child)
		}
		r.mu.Lock()
		r.Server, r.Renders = max(r.Server, server), max(r.Renders, children)
		r.mu.Unlock()
	}
}

// resident is the memory of a process in bytes, 0 when it is not known.
func resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

func childrenOf(pid int) (list []int) {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for _, f := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(f); err == nil {
				list = append(append(list, child), childrenOf(child)...)
			}
		}
	}
	return list
}
