package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options are the settings of the processes. Zero durations have defaults.
type Options struct {
	Command string   // program and arguments; {port} and {gpu} are replaced
	GPUs    []string // as CUDA_VISIBLE_DEVICES names them; each has a process that sees it alone
	Port    int      // of the first process; the others have the next ones
	Scratch string   // a directory for temporary files; the system's by default
	Log     *slog.Logger

	Grace        time.Duration // between SIGTERM and SIGKILL: ten seconds
	StartTime    time.Duration // until a process answers for the first time: ten minutes
	Check        time.Duration // between two checks of a process: five seconds
	Unresponsive time.Duration // without an answer until a process is started again: two minutes
	FirstWait    time.Duration // before the first restart: a second
	LongestWait  time.Duration // before a restart: a minute
	Steady       time.Duration // after which the wait is the first again: five minutes
}

// Processes are ComfyUI processes of this machine.
type Processes struct {
	instances []*instance
	folder    string // for temporary files
	stop      context.CancelFunc
	running   sync.WaitGroup
}

// Start starts a process for each GPU, and waits until each has answered or failed. It
// is an error if all have failed: the log has the last lines of their output, and those
// that failed beside others are started again. When ctx ends first, its error is
// returned; afterwards only Close ends the processes.
func Start(ctx context.Context, o Options) (*Processes, error) {
	o.Grace, o.StartTime = cmp.Or(o.Grace, 10*time.Second), cmp.Or(o.StartTime, 10*time.Minute)
	o.Check, o.Unresponsive = cmp.Or(o.Check, 5*time.Second), cmp.Or(o.Unresponsive, 2*time.Minute)
	o.FirstWait, o.LongestWait, o.Steady = cmp.Or(o.FirstWait, time.Second), cmp.Or(o.LongestWait, time.Minute), cmp.Or(o.Steady, 5*time.Minute)
	p := &Processes{}
	var err error
	if p.instances, err = o.instances(); err != nil {
		return nil, err
	}
	if p.folder, err = os.MkdirTemp(o.Scratch, "atelier-comfyui-"); err != nil {
		return nil, err
	}
	for _, i := range p.instances {
		i.command = withTemp(i.command, filepath.Join(p.folder, strconv.Itoa(i.port)))
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	p.stop = stop
	first := make(chan error, len(p.instances))
	for _, i := range p.instances {
		p.running.Go(func() { i.run(running, first) })
	}
	var failed error
	ready := 0
	for range p.instances {
		select {
		case err := <-first:
			if err == nil {
				ready++
			}
			failed = cmp.Or(failed, err)
		case <-ctx.Done():
			p.Close()
			return nil, ctx.Err()
		}
	}
	if ready == 0 {
		p.Close()
		return nil, failed
	}
	return p, nil
}

// instances checks the options.
func (o *Options) instances() (list []*instance, err error) {
	words, err := split(o.Command)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(o.Command, "{port}") {
		return nil, errors.New("{port} must be in it: each process needs its own port")
	}
	if words[0], err = exec.LookPath(words[0]); err != nil {
		return nil, err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: o.Unresponsive} // no proxy: it is this machine
	for n, gpu := range o.GPUs {
		if gpu == "" || slices.Contains(o.GPUs[:n], gpu) {
			return nil, fmt.Errorf("the GPU %q must be named, and once", gpu)
		}
		i := &instance{opts: o, gpu: gpu, port: o.Port + n, http: client, again: make(chan struct{}, 1)}
		i.log = o.Log.With("comfyui", i.url(), "gpu", gpu)
		fill := strings.NewReplacer("{port}", strconv.Itoa(i.port), "{gpu}", gpu)
		for _, w := range words {
			i.command = append(i.command, fill.Replace(w))
		}
		list = append(list, i)
	}
	if len(list) == 0 {
		return nil, errors.New("no GPU is named")
	}
	return list, nil
}

// URLs are the addresses of the processes.
func (p *Processes) URLs() (list []string) {
	for _, i := range p.instances {
		list = append(list, i.url())
	}
	return list
}

// Outputs are the directories in which the processes save results, by address: those whose
// command shows it.
func (p *Processes) Outputs() map[string]string {
	out := map[string]string{}
	for _, i := range p.instances {
		if dir := outputOf(i.command); dir != "" {
			out[i.url()] = dir
		}
	}
	return out
}

// Restart ends the process at an address, so that it is started again.
func (p *Processes) Restart(url string) {
	for _, i := range p.instances {
		if i.url() == url {
			select {
			case i.again <- struct{}{}:
			default: // it will
			}
		}
	}
}

// Close ends the processes, and waits for their end.
func (p *Processes) Close() {
	p.stop()
	p.running.Wait()
	os.RemoveAll(p.folder)
}
