package work

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/bench/load"
)

// Worker is one connection of a worker that renders nothing: it speaks the worker protocol and makes the smallest
// picture there is, which it sends along with the completion, as workers do with small files.
type Worker struct {
	conn    *load.Conn
	session string
	next    Task // that came with the answer to the last completion
}

// Workers are the connections of some workers.
type Workers struct {
	All []*Worker

	service *Service
	cancel  func()
}

// MostJobs is how many jobs a worker may have at once.
const MostJobs = 64

// Connect connects workers, each with a number of connections. They are dialled as they are needed: the service closes
// those that ask for nothing.
func (s *Service) Connect(ctx context.Context, workers, each int) (*Workers, error) {
	inner, cancel := context.WithCancel(ctx)
	w := &Workers{service: s, cancel: cancel, All: make([]*Worker, workers*each)}
	err := load.Together(min(load.Openers, workers), func(who int) error {
		for ; who < workers; who += load.Openers {
			conns, err := load.DialAll(inner, s.URL, each, s.worker)
			if err != nil {
				return err
			}
			body := fmt.Appendf(nil, `{"name":"bench","network":"fast","models":["z_image_turbo_bf16","rtx_vsr_pro"],"capacity":%d}`, MostJobs)
			answer, err := conns[0].Want(201, "POST", "/v1/worker/sessions", load.JSON, body)
			if err != nil {
				return err
			}
			for i, c := range conns {
				w.All[who*each+i] = &Worker{conn: c, session: Value(answer, "workerId")}
			}
		}
		return nil
	})
	if err != nil {
		cancel()
		return nil, err
	}
	return w, nil
}

// Close disconnects the workers.
func (w *Workers) Close() {
	w.cancel()
	c, err := load.Dial(context.Background(), w.service.URL, w.service.worker)
	if err != nil {
		return // the service has ended
	}
	defer c.Close()
	last := ""
	for _, one := range w.All {
		if one.session != last {
			last = one.session
			_, _ = c.Ask("DELETE", "/v1/worker/sessions/"+last, "", nil)
		}
	}
}

// Run has the workers work while do lasts, calls done after each job, and sends what fails to fault, which has space
// for it. What is left undone when do returns is lost for the time of a lease, so do ends with an empty queue.
func (w *Workers) Run(done func(), fault chan<- error, do func() error) error {
	var wg sync.WaitGroup
	over := make(chan struct{})
	for _, one := range w.All {
		wg.Go(func() {
			for {
				worked, err := one.work()
				select {
				case <-over:
					return
				default:
				}
				if err != nil {
					fault <- err
					return
				}
				if worked {
					done()
				}
			}
		})
	}
	err := do()
	close(over)
	w.Close()
	wg.Wait()
	return err
}

// Task is a job as a worker needs it.
type Task struct{ job, artifact string }

// Claim waits for a job.
func (w *Worker) Claim() (t Task, came bool, err error) {
	a, err := w.conn.Ask("POST", "/v1/worker/sessions/"+w.session+"/claim", load.JSON, []byte(`{"waitSeconds":25}`))
	switch {
	case err != nil || a.Status == 204:
		return t, false, err
	case a.Status != 200:
		return t, false, fmt.Errorf("claim: got %d: %s", a.Status, a.Body)
	}
	return readTask(a.Body), true, nil
}

// readTask finds the job of an answer; its id is empty when the answer has no job.
func readTask(answer []byte) Task {
	_, artifacts, _ := bytes.Cut(answer, []byte(`"artifacts":`))
	return Task{Value(answer, "jobId"), Value(artifacts, "id")}
}

// tinyPicture is the smallest PNG that is accepted for what Plan orders, in base64.
var tinyPicture = func() string {
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 128, 128))); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}()

// Complete settles a job, with its picture, and takes the next if one waits.
func (w *Worker) Complete(t Task, more bool) error {
	body := fmt.Appendf(nil, `{"artifacts":[{"id":"%s","contentType":"image/png","width":128,"height":128,"seed":1,"data":"%s"}],"metrics":{"renderSeconds":0.001},"claimNext":%t}`,
		t.artifact, tinyPicture, more)
	answer, err := w.conn.Want(200, "POST", "/v1/worker/sessions/"+w.session+"/jobs/"+t.job+"/complete", load.JSON, body)
	w.next = readTask(answer)
	return err
}

// Progress says how far a job is, and something about it.
func (w *Worker) Progress(t Task, share float64, message string) error {
	body := fmt.Appendf(nil, `{"progress":%.4f,"message":%q}`, share, message)
	_, err := w.conn.Want(200, "POST", "/v1/worker/sessions/"+w.session+"/jobs/"+t.job+"/progress", load.JSON, body)
	return err
}

// work does one job, if one comes.
func (w *Worker) work() (done bool, err error) {
	t := w.next
	if t.job == "" {
		if t, done, err = w.Claim(); err != nil || !done {
			return false, err
		}
	}
	return true, w.Complete(t, true)
}

// Plan is the body that starts a workflow with a number of steps: a picture that is made larger again and again.
func Plan(steps int) []byte {
	parts := []string{`{"id":"s0","toolName":"generate_image","arguments":{"prompt":"a bench in a park","width":256,"height":256}}`}
	for i := 1; i < steps; i++ {
		parts = append(parts, fmt.Sprintf(`{"id":"s%d","toolName":"upscale_image","arguments":{},"dependsOn":[`+
			`{"sourceStepId":"s%d","sourceArtifactIndex":0,"targetArgument":"sourceImageIndex","transform":"image_index"}]}`, i, i-1))
	}
	return []byte(`{"input":{"title":"bench","steps":[` + strings.Join(parts, ",") + `]}}`)
}
