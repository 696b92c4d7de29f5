package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/catalog"
)

// orders is what the process of a worker is told.
type orders struct {
	URL, Key, Name string
	Models         []string
}

// environment tells a process that it is to be a worker.
const environment = "ATELIER_TEST_CLUSTER_WORKER"

// slots is how many jobs a worker has at once.
const slots = 4

// newWorker makes a worker that reaches the service through the balancer: this test program, started again.
func (c *Cluster) newWorker(number int) *program {
	c.t.Helper()
	known, err := catalog.Load("")
	if err != nil {
		c.t.Fatal(err)
	}
	name := "worker-" + strconv.Itoa(number+1)
	return c.program(name, func() *exec.Cmd {
		told, _ := json.Marshal(orders{c.URL, c.worker.Key, name, append(known.NativeModels(), known.WorkerTools()...)}) // plain fields
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), environment+"="+string(told))
		return cmd
	})
}

// Main works if this process was started for it, and then ends the process.
func Main() {
	told := os.Getenv(environment)
	if told == "" {
		return
	}
	var o orders
	if err := json.Unmarshal([]byte(told), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	w := scriptedWorker{client.New(o.URL, o.Key), o}
	for ctx.Err() == nil {
		w.session(ctx)
		pause(ctx)
	}
	os.Exit(0)
}

// pause is before something is tried again.
func pause(ctx context.Context) {
	select {
	case <-time.After(100 * time.Millisecond):
	case <-ctx.Done():
	}
}

// scriptedWorker is a worker that renders nothing, and takes as long for it as the prompt says.
type scriptedWorker struct {
	client *client.Client
	orders
}

// session works until the service no longer knows its session.
func (w scriptedWorker) session(ctx context.Context) {
	w.client.Retries = 0
	s, err := w.client.Connect(ctx, apitype.WorkerSpec{Name: w.Name, Network: "fast", Models: w.Models, Capacity: slots})
	if err != nil {
		fmt.Fprintln(os.Stderr, "connect:", err)
		return
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for range slots {
		wg.Go(func() {
			defer cancel()
			for inner.Err() == nil {
				j, err := s.Claim(inner, 2*time.Second)
				switch {
				case err == nil && j != nil:
					w.render(inner, s, *j)
				case err != nil && !client.IsTemporary(err):
					fmt.Fprintln(os.Stderr, "claim:", err)
					return
				case err != nil:
					pause(inner)
				}
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = s.Close(last)
	}
}

// again does something until it succeeds or is refused.
func again(ctx context.Context, do func() error) error {
	for {
		err := do()
		if !client.IsTemporary(err) || ctx.Err() != nil {
			return err
		}
		pause(ctx)
	}
}

var takes = regexp.MustCompile(`in (\d+)ms`)

// render does a job. What the service refuses is given up: the job is another's, or is over.
func (w scriptedWorker) render(ctx context.Context, s *client.Session, j apitype.Assignment) {
	say := func(what string, err error) { fmt.Fprintln(os.Stderr, what, j.JobID, "attempt", j.Attempt, err) }
	least := time.Duration(0)
	prompt, _ := j.Arguments["prompt"].(string)
	if m := takes.FindStringSubmatch(prompt); m != nil {
		ms, _ := strconv.Atoi(m[1])
		least = time.Duration(ms) * time.Millisecond
	}
	for until := time.Now().Add(least); ; {
		var reply apitype.ProgressReply
		err := again(ctx, func() (err error) {
			reply, err = s.Progress(ctx, j.JobID, apitype.JobProgress{Progress: 0.5})
			return err
		})
		if err == nil && reply.Cancel {
			say("cancelled", again(ctx, func() error { return s.Fail(ctx, j.JobID, apitype.JobFailure{Code: "dropped"}) }))
			return
		}
		if err != nil {
			say("progress", err)
			return
		}
		left := time.Until(until)
		if left <= 0 {
			break
		}
		select {
		case <-time.After(min(left, time.Second)):
		case <-ctx.Done():
			return
		}
	}
	done := apitype.Completion{Metrics: apitype.RenderMetrics{RenderSeconds: 0.1}}
	for _, slot := range j.Artifacts {
		content, width, height, err := ateliertest.Ordered(slot.ContentType, j)
		if err == nil {
			err = again(ctx, func() error {
				return w.client.UploadResult(ctx, j.ProjectID, slot.ID, slot.ContentType, bytes.NewReader(content))
			})
		}
		if err != nil {
			say("upload", err)
			_ = again(ctx, func() error { return s.Fail(ctx, j.JobID, apitype.JobFailure{Code: "dropped", Retryable: true}) })
			return
		}
		done.Artifacts = append(done.Artifacts, apitype.ReportedArtifact{ID: slot.ID, ContentType: slot.ContentType, Width: width, Height: height, Seed: j.Seed})
	}
	if err := again(ctx, func() error { _, err := s.Complete(ctx, j.JobID, done); return err }); err != nil {
		say("complete", err)
	}
}
