package fleet_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// contents reads the objects of a job, by artifact.
func (f *fixture) contents(jobID atelier.JobID) map[string]string {
	f.T.Helper()
	var rows []atelier.Artifact
	err := f.DB.Read(context.Background(), func(tx *store.Tx) (err error) { rows, err = tx.Artifacts(jobID); return err })
	if err != nil {
		f.T.Fatal(err)
	}
	out := map[string]string{}
	for _, a := range rows {
		file, object, err := f.Blobs.Open(context.Background(), a.Key)
		if err != nil {
			f.T.Fatalf("artifact %s: %v", a.ID, err)
		}
		text, err := io.ReadAll(file)
		if err != nil || object.Size != a.Bytes {
			f.T.Errorf("artifact %s: %d bytes, %v, want %d", a.ID, object.Size, err, a.Bytes)
		}
		file.Close()
		out[a.ID] = string(text)
	}
	return out
}

// objects counts the stored files.
func (f *fixture) objects() (n int) {
	f.T.Helper()
	for _, err := range f.Blobs.List(context.Background(), "results/", "") {
		if err != nil {
			f.T.Fatal(err)
		}
		n++
	}
	return n
}

// A node caches the jobs it has leased. A job that has changed on another node is
// settled as it is now: its attempt, its money, its files.
func TestACachedJobHasChanged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		node2 := f.startNode()
		ann, wil := f.account("ann", 100), f.account("wil", 0)
		worker := f.connect(wil)
		for i, tc := range []struct{ uploaded, sent []string }{
			{nil, []string{"a0", "a1"}},
			{[]string{"a0", "a1"}, nil},
			{[]string{"a0"}, []string{"a1"}},
		} {
			first := worker.leased(ann, fmt.Sprint("job", i))
			worker.At(node2).MustFail(first, atelier.FailDropped)
			second := worker.At(node2).MustClaim()
			if second.ID != first.ID || second.Attempt != 2 {
				t.Fatalf("then came %+v, want the second attempt", second)
			}
			want := map[string]string{}
			var artifacts []apitype.ReportedArtifact
			for _, id := range tc.uploaded {
				worker.Upload(second, id)
				artifacts, want[id] = append(artifacts, apitype.ReportedArtifact{ID: id}), "bytes"
			}
			for _, id := range tc.sent {
				want[id] = worker.content(second, id)
				artifacts = append(artifacts, apitype.ReportedArtifact{ID: id, Data: []byte(want[id])})
			}
			if _, err := f.Fleet.Complete(t.Context(), wil, worker.ID, second.ID, apitype.Completion{Artifacts: artifacts}); err != nil {
				t.Fatalf("complete where the first attempt is cached, with %q uploaded: %v", tc.uploaded, err)
			}
			if j := f.job(first.ID); j.State != atelier.JobCompleted || j.Attempt != 2 {
				t.Errorf("the job is %s in attempt %d", j.State, j.Attempt)
			}
			if got := f.contents(first.ID); !maps.Equal(got, want) {
				t.Errorf("it made %q, want %q", got, want)
			}
			f.wantBalance(ann, atelier.Money(90-10*i), atelier.Money(10+10*i))
		}
		f.Audit()
		if got, want := f.hookLog(), "started job0 1, dropped job0 1, started job0 2, completed/2 job0 2, "; !strings.HasPrefix(got, want) {
			t.Errorf("the hooks logged %s, want %s…", got, want)
		}
	})
}

// A worker cannot complete a cached job that another worker holds now.
func TestACachedJobHasAnotherWorker(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		node2 := f.startNode()
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		slow, quick := f.connect(wil), f.connect(wil)
		lost := slow.leased(ann, "one")
		f.Advance(lease + time.Second)
		if err := node2.Heartbeat(t.Context(), wil, quick.ID, apitype.Heartbeat{}); err != nil { // it stays connected
			t.Fatal(err)
		}
		if err := node2.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		j := quick.At(node2).MustClaim()
		if err := slow.send(lost, "a0", "a1"); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("a late answer: got %v, want that the job is lost", err)
		}
		f.wantBalance(ann, 15, 10) // still held
		quick.mustSend(j)
		if got, want := f.contents(j.ID)["a0"], quick.content(j, "a0"); got != want {
			t.Errorf("a0 is %q, want %q", got, want)
		}
		f.wantBalance(ann, 15, 10)
		f.Audit()
	})
}

// A completion that is repeated at a node with the job in its cache, after another
// node has settled it, changes neither its money nor its files.
func TestACachedJobIsSettledElsewhere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		node2 := f.startNode()
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		worker := f.connect(wil)
		j := worker.leased(ann, "one")
		if err := worker.at(node2).send(j, "a0"); err != nil {
			t.Fatal(err)
		}
		for range 2 { // cached, and not
			other := *j
			other.Attempt = 7 // so that its content differs
			if err := worker.send(&other, "a0", "a1"); !atelier.HasCode(err, atelier.CodeJobLost) {
				t.Errorf("repeated: got %v, want that the job is lost", err)
			}
		}
		if got := f.contents(j.ID); len(got) != 1 || got["a0"] != worker.content(j, "a0") {
			t.Errorf("it made %q, want what was sent first", got)
		}
		f.wantBalance(ann, 20, 5) // half of what was ordered
		f.Audit()
	})
}

// A cancel at another node counts, whatever this node has cached.
func TestACachedJobIsCancelledElsewhere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		node2 := f.startNode()
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		worker := f.connect(wil)
		j := worker.leased(ann, "one")
		err := f.DB.Write(t.Context(), func(tx *store.Tx) error { _, err := node2.Cancel(tx, j.ID); return err })
		if err != nil {
			t.Fatal(err)
		}
		worker.mustSend(j)
		if got := f.job(j.ID).State; got != atelier.JobCancelled {
			t.Errorf("it ended as %s", got)
		}
		f.wantBalance(ann, 25, 0)
		f.Audit()
	})
}

// A completion that is refused because of one file stores nothing.
func TestARefusedCompletionStoresNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	ann, wil := f.account("ann", 25), f.account("wil", 0)
	worker := f.connect(wil)
	j := worker.leased(ann, "one")
	good := apitype.ReportedArtifact{ID: "a0", Data: []byte("good")}
	for name, artifacts := range map[string][]apitype.ReportedArtifact{
		"not the job's":  {good, {ID: "b0", Data: []byte("good")}},
		"twice":          {good, good},
		"not uploaded":   {good, {ID: "a1"}},
		"not what it is": {good, {ID: "a1", Data: []byte("bad")}},
	} {
		if _, err := f.Fleet.Complete(t.Context(), wil, worker.ID, j.ID, apitype.Completion{Artifacts: artifacts}); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
	if n := f.objects(); n != 0 {
		t.Errorf("%d files were stored", n)
	}
	if err := worker.send(j, "a0", "a1"); err != nil {
		t.Error(err)
	}
	if n := f.objects(); n != 2 {
		t.Errorf("%d files were stored, want 2", n)
	}
	f.wantBalance(ann, 15, 10)
}
