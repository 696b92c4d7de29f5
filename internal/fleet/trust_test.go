package fleet_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A worker that is not the service's own cannot record an ExternalRef, cannot report an
// unknown outcome, and gets no job that has an ExternalRef.
func TestExternalRefsAreForTheService(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil, eve := y.account("ann", 900), y.account("wil", 0), y.account("eve", 0)
		own, other := y.connect(wil, model, "another"), y.connect(eve, model, "another")
		y.mustSubmit(ann, "one")
		j := other.must()
		_, err := y.e.Progress(t.Context(), eve, other.id, j.ID, fleet.ProgressReport{ExternalRef: "anything"})
		if !refused(err, "receipt") {
			t.Errorf("a receipt of somebody else: got %v, want a refusal of receipt", err)
		}
		if err := other.fail(j, atelier.FailUnknown); !refused(err, "code") {
			t.Errorf("an unknown of somebody else: got %v, want a refusal of code", err)
		}
		if err := y.cancel(j.ID); err != nil {
			t.Fatal(err)
		}
		if err := other.send(y.e, j, "a0", "a1"); err != nil {
			t.Fatal(err)
		}
		if got := y.job(j.ID).State; got != atelier.JobCancelled {
			t.Errorf("a cancelled job ended as %s", got)
		}
		y.want(ann, 900, 0)

		y.mustSubmit(ann, "two", func(s *fleet.Submission) { s.Spec.ModelID = "another" }) // which no vendor renders
		j = own.must()
		if _, err := y.e.Progress(t.Context(), wil, own.id, j.ID, fleet.ProgressReport{ExternalRef: "task"}); !refused(err, "receipt") {
			t.Errorf("a receipt for a model of ours: got %v, want a refusal of receipt", err)
		}
		if err := own.fail(j, atelier.FailError); err != nil {
			t.Fatal(err)
		}

		y.mustSubmit(ann, "three")
		j = own.must()
		own.keep(j, "task 7")
		if err := own.fail(j, atelier.FailUnknown); err != nil {
			t.Fatal(err)
		}
		y.advance(10 * time.Second)
		if got := other.claim(0); got != nil {
			t.Errorf("somebody else got a job with the receipt %q", got.ExternalRef)
		}
		y.mustSubmit(ann, "four") // behind it
		if got := other.must(); got.Owner.Part != "four" {
			t.Errorf("somebody else got %s", got.Owner.Part)
		}
		if got := own.must(); got.ExternalRef != "task 7" {
			t.Errorf("the service's own got %+v", got)
		}
		y.audit()
	})
}

// refused reports whether an error names a field.
func refused(err error, field string) bool {
	return atelier.HasCode(err, atelier.CodeInvalidRequest) && strings.HasPrefix(err.Error(), field+" ")
}

func (y *yard) cancel(jobID atelier.JobID) error {
	return y.db.Write(context.Background(), func(tx *store.Tx) error { _, err := y.e.Cancel(tx, jobID); return err })
}

// place is where a form of a worker writes now.
func (h hand) place(j *atelier.Job, id string) string {
	h.y.t.Helper()
	caller := atelier.Caller{Account: atelier.Account{Wallet: h.w, Worker: true}, Credential: atelier.CredentialAPIKey}
	p, err := h.y.e.UploadPlace(context.Background(), caller, j.ProjectID, id, false)
	if err != nil {
		h.y.t.Fatal(err)
	}
	return p.Key
}

func (y *yard) write(key, content string) {
	y.t.Helper()
	if _, err := y.blobs.Put(context.Background(), key, strings.NewReader(content), blob.PutOptions{ContentType: "image/png"}); err != nil {
		y.t.Fatal(err)
	}
}

// Each lease has places of its own, however the one before it ended, and what
// was settled is in none of them: no form writes there.
func TestSettledFilesStay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 900), y.account("wil", 0)
		first, second := y.connect(wil), y.connect(wil)
		for name, end := range map[string]func(j *atelier.Job){
			"dropped": func(j *atelier.Job) {
				if err := first.fail(j, atelier.FailDropped); err != nil {
					t.Fatal(err)
				}
			},
			"unresolved": func(j *atelier.Job) {
				first.keep(j, "task 7")
				if err := first.fail(j, atelier.FailUnknown); err != nil {
					t.Fatal(err)
				}
				y.advance(10 * time.Second)
			},
		} {
			y.mustSubmit(ann, name)
			j := first.must()
			early := first.place(j, "a0")
			end(j)
			j = second.must()
			late := second.place(j, "a0")
			if early == late {
				t.Errorf("%s: two leases write to %s", name, early)
			}
			second.upload(j, "a1")
			y.write(late, "the right one")
			y.write(early, "another's")
			if err := second.complete(j, "a0", "a1"); err != nil {
				t.Fatal(err)
			}
			y.write(early, "another's")
			y.write(late, "a later one")
			if got := y.made(j.ID)["a0"]; got != "the right one" {
				t.Errorf("%s: it reads %q", name, got)
			}
			if err := second.complete(j, "a0", "a1"); !atelier.HasCode(err, atelier.CodeJobLost) {
				t.Errorf("%s: completed again: %v", name, err)
			}
			if got := y.made(j.ID)["a0"]; got != "the right one" {
				t.Errorf("%s: after it was completed again it reads %q", name, got)
			}
		}
		y.audit()
	})
}

// A completion that is refused leaves nothing behind, and one that is taken
// leaves what it names.
func TestCompletionsLeaveNothing(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann, wil := y.account("ann", 900), y.account("wil", 0)
	h := y.connect(wil)
	y.mustSubmit(ann, "one")
	j := h.must()
	h.upload(j, "a0")
	for range 3 {
		if err := h.complete(j, "a0", "a1"); err == nil {
			t.Fatal("it was completed without one of its files")
		}
	}
	if got := y.objects(); got != 1 {
		t.Errorf("there are %d objects, want the one that was uploaded", got)
	}
	h.upload(j, "a1")
	if err := h.complete(j, "a0", "a1"); err != nil {
		t.Fatal(err)
	}
	if err := h.send(y.e, j, "a0", "a1"); !atelier.HasCode(err, atelier.CodeJobLost) {
		t.Errorf("sent again: %v", err)
	}
	if got := y.objects(); got != 2 {
		t.Errorf("there are %d objects, want the two that were settled", got)
	}
	y.mustSubmit(ann, "two")
	j = h.must()
	if err := y.cancel(j.ID); err != nil {
		t.Fatal(err)
	}
	if err := h.send(y.e, j, "a0", "a1"); err != nil {
		t.Fatal(err)
	}
	if got := y.objects(); got != 2 {
		t.Errorf("there are %d objects, want those of the job before", got)
	}
}
