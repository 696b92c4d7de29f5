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
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// send completes a job at a node, with its files: what each says tells who has
// made it, and when.
func (h hand) send(at *fleet.Engine, j *atelier.Job, ids ...string) error {
	var made []fleet.Made
	for _, id := range ids {
		made = append(made, fleet.Made{ID: id, Data: []byte(h.content(j, id))})
	}
	return at.Complete(context.Background(), h.w, h.id, j.ID, made, fleet.Metrics{})
}

func (h hand) content(j *atelier.Job, id string) string {
	return fmt.Sprintf("%s by %s in attempt %d", id, h.id, j.Attempt)
}

// claimAt claims a job at another node.
func (h hand) claimAt(at *fleet.Engine) *atelier.Job {
	h.y.t.Helper()
	j, err := at.ClaimJob(context.Background(), h.w, h.id, 10*time.Second)
	if err != nil || j == nil {
		h.y.t.Fatalf("claim at another node: got %+v, %v, want a job", j, err)
	}
	return j
}

// made reads what the rows of a job name, by artifact.
func (y *yard) made(jobID atelier.JobID) map[string]string {
	y.t.Helper()
	var rows []atelier.Artifact
	err := y.db.Read(context.Background(), func(tx *store.Tx) (err error) { rows, err = tx.Artifacts(jobID); return err })
	if err != nil {
		y.t.Fatal(err)
	}
	out := map[string]string{}
	for _, a := range rows {
		file, object, err := y.blobs.Open(context.Background(), a.Key)
		if err != nil {
			y.t.Fatalf("artifact %s: %v", a.ID, err)
		}
		text, err := io.ReadAll(file)
		if err != nil || object.Size != a.Bytes {
			y.t.Errorf("artifact %s: %d bytes, %v, want %d", a.ID, object.Size, err, a.Bytes)
		}
		file.Close()
		out[a.ID] = string(text)
	}
	return out
}

// objects counts the files there are.
func (y *yard) objects() (n int) {
	y.t.Helper()
	for _, err := range y.blobs.List(context.Background(), "results/", "") {
		if err != nil {
			y.t.Fatal(err)
		}
		n++
	}
	return n
}

// A node remembers the jobs it has leased. One that moved on at another node is
// settled for what it is now: its attempt, its money, its files.
func TestAJobThatMovedOnElsewhere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		beside := y.node()
		ann, wil := y.account("ann", 100), y.account("wil", 0)
		h := y.connect(wil)
		for i, tc := range []struct{ uploaded, sent []string }{
			{nil, []string{"a0", "a1"}},
			{[]string{"a0", "a1"}, nil},
			{[]string{"a0"}, []string{"a1"}},
		} {
			y.mustSubmit(ann, fmt.Sprint("job", i))
			first := h.must()
			if err := beside.Fail(t.Context(), wil, h.id, first.ID, atelier.JobError{Code: atelier.FailDropped}); err != nil {
				t.Fatal(err)
			}
			second := h.claimAt(beside)
			if second.ID != first.ID || second.Attempt != 2 {
				t.Fatalf("then came %+v, want the second attempt", second)
			}
			want := map[string]string{}
			var made []fleet.Made
			for _, id := range tc.uploaded {
				h.upload(second, id)
				made, want[id] = append(made, fleet.Made{ID: id}), "bytes"
			}
			for _, id := range tc.sent {
				want[id] = h.content(second, id)
				made = append(made, fleet.Made{ID: id, Data: []byte(want[id])})
			}
			if err := y.e.Complete(t.Context(), wil, h.id, second.ID, made, fleet.Metrics{}); err != nil {
				t.Fatalf("complete where the first attempt is remembered, with %q uploaded: %v", tc.uploaded, err)
			}
			if j := y.job(first.ID); j.State != atelier.JobCompleted || j.Attempt != 2 {
				t.Errorf("the job is %s in attempt %d", j.State, j.Attempt)
			}
			if got := y.made(first.ID); !maps.Equal(got, want) {
				t.Errorf("it made %q, want %q", got, want)
			}
			y.want(ann, atelier.Money(90-10*i), atelier.Money(10+10*i))
		}
		y.audit()
		if got, want := y.heard(), "started job0 1, dropped job0 1, started job0 2, completed/2 job0 2, "; !strings.HasPrefix(got, want) {
			t.Errorf("heard %s, want %s…", got, want)
		}
	})
}

