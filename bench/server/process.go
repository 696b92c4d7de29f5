package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is a server that was started for the run.
type Process struct {
	URL     string // http://host:port
	Started time.Time

	command *exec.Cmd
	errors  *bytes.Buffer
}

var printedURL = regexp.MustCompile(`http://[^/\s]+`)

// Start runs a server and waits until it has printed where it listens.
func Start(command *exec.Cmd) (*Process, error) {
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p, err := run(command)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	for p.URL == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			_ = command.Wait()
			return nil, fmt.Errorf("%s did not start: %s", filepath.Base(command.Path), p.errors)
		}
		p.URL = printedURL.FindString(line)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return p, nil
}

// StartAt runs a server that does not print where it listens, and waits until it answers a path with 200.
func StartAt(ctx context.Context, command *exec.Cmd, url, path string) (*Process, error) {
	p, err := run(command)
	if err != nil {
		return nil, err
	}
	p.URL = url
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for p.Answers(path) != nil {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			p.Stop()
			return nil, fmt.Errorf("%s did not answer %s: %s", filepath.Base(command.Path), path, tail(p.errors))
		}
	}
	return p, nil
}

func run(command *exec.Cmd) (*Process, error) {
	p := &Process{command: command, errors: &bytes.Buffer{}, Started: time.Now()}
	command.Stderr = p.errors
	return p, command.Start()
}

func tail(text *bytes.Buffer) string {
	t := text.String()
	return t[max(0, len(t)-500):]
}

// Stop ends a server as an operator would.
func (p *Process) Stop() {
	_ = p.command.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(10*time.Second, func() { _ = p.command.Process.Kill() })
	defer late.Stop()
	_ = p.command.Wait()
}

// Kill ends a server at once, and returns the processor time that it has used.
func (p *Process) Kill() time.Duration {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
	return p.command.ProcessState.UserTime() + p.command.ProcessState.SystemTime()
}

// PID is the number of the process.
func (p *Process) PID() int { return p.command.Process.Pid }

// CPU is the processor time that the process has used so far, in nanoseconds by thread; what ended threads used is
// lost.
func (p *Process) CPU() time.Duration { return CPU(p.PID()) }

// CPU is the processor time of any process.
func CPU(pid int) (total time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, file := range files {
		text, _ := os.ReadFile(file) // the thread may have ended
		running, _, _ := strings.Cut(string(text), " ")
		ns, _ := strconv.ParseInt(running, 10, 64)
		total += time.Duration(ns)
	}
	return total
}

// TreeCPU is the processor time of the process and of all that it has started, in hundredths of a second.
func (p *Process) TreeCPU() time.Duration {
	children := map[int][]int{}
	used := map[int]time.Duration{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest) // from the third field of proc(5) on
		if len(fields) < 15 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], pid)
		for _, ticks := range fields[11:15] { // its own, and of children that have ended
			n, _ := strconv.ParseInt(ticks, 10, 64)
			used[pid] += time.Duration(n) * 10 * time.Millisecond
		}
	}
	var sum func(pid int) time.Duration
	sum = func(pid int) time.Duration {
		total := used[pid]
		for _, child := range children[pid] {
			total += sum(child)
		}
		return total
	}
	return sum(p.PID())
}

// The sizes of a process.
const (
	Resident  = "VmRSS"
	Anonymous = "RssAnon" // what is not the program's text
	Peak      = "VmHWM"
)

// Memory is a size of the process, in megabytes.
func (p *Process) Memory(field string) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); name == field {
			kb, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kb / 1024
		}
	}
	return 0
}

// Answers asks for a path on a new connection, and fails when the answer is not 200.
func (p *Process) Answers(path string) error {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	response, err := client.Get(p.URL + path)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", path, response.Status)
	}
	return nil
}

// Usage returns a function that returns how many cores processes have used since.
func Usage(pids ...int) func() []float64 {
	began := time.Now()
	before := make([]time.Duration, len(pids))
	for i, pid := range pids {
		before[i] = CPU(pid)
	}
	return func() (cores []float64) {
		for i, pid := range pids {
			cores = append(cores, (CPU(pid)-before[i]).Seconds()/time.Since(began).Seconds())
		}
		return cores
	}
}

// FreePort finds a free port of the loopback interface.
func FreePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}
