package cluster_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/ateliertest/cluster"
	"github.com/atelier-project/atelier/internal/lora/loratest"
)

func asError(err error, e **client.Error) bool { return errors.As(err, e) }

// What a node did when it was killed, another does: a chat run in the middle of an answer, a workflow, an import in the
// middle of its file, a delivery in the middle of its request.
func TestTakeover(t *testing.T) {
	c := cluster.Start(t, cluster.Options{Nodes: 3, NATS: 3, Workers: 2})
	t.Run("run", func(t *testing.T) { takeRun(t, c) })
	t.Run("import", func(t *testing.T) { takeImport(t, c) })
	t.Run("delivery", func(t *testing.T) { takeDelivery(t, c) })
	t.Run("workflow", func(t *testing.T) { takeWorkflow(t, c) })
}

// took prints how long a takeover took: how long it may take is up to the machine.
func took(t *testing.T, what string, since time.Time) {
	t.Logf("%s continued %.1f s after the kill; leases are %s", what, time.Since(since).Seconds(), cluster.Lease)
}

func takeRun(t *testing.T, c *cluster.Cluster) {
	ann := c.Account("--spark", "100000")
	first := c.Pick()
	r, err := c.Client(first.URL, ann).StartRun(t.Context(), client.RunStart{
		Messages: []apitype.RunMessage{{Role: "user", Content: "steps taken The red |fox is |asleep."}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.ModelNext(t.Context(), "taken") // it waits in the middle of its answer
	killed := time.Now()
	first.Kill()
	go func() {
		for range 2 {
			c.ModelNext(t.Context(), "taken")
		}
	}()
	var resumed bool
	who := c.Client(c.URL, ann)
	who.Retries = 5
	for u, err := range who.FollowRun(t.Context(), string(r.RunID), -1) {
		if err != nil {
			t.Fatal(err)
		}
		if u.Event != nil && u.Event.Type == "run_resumed" {
			resumed = true
			took(t, "the run", killed)
		}
	}
	done, err := who.Run(t.Context(), string(r.RunID))
	if err != nil || done.Status != atelier.StatusCompleted || done.FinalResponse == nil || done.FinalResponse.Content != "The red fox is asleep." {
		t.Errorf("the run is %s: %s %+v %+v, %v", done.Status, done.FailureReason, done.Error, done.FinalResponse, err)
	}
	if !resumed {
		t.Error("no other node has resumed the run")
	}
	first.Start()
}

func takeImport(t *testing.T, c *cluster.Cluster) {
	ann := c.Account("--plan", "unlimited")
	link := c.Sites.AddHubFile("ann/taken", "fox.safetensors", loratest.LoRA{Family: "krea-2"}.File())
	reached := make(chan string, 1)
	c.Sites.Behave(loratest.StageCDN, loratest.Times(1, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			reached <- r.RemoteAddr
			loratest.Stall(100)(next).ServeHTTP(w, r)
		})
	}))
	who := c.Client(c.URL, ann)
	p, err := who.ImportLora(t.Context(), apitype.LoraImport{URL: link, Name: "Fox", ModelID: "krea2_turbo_fp8_scaled", RightsConfirmed: true})
	if err != nil {
		t.Fatal(err)
	}
	n := c.Owner(<-reached)
	killed := time.Now()
	n.Kill()
	who.Retries = 5
	for p.Status.Importing() {
		if p, err = who.Lora(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if p.Status != atelier.LoraReady {
		t.Errorf("the import is %+v", p)
	}
	took(t, "the import", killed)
	n.Start()
}

func takeDelivery(t *testing.T, c *cluster.Cluster) {
	l := cluster.NewLoad(c)
	reached, release := make(chan string, 1), make(chan bool)
	l.HoldDelivery(func(r *http.Request) {
		reached <- r.RemoteAddr
		<-release
	})
	var n *cluster.Node
	var killed time.Time
	go func() {
		n = c.Owner(<-reached)
		killed = time.Now()
		n.Kill()
		close(release)
	}()
	l.Work(t.Context(), 8)
	<-release
	l.Check() // which waits for every delivery
	took(t, "the delivery", killed)
	n.Start()
}

// takeWorkflow kills the node that a workflow was started on and that its worker speaks to.
func takeWorkflow(t *testing.T, c *cluster.Cluster) {
	l := cluster.NewLoad(c)
	for range c.Nodes {
		n := c.Pick()
		l.During(16, n.Kill)
		n.Start()
	}
	l.Check()
}
