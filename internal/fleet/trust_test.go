package fleet_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
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
		f := newFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
		own, other := f.connect(wil, model, "another"), f.connect(eve, model, "another")
		j := other.leased(ann, "one")
		_, err := f.Fleet.Progress(t.Context(), eve, other.ID, j.ID, apitype.JobProgress{Receipt: "anything"})
		if !refused(err, "receipt") {
			t.Errorf("a receipt of another account: got %v, want a refusal of receipt", err)
		}
		if err := other.Fail(j, atelier.FailUnknown); !refused(err, "code") {
			t.Errorf("an unknown outcome of another account: got %v, want a refusal of code", err)
		}
		f.cancel(j.ID)
		other.mustSend(j)
		if got := f.job(j.ID).State; got != atelier.JobCancelled {
			t.Errorf("a cancelled job ended as %s", got)
		}
		f.wantBalance(ann, 900, 0)

		f.mustSubmit(ann, "two", func(s *fleet.Submission) { s.Spec.ModelID = "another" }) // which no vendor renders
		j = own.MustClaim()
		if _, err := f.Fleet.Progress(t.Context(), wil, own.ID, j.ID, apitype.JobProgress{Receipt: "task"}); !refused(err, "receipt") {
			t.Errorf("a receipt for a native model: got %v, want a refusal of receipt", err)
		}
		own.MustFail(j, atelier.FailError)

		j = own.leased(ann, "three")
		own.recordRef(j, "task 7")
		own.MustFail(j, atelier.FailUnknown)
		f.Advance(10 * time.Second)
		if got := other.Claim(0); got != nil {
			t.Errorf("another account got a job with the receipt %q", got.ExternalRef)
		}
		f.mustSubmit(ann, "four") // behind it
		if got := other.MustClaim(); got.Owner.Part != "four" {
			t.Errorf("another account got %s", got.Owner.Part)
		}
		if got := own.MustClaim(); got.ExternalRef != "task 7" {
			t.Errorf("the service's own got %+v", got)
		}
		f.Audit()
	})
}

// refused reports whether an error names a field.
func refused(err error, field string) bool {
	return atelier.HasCode(err, atelier.CodeInvalidRequest) && strings.HasPrefix(err.Error(), field+" ")
}

func (f *fixture) write(key, content string) {
	f.T.Helper()
	if _, err := f.Blobs.Put(context.Background(), key, strings.NewReader(content), blob.PutOptions{ContentType: "image/png"}); err != nil {
		f.T.Fatal(err)
	}
}

// Each lease has its own upload keys, however the one before it ended, and
// settled files have other keys, for which there is no form.
func TestSettledFilesStay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		first, second := f.connect(wil), f.connect(wil)
		for name, end := range map[string]func(j *atelier.Job){
			"dropped": func(j *atelier.Job) {
				first.MustFail(j, atelier.FailDropped)
			},
			"unresolved": func(j *atelier.Job) {
				first.recordRef(j, "task 7")
				first.MustFail(j, atelier.FailUnknown)
				f.Advance(10 * time.Second)
			},
		} {
			j := first.leased(ann, name)
			early := first.Place(j, "a0")
			end(j)
			j = second.MustClaim()
			late := second.Place(j, "a0")
			if early == late {
				t.Errorf("%s: two leases write to %s", name, early)
			}
			second.Upload(j, "a1")
			f.write(late, "the right one")
			f.write(early, "another's")
			if err := second.complete(j, "a0", "a1"); err != nil {
				t.Fatal(err)
			}
			f.write(early, "another's")
			f.write(late, "a later one")
			if got := f.contents(j.ID)["a0"]; got != "the right one" {
				t.Errorf("%s: it reads %q", name, got)
			}
			if err := second.complete(j, "a0", "a1"); !atelier.HasCode(err, atelier.CodeJobLost) {
				t.Errorf("%s: completed again: %v", name, err)
			}
			if got := f.contents(j.ID)["a0"]; got != "the right one" {
				t.Errorf("%s: after it was completed again it reads %q", name, got)
			}
		}
		f.Audit()
	})
}

// A refused completion leaves no files, and an accepted one leaves only the files
// that it names.
func TestCompletionsLeaveNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	ann, wil := f.account("ann", 900), f.account("wil", 0)
	worker := f.connect(wil)
	j := worker.leased(ann, "one")
	worker.Upload(j, "a0")
	for range 3 {
		if err := worker.complete(j, "a0", "a1"); err == nil {
			t.Fatal("it was completed without one of its files")
		}
	}
	if got := f.objects(); got != 1 {
		t.Errorf("there are %d objects, want the one that was uploaded", got)
	}
	worker.Upload(j, "a1")
	if err := worker.complete(j, "a0", "a1"); err != nil {
		t.Fatal(err)
	}
	if err := worker.send(j, "a0", "a1"); !atelier.HasCode(err, atelier.CodeJobLost) {
		t.Errorf("sent again: %v", err)
	}
	if got := f.objects(); got != 2 {
		t.Errorf("there are %d objects, want the two that were settled", got)
	}
	j = worker.leased(ann, "two")
	f.cancel(j.ID)
	worker.mustSend(j)
	if got := f.objects(); got != 2 {
		t.Errorf("there are %d objects, want those of the job before", got)
	}
}
