package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/process"
)

// instance is the ComfyUI of one GPU: one process after another.
type instance struct {
	opts    *Options
	gpu     string
	port    int
	command []string
	again   chan struct{} // asks for another process
	http    *http.Client
	log     *slog.Logger
}

func (i *instance) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(i.port)) }

func (i *instance) url() string { return "http://" + i.address() }

// run keeps a process running until ctx ends. It sends to first how the first start
// ended: nil when the process answers.
func (i *instance) run(ctx context.Context, first chan<- error) {
	report := func(err error) {
		if first != nil {
			first <- err
			first = nil
		}
	}
	for pause := (clock.Backoff{First: i.opts.FirstWait, Most: i.opts.LongestWait}); ; {
		ran, err := i.attempt(ctx, func() { report(nil) })
		if ctx.Err() != nil {
			return
		}
		wait := i.opts.waitAfter(&pause, ran)
		if first != nil {
			i.log.Error("ComfyUI failed to start", "error", err) // the worker may end now
		} else {
			i.log.Error("ComfyUI ended, will restart", "error", err, "wait", wait)
		}
		report(fmt.Errorf("ComfyUI on GPU %s: %w", i.gpu, err))
		if !clock.Sleep(ctx, wait) {
			return
		}
	}
}

// waitAfter is the wait before a restart of a process that ran for a time.
func (o *Options) waitAfter(pause *clock.Backoff, ran time.Duration) time.Duration {
	if ran >= o.Steady {
		pause.Reset()
	}
	return pause.Next()
}

// attempt runs one process until it ends, does not answer for too long, or ctx ends. It
// reports for how long the process has answered. The process group is dead when it
// returns.
func (i *instance) attempt(ctx context.Context, ready func()) (ran time.Duration, err error) {
	// A process that has taken the port would answer in place of ours.
	l, err := net.Listen("tcp", i.address())
	if err != nil {
		return 0, fmt.Errorf("port %d is not free: %w", i.port, err)
	}
	l.Close()
	p, err := i.start()
	if err != nil {
		return 0, err
	}
	defer p.end(i.opts.Grace)
	i.log.Info("ComfyUI started", "process", p.Cmd.Process.Pid)
	select {
	case <-i.again: // it was asked of the process before
	default:
	}
	began, isReady := time.Now(), false
	answered := began // the last time
	tick := time.NewTicker(i.opts.Check)
	defer tick.Stop()
	for {
		if i.answers(ctx, p) {
			answered = time.Now()
			if !isReady {
				began, isReady = answered, true
				i.log.Info("ComfyUI answers")
				ready()
			}
		}
		patience := i.opts.Unresponsive
		if !isReady {
			patience = i.opts.StartTime
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-p.Gone:
			for _, line := range p.output.last() {
				i.log.Error("ComfyUI output", "line", line)
			}
			if !isReady {
				return 0, fmt.Errorf("it ended before it answered (%s); the log has its last output", p.Cmd.ProcessState)
			}
			return time.Since(began), fmt.Errorf("it ended (%s)", p.Cmd.ProcessState)
		case <-i.again:
			return time.Since(began), errors.New("its GPU does not work")
		case <-tick.C:
		}
		if time.Since(answered) > patience {
			return answered.Sub(began), fmt.Errorf("it has not answered for %s", patience)
		}
	}
}

// answers reports whether the process answers. It returns early when the process ends.
func (i *instance) answers(ctx context.Context, p *started) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-p.Gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, i.url()+"/system_stats", nil)
	if err != nil {
		return false
	}
	resp, err := i.http.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	return err == nil && resp.StatusCode == http.StatusOK
}

// started is a process that has been started.
type started struct {
	*process.Group
	output *output
}

func (i *instance) start() (*started, error) {
	cmd := exec.Command(i.command[0], i.command[1:]...)
	cmd.Env = environment(os.Environ(), i.gpu)
	out := &output{log: i.log}
	cmd.Stdout, cmd.Stderr = out, out
	g, err := process.Start(cmd, true, out.flush)
	return &started{g, out}, err
}

// environment is that of a process: what this program has, except its own variables.
func environment(all []string, gpu string) []string {
	out := []string{"PYTHONUNBUFFERED=1"} // its last lines arrive even if it is killed
	for _, entry := range all {
		if name, _, _ := strings.Cut(entry, "="); !strings.HasPrefix(name, "ATELIER_") {
			out = append(out, entry)
		}
	}
	return append(out, "CUDA_VISIBLE_DEVICES="+gpu)
}

// end ends the process group, and waits for it.
func (p *started) end(grace time.Duration) {
	p.Terminate()
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-p.Gone:
	case <-t.C:
	}
	p.Kill() // also descendants of a process that has ended
	<-p.Gone
}
