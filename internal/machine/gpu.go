package machine

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// GPU is a GPU of this machine. What its driver does not tell is nil.
type GPU struct {
	Index       string // in the order of the driver
	UUID        string
	Name        string
	Total, Free *int64 // memory
	Temperature *float64
	Power       *float64
}

// Is reports whether an entry of CUDA_VISIBLE_DEVICES names the GPU: its index, or the beginning of its
// UUID.
func (g GPU) Is(id string) bool {
	return id != "" && (id == g.Index || strings.HasPrefix(id, "GPU-") && len(id) > len("GPU-") && strings.HasPrefix(g.UUID, id))
}

// program lists GPUs. It comes with NVIDIA's driver.
const program = "nvidia-smi"

const (
	mostGPUs   = 64
	mostOutput = 64 << 10
)

// Lister lists the GPUs of this machine. The program of a broken driver may hang, and cannot always be
// ended: while one does, no other is started.
type Lister struct {
	Program string        // by default found in the path
	Timeout time.Duration // by default five seconds
	running chan struct{}
}

// NewLister makes a lister.
func NewLister() *Lister {
	return &Lister{Timeout: 5 * time.Second, running: make(chan struct{}, 1)}
}

// errBusy says that an earlier call still runs.
var errBusy = errors.New(program + " does not end")

// GPUs lists the GPUs; an error says that the machine has no driver of NVIDIA, or that it does not work.
func (l *Lister) GPUs(ctx context.Context) ([]GPU, error) {
	path := l.Program
	if path == "" {
		found, err := exec.LookPath(program) // an error also where it is found in the current directory
		if err != nil {
			return nil, err
		}
		path = found
	}
	if !filepath.IsAbs(path) {
		return nil, errors.New(path + ": must be an absolute path")
	}
	select {
	case l.running <- struct{}{}:
	default:
		return nil, errBusy
	}
	ctx, cancel := context.WithTimeout(ctx, l.Timeout)
	type result struct {
		list []GPU
		err  error
	}
	answer := make(chan result, 1)
	go func() {
		defer func() { <-l.running }()
		defer cancel()
		list, err := list(ctx, path)
		answer <- result{list, err}
	}()
	select {
	case r := <-answer:
		return r.list, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func list(ctx context.Context, path string) ([]GPU, error) {
	cmd := exec.CommandContext(ctx, path, "--query-gpu=index,uuid,name,memory.total,memory.free,temperature.gpu,power.draw", "--format=csv,noheader,nounits")
	out := bounded{}
	cmd.Stdout, cmd.WaitDelay = &out, time.Second
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	return parse(out.String()), nil
}

// bounded keeps the beginning of what is written to it.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	_, _ = b.Buffer.Write(p[:min(len(p), mostOutput-b.Len())])
	return len(p), nil
}

// parse reads the lines of the program. Each has seven fields; a name may have commas.
func parse(text string) (out []GPU) {
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), ", ")
		n := len(fields)
		if n < 7 || len(out) == mostGPUs {
			continue
		}
		g := GPU{
			Index: fields[0], UUID: fields[1], Name: strings.Join(fields[2:n-4], ", "),
			Total: mebibytes(fields[n-4]), Free: mebibytes(fields[n-3]), Temperature: number(fields[n-2]), Power: number(fields[n-1]),
		}
		if g.Total != nil && g.Free != nil && *g.Free > *g.Total {
			g.Free = g.Total
		}
		out = append(out, g)
	}
	return out
}

// number reads a field; one that the GPU does not have is a text, such as [N/A].
func number(field string) *float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
	if err != nil || math.IsNaN(n) || n < 0 || n > 1e9 {
		return nil
	}
	return &n
}

func mebibytes(field string) *int64 {
	n := number(field)
	if n == nil {
		return nil
	}
	return new(int64(*n * (1 << 20)))
}
