package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/mint"
)

// Load is what clients do, and what they know of it. Ann's work is durable: workflows and chat runs, which
// she pays for. Bob has chat completions, which end with their connection. Imports have accounts with a plan.
type Load struct {
	c     *Cluster
	Ann   Account
	Bob   Account
	hooks *receiver

	strict bool // a request that fails at all is a fault: nothing is broken on purpose
	loose  bool // the model server fails, and so may runs

	latencies atomic.Pointer[Latencies] // of requests that succeeded; nil where they are not asked for

	mu        sync.Mutex
	rand      *rand.Rand
	workflows map[string]*started
	runs      map[string]*started
	imported  int
	importers []Account // each for importsADay
	asked     int       // chat completions
	answered  int
	retried   map[string]int // what was tried again, with the reason
	faults    []error
}

// started is a workflow or run that was accepted.
type started struct {
	reader    *reader
	cancelled bool // by its owner
	mayFail   bool
	text      string
	rounds    int
}

// NewLoad opens the accounts.
func NewLoad(c *Cluster) *Load {
	c.t.Helper()
	l := &Load{
		c: c, Ann: c.Account("--spark", "1000000"), Bob: c.Account("--spark", "1000000"), rand: rand.New(rand.NewPCG(c.Seed, uint64(len(c.loads)+1))),
		workflows: map[string]*started{}, runs: map[string]*started{}, retried: map[string]int{},
	}
	c.loads = append(c.loads, l)
	l.hooks = newReceiver(c.t)
	var hook apitype.WebhookReply
	body := map[string]any{"url": l.hooks.URL, "events": []string{"workflow.completed", "workflow.failed", "workflow.cancelled", "run.completed", "run.failed", "run.cancelled"}}
	if err := c.Client(c.URL, l.Ann).Call(c.t.Context(), http.MethodPost, "/v1/webhooks", body, &hook); err != nil {
		c.t.Fatalf("create a webhook: %v", err)
	}
	return l
}

// fault notes something that must not happen.
func (l *Load) fault(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, fmt.Errorf(format, args...))
}

// chance is true one time in n.
func (l *Load) chance(n int) bool { return l.upTo(n) == 0 }

func (l *Load) upTo(n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rand.IntN(n)
}

// tries does something until it succeeds or is refused, as a client has to that wants it done.
func (l *Load) tries(ctx context.Context, what string, do func() error) error {
	return again(ctx, func() error {
		began := time.Now()
		err := do()
		if took := l.latencies.Load(); err == nil && took != nil {
			took.Add(what, time.Since(began))
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		switch {
		case client.Is(err, http.StatusInternalServerError):
			l.fault("%s: the service answered 500: %w", what, err)
		case client.Is(err, http.StatusTooManyRequests):
			l.fault("%s: more than the limits: %w", what, err)
		case l.strict:
			l.fault("%s: %w", what, err)
		}
		l.mu.Lock()
		l.retried[what+": "+reason(err)]++
		l.mu.Unlock()
		return err
	})
}

// reason is an error without what differs each time.
func reason(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "127.0.0.1:"); i >= 0 {
		text = strings.TrimLeft(text[i+len("127.0.0.1:"):], "0123456789: ")
	}
	return text
}

// clients is how many clients act at once: fewer than the limit of workflows under way.
const clients = 6

// Work has clients do n things, and returns when all that was accepted is over. They begin one after the other
// as others
// end, so that there is work under way all the time.
func (l *Load) Work(ctx context.Context, n int) {
	l.c.t.Helper()
	l.prepare(n/8 + 1)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	things := make(chan int)
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for i := range things {
				l.one(ctx, i)
			}
		})
	}
	for i := range n {
		things <- i
	}
	close(things)
	wg.Wait()
}

// prepare makes the accounts that n things need.
func (l *Load) prepare(n int) {
	l.c.t.Helper()
	for len(l.importers)*importsADay < l.imported+n {
		l.importers = append(l.importers, l.c.Account("--plan", "unlimited"))
	}
}

// slow is how long a thing takes that is worth a line in the log: longer than a lease, and what comes after it.
const slow = 20 * time.Second

// one does one thing.
func (l *Load) one(ctx context.Context, i int) {
	began := time.Now()
	defer func() {
		if took := time.Since(began); took > slow {
			l.c.t.Logf("%s took %.1f s", []string{"a workflow", "a workflow", "a workflow", "a workflow", "a run", "a run", "a completion", "an import"}[i%8], took.Seconds())
		}
	}()
	var err error
	switch i % 8 {
	case 0, 1, 2, 3:
		err = l.workflow(ctx)
	case 4, 5:
		err = l.run(ctx)
	case 6:
		err = l.chat(ctx)
	case 7:
		err = l.importLora(ctx, i)
	}
	if err != nil {
		l.fault("%w", err)
	}
}

