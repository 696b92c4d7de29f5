package comfyui

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/machine"
)

// mostDevices is how many GPUs the service takes in a report.
const mostDevices = 16

// Machine implements worker.Measured. What ComfyUI says of its GPU and what the driver says are put
// together where they are certain to be about the same one.
func (r *Renderer) Machine(ctx context.Context) apitype.Machine {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	var wg sync.WaitGroup
	for _, i := range r.pool.instances {
		wg.Go(func() {
			if s, err := i.api.stats(ctx); err == nil { // otherwise what it has said before
				i.mu.Lock()
				i.system = s
				i.mu.Unlock()
			}
		})
	}
	var cards []machine.GPU
	wg.Go(func() { cards, _ = r.opts.GPUs(ctx) }) // an error: the machine has none, or does not tell
	wg.Wait()
	m := apitype.Machine{GPUs: []apitype.GPU{}}
	var versions []string
	dirs := []string{os.TempDir()} // to which the worker fetches results
	for n, i := range r.pool.instances {
		i.mu.Lock()
		s, away := i.system, i.away != nil
		i.mu.Unlock()
		local := i.isLocal()
		if s.System != nil {
			if v := "ComfyUI " + s.System.Version; !slices.Contains(versions, v) {
				versions = append(versions, v)
			}
			if local {
				dirs = append(dirs, outputDir(s.System.Arguments))
			}
		}
		var own []machine.GPU
		if local {
			own = cards
		}
		m.GPUs = append(m.GPUs, s.gpus(own, r.opts.device(n), away)...)
	}
	m.Renderer = cut(strings.Join(versions, ", "), 80)
	m.GPUs = m.GPUs[:min(len(m.GPUs), mostDevices)]
	m.DiskFreeBytes, m.DiskTotalBytes = fullest(dirs)
	return m
}

// device is the GPU that was chosen for an instance, as CUDA_VISIBLE_DEVICES has it; empty when it is
// not known.
func (o Options) device(n int) string {
	if n < len(o.Devices) {
		return o.Devices[n]
	}
	return ""
}

// isLocal reports whether the ComfyUI runs on this machine.
func (i *instance) isLocal() bool {
	host := i.api.base.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// gpus are the GPUs of a ComfyUI, which uses one. Its memory is that which ComfyUI can use: it counts
// what it has reserved itself as free. When it is away, only the driver knows.
func (s system) gpus(cards []machine.GPU, chosen string, away bool) (out []apitype.GPU) {
	for _, d := range s.Devices {
		if d.Type == "cpu" || strings.HasPrefix(d.Name, "cpu") {
			continue
		}
		g := apitype.GPU{Name: cut(gpuName(d.Name), 120)}
		if !away && d.Total > 0 && d.Total < mostMemory {
			g.MemoryTotalBytes, g.MemoryFreeBytes = new(int64(d.Total)), new(int64(max(0, min(d.Free, d.Total))))
		}
		if chosen == "" && s.System != nil {
			chosen = argument(s.System.Arguments, "--cuda-device")
		}
		if card := same(cards, chosen, g.Name); card != nil {
			g.TemperatureCelsius, g.PowerWatts = card.Temperature, card.Power
			if g.MemoryTotalBytes == nil {
				g.MemoryTotalBytes, g.MemoryFreeBytes = card.Total, card.Free
			}
		}
		out = append(out, g)
	}
	return out
}

// mostMemory is more than any GPU has.
const mostMemory = 1 << 50

// same finds a GPU of ComfyUI among those of the driver: the one that was chosen for it, if it has its
// name, or the only one of its name. CUDA may number them in another order than the driver.
func same(cards []machine.GPU, chosen, name string) *machine.GPU {
	var named []*machine.GPU
	for i, c := range cards {
		if !strings.EqualFold(c.Name, name) {
			continue
		}
		if c.Is(chosen) {
			return &cards[i]
		}
		named = append(named, &cards[i])
	}
	if len(named) == 1 {
		return named[0]
	}
	return nil
}

// gpuName is the name of a GPU in what ComfyUI says of it, such as "cuda:0 NVIDIA H200 : cudaMallocAsync".
func gpuName(device string) string {
	if kind, rest, found := strings.Cut(device, " "); found && strings.Contains(kind, ":") {
		device = rest
	}
	if i := strings.LastIndex(device, " : "); i >= 0 {
		device = device[:i]
	}
	return device
}

// cut keeps what a text may have in a report, without control characters.
func cut(text string, most int) string {
	runes := []rune(strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 {
			return -1
		}
		return c
	}, text))
	return string(runes[:min(len(runes), most)])
}

// outputDir is where a ComfyUI writes its results; empty when its arguments do not tell.
func outputDir(arguments []string) string {
	dir := argument(arguments, "--output-directory")
	if base := argument(arguments, "--base-directory"); dir == "" && base != "" {
		dir = filepath.Join(base, "output")
	}
	if dir == "" && len(arguments) > 0 && filepath.IsAbs(arguments[0]) {
		dir = filepath.Join(filepath.Dir(arguments[0]), "output")
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

// argument is the value of a flag.
func argument(arguments []string, flag string) string {
	for i, a := range arguments {
		if value, found := strings.CutPrefix(a, flag+"="); found {
			return value
		}
		if a == flag && i+1 < len(arguments) {
			return arguments[i+1]
		}
	}
	return ""
}

// fullest is the space on the disk of those of some directories that has the least.
func fullest(dirs []string) (free, total *int64) {
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		f, t, err := machine.Space(dir)
		if err == nil && t > 0 && (free == nil || f < *free) {
			free, total = new(max(0, min(f, t))), &t
		}
	}
	return free, total
}