// A cached job does not give a worker what another worker holds by now.
func TestAJobThatAnotherHasByNow(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		beside := y.node()
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		slow, quick := y.connect(wil), y.connect(wil)
		y.mustSubmit(ann, "one")
		lost := slow.must()
		y.advance(lease + time.Second)
		if err := beside.Heartbeat(t.Context(), wil, quick.id, nil); err != nil { // it lives, however long this takes
			t.Fatal(err)
		}
		if err := beside.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		j := quick.claimAt(beside)
		if err := slow.send(y.e, lost, "a0", "a1"); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("a late answer: got %v, want that the job is lost", err)
		}
		y.want(ann, 15, 10) // still held
		if err := quick.send(y.e, j, "a0", "a1"); err != nil {
			t.Fatal(err)
		}
		if got, want := y.made(j.ID)["a0"], quick.content(j, "a0"); got != want {
			t.Errorf("a0 is %q, want %q", got, want)
		}
		y.want(ann, 15, 10)
		y.audit()
	})
}

// A completion that is repeated at the node that remembers the job, after
// another has settled it, changes nothing: not its money, not its files.
func TestAJobThatIsOverElsewhere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		beside := y.node()
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		h := y.connect(wil)
		y.mustSubmit(ann, "one")
		j := h.must()
		if err := h.send(beside, j, "a0"); err != nil {
			t.Fatal(err)
		}
		for range 2 { // remembered, and not
			other := *j
			other.Attempt = 7 // so that it says something else
			if err := h.send(y.e, &other, "a0", "a1"); !atelier.HasCode(err, atelier.CodeJobLost) {
				t.Errorf("said again: got %v, want that the job is lost", err)
			}
		}
		if got := y.made(j.ID); len(got) != 1 || got["a0"] != h.content(j, "a0") {
			t.Errorf("it made %q, want what was sent first", got)
		}
		y.want(ann, 20, 5) // half of what was ordered
		y.audit()
	})
}

// A cancel that came at another node is kept, whatever this one remembers.
func TestAJobThatWasCancelledElsewhere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		beside := y.node()
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		h := y.connect(wil)
		y.mustSubmit(ann, "one")
		j := h.must()
		err := y.db.Write(t.Context(), func(tx *store.Tx) error { _, err := beside.Cancel(tx, j.ID); return err })
		if err != nil {
			t.Fatal(err)
		}
		if err := h.send(y.e, j, "a0", "a1"); err != nil {
			t.Fatal(err)
		}
		if got := y.job(j.ID).State; got != atelier.JobCancelled {
			t.Errorf("it ended as %s", got)
		}
		y.want(ann, 25, 0)
		y.audit()
	})
}

// Nothing is stored of a completion that is refused for any of its files.
func TestARefusedCompletionStoresNothing(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann, wil := y.account("ann", 25), y.account("wil", 0)
	h := y.connect(wil)
	y.mustSubmit(ann, "one")
	j := h.must()
	good := fleet.Made{ID: "a0", Data: []byte("good")}
	for name, made := range map[string][]fleet.Made{
		"not the job's":  {good, {ID: "b0", Data: []byte("good")}},
		"twice":          {good, good},
		"not uploaded":   {good, {ID: "a1"}},
		"not what it is": {good, {ID: "a1", Data: []byte("bad")}},
	} {
		if err := y.e.Complete(t.Context(), wil, h.id, j.ID, made, fleet.Metrics{}); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
	if n := y.objects(); n != 0 {
		t.Errorf("%d files were stored", n)
	}
	if err := h.send(y.e, j, "a0", "a1"); err != nil {
		t.Error(err)
	}
	if n := y.objects(); n != 2 {
		t.Errorf("%d files were stored, want 2", n)
	}
	y.want(ann, 15, 10)
}

// inspect refuses what says that it is bad.
func inspect(_ string, file io.ReadSeeker, _ int64) error {
	text, err := io.ReadAll(file)
	if err == nil && string(text) == "bad" {
		err = atelier.Refuse("file", "is bad.")
	}
	return err
}
