package enginetest

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/fleet"
)

// Worker is a connected worker.
type Worker struct {
	Env    *Env
	Wallet atelier.Wallet
	ID     atelier.WorkerID

	node *fleet.Engine // it speaks to; nil is that of the environment
}

// Fleet is the engine of the node that the worker speaks to.
func (w Worker) Fleet() *fleet.Engine { return cmp.Or(w.node, w.Env.Fleet) }

// At is the worker speaking to another node.
func (w Worker) At(node *fleet.Engine) Worker {
	w.node = node
	return w
}

// Connect connects a worker of the fast network with a capacity of one, unless
// others are set. It speaks to the fleet engine of the environment.
func (env *Env) Connect(w atelier.Wallet, set apitype.WorkerSpec) Worker {
	env.T.Helper()
	return env.ConnectAt(nil, w, set)
}

// ConnectAt connects a worker that speaks to another fleet engine.
func (env *Env) ConnectAt(node *fleet.Engine, wallet atelier.Wallet, set apitype.WorkerSpec) Worker {
	env.T.Helper()
	w := Worker{Env: env, Wallet: wallet, node: node}
	set.Name, set.Network, set.Capacity = cmp.Or(set.Name, "worker"), cmp.Or(set.Network, atelier.NetworkFast), max(set.Capacity, 1)
	connected, err := w.Fleet().Connect(context.Background(), wallet, set)
	if err != nil {
		env.T.Fatal(err)
	}
	w.ID = connected.ID
	return w
}

// AllModels is every model and tool of the catalog that workers render.
func AllModels() []string { return append(Catalog().NativeModels(), Catalog().WorkerTools()...) }

// Claim takes a job, or none when none comes within the wait.
func (w Worker) Claim(wait time.Duration) *atelier.Job {
	w.Env.T.Helper()
	j, err := w.Fleet().ClaimJob(context.Background(), w.Wallet, w.ID, wait)
	if err != nil {
		w.Env.T.Fatalf("claim: %v", err)
	}
	return j
}

// MustClaim takes a job that must come.
func (w Worker) MustClaim() *atelier.Job {
	w.Env.T.Helper()
	j := w.Claim(patience)
	if j == nil {
		w.Env.T.Fatal("no job came")
	}
	return j
}

// place is where the worker's upload of an artifact goes.
func (w Worker) place(j *atelier.Job, id string) (fleet.Location, error) {
	caller := atelier.Caller{Account: atelier.Account{Wallet: w.Wallet, Worker: true}, Credential: atelier.CredentialAPIKey}
	return w.Fleet().UploadLocation(context.Background(), caller, j.ProjectID, id, false)
}

// Place is the key that the worker's upload of an artifact goes to.
func (w Worker) Place(j *atelier.Job, id string) string {
	w.Env.T.Helper()
	p, err := w.place(j, id)
	if err != nil {
		w.Env.T.Fatal(err)
	}
	return p.Key
}

func (w Worker) upload(j *atelier.Job, id string) error {
	if w.Env.opts.Full {
		return nil
	}
	p, err := w.place(j, id)
	if err != nil {
		return err
	}
	content := "bytes"
	if p.ContentType == "application/json" {
		content = Findings
	}
	_, err = w.Env.Blobs.Put(context.Background(), p.Key, strings.NewReader(content), blob.PutOptions{ContentType: p.ContentType})
	return err
}

// Upload puts artifacts where the worker's forms would.
func (w Worker) Upload(j *atelier.Job, ids ...string) {
	w.Env.T.Helper()
	for _, id := range ids {
		if err := w.upload(j, id); err != nil {
			w.Env.T.Fatal(err)
		}
	}
}

// Deliver uploads some of a job's artifacts and completes it. They all come
// with the metadata.
func (w Worker) Deliver(j *atelier.Job, artifacts []atelier.JobArtifact, metadata map[string]any) error {
	var reported []apitype.ReportedArtifact
	for _, a := range artifacts {
		if err := w.upload(j, a.ID); err != nil {
			return err
		}
		reported = append(reported, apitype.ReportedArtifact{ID: a.ID, Width: 64, Height: 48, Seed: j.Spec.Seed, Metadata: metadata})
	}
	_, err := w.Fleet().Complete(context.Background(), w.Wallet, w.ID, j.ID, apitype.Completion{Artifacts: reported})
	return err
}

// Fail reports that a job failed.
func (w Worker) Fail(j *atelier.Job, code string) error {
	return w.Fleet().Fail(context.Background(), w.Wallet, w.ID, j.ID, atelier.JobError{Code: code, Message: "it went wrong"})
}

// MustFail reports that a job failed, and the report must be accepted.
func (w Worker) MustFail(j *atelier.Job, code string) {
	w.Env.T.Helper()
	if err := w.Fail(j, code); err != nil {
		w.Env.T.Fatal(err)
	}
}