// workflow starts a workflow and follows it.
func (l *Load) workflow(ctx context.Context) error {
	who := l.c.Client(l.c.URL, l.Ann)
	start := client.Start{Title: "load", Key: mint.UUID()}
	for i := range 1 + l.upTo(2) {
		start.Steps = append(start.Steps, atelier.StepInput{ID: fmt.Sprintf("s%d", i), ToolName: "generate_image",
			Arguments: map[string]any{"prompt": fmt.Sprintf("a red fox in %dms", l.upTo(600)), "width": 256, "height": 256}})
	}
	var w apitype.Workflow
	err := l.tries(ctx, "start a workflow", func() (err error) { w, err = who.StartWorkflow(ctx, start); return err })
	if err != nil {
		return fmt.Errorf("start a workflow: %w", err)
	}
	if l.chance(4) { // a client that has lost the answer
		var same apitype.Workflow
		err := l.tries(ctx, "start a workflow again", func() (err error) { same, err = who.StartWorkflow(ctx, start); return err })
		if err != nil || same.WorkflowID != w.WorkflowID {
			return fmt.Errorf("the same start again: %s and %s, %w", w.WorkflowID, same.WorkflowID, err)
		}
	}
	s := l.follow("/v1/creative-agent/workflows/" + w.WorkflowID + "/events/stream")
	l.mu.Lock()
	l.workflows[w.WorkflowID] = s
	l.mu.Unlock()
	if l.chance(6) {
		s.cancelled = true
		if err := l.tries(ctx, "cancel a workflow", func() error { _, err := who.CancelWorkflow(ctx, w.WorkflowID); return err }); err != nil {
			return fmt.Errorf("cancel: %w", err)
		}
	}
	return s.reader.read(ctx)
}

// run starts a chat run and follows it: one that only answers, or one that makes a picture.
func (l *Load) run(ctx context.Context) error {
	who := l.c.Client(l.c.URL, l.Ann)
	text, rounds := "say "+l.words(), 1
	if l.chance(2) {
		text, rounds = fmt.Sprintf(`call generate_image {"prompt": "a red fox in %dms"}`, l.upTo(600)), 2
	}
	start := client.RunStart{Messages: []apitype.RunMessage{{Role: "user", Content: text}}, Key: mint.UUID()}
	var r apitype.Run
	if err := l.tries(ctx, "start a run", func() (err error) { r, err = who.StartRun(ctx, start); return err }); err != nil {
		return fmt.Errorf("start a run: %w", err)
	}
	s := l.follow("/v1/chat/runs/" + string(r.RunID) + "/events/stream")
	s.text, s.rounds = strings.TrimPrefix(text, "say "), rounds
	l.mu.Lock()
	l.runs[string(r.RunID)] = s
	l.mu.Unlock()
	return s.reader.read(ctx)
}

// words are some, so that an answer comes in pieces.
func (l *Load) words() string {
	var words []string
	for range 5 + l.upTo(20) {
		words = append(words, []string{"red", "fox", "snow", "lighthouse", "evening"}[l.upTo(5)])
	}
	return strings.Join(words, " ")
}

func (l *Load) follow(path string) *started {
	return &started{mayFail: l.loose, reader: &reader{url: func() string { return l.c.URL }, key: l.Ann.Key, path: path}}
}

// importsADay is how many imports an account makes: five are allowed, and one may be counted whose answer was lost.
const importsADay = 4

// importLora imports a file, waits until it can be used, and removes it.
func (l *Load) importLora(ctx context.Context, i int) error {
	l.mu.Lock()
	who := l.c.Client(l.c.URL, l.importers[l.imported/importsADay])
	l.imported++
	repo := fmt.Sprintf("cid/fox-%d", l.imported)
	link := l.c.Sites.AddHubFile(repo, "fox.safetensors", loratest.LoRA{Family: "krea-2", Seed: byte(l.imported)}.File())
	l.mu.Unlock()
	q := apitype.LoraImport{URL: link, Name: "Fox", ModelID: "krea2_turbo_fp8_scaled", RightsConfirmed: true}
	var p apitype.PersonalLora
	err := l.tries(ctx, "import", func() (err error) {
		p, err = who.ImportLora(ctx, q)
		if !client.Is(err, http.StatusConflict) {
			return err
		}
		lib, listed := who.Loras(ctx) // an earlier try, whose answer was lost, has begun it
		for _, known := range lib.Loras {
			if strings.Contains(known.Source, repo+"/") {
				p, err = known, nil
			}
		}
		return errors.Join(err, listed)
	})
	if err != nil {
		return fmt.Errorf("import %s: %w", link, err)
	}
	id := p.ID
	for p.Status.Importing() {
		pause(ctx)
		if err := l.tries(ctx, "read an import", func() (err error) { p, err = who.Lora(ctx, id); return err }); err != nil {
			return fmt.Errorf("read the import %s: %w", id, err)
		}
	}
	if p.Status != atelier.LoraReady {
		return fmt.Errorf("the import %s is %s: %s %s", id, p.Status, p.FailureCode, p.Reason)
	}
	err = l.tries(ctx, "remove an import", func() error {
		err := who.DeleteLora(ctx, id)
		if client.Is(err, http.StatusNotFound) {
			return nil // by a try whose answer was lost
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("remove the import %s: %w", id, err)
	}
	return nil
}

// During has clients do n things while something is done to the cluster, a moment after they began.
func (l *Load) During(n int, do func()) {
	l.c.t.Helper()
	l.prepare(n/8 + 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.Work(l.c.t.Context(), n)
	}()
	time.Sleep(time.Duration(200+l.upTo(800)) * time.Millisecond) // the moment is by chance
	do()
	<-done
}
