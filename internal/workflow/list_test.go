package workflow_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// The workflow that changed last comes first, and pages neither repeat nor
// leave out anything while nothing changes.
func TestList(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		var ids []string
		for range 7 {
			ids = append([]string{f.begin(plan(fox)).WorkflowID}, ids...)
			f.Advance(time.Millisecond)
		}
		stranger := f.AddAccount(atelier.Account{Wallet: "0xrob"}, rich)
		if _, err := f.e.Start(t.Context(), stranger, plan(fox)); err != nil {
			t.Fatal(err)
		}
		if _, err := f.e.Cancel(t.Context(), ann, atelier.WorkflowID(ids[4]), ""); err != nil { // it changes last
			t.Fatal(err)
		}
		want := slices.Concat([]string{ids[4]}, ids[:4], ids[5:])
		for _, limit := range []int{1, 2, 3, 6, 7, 8, 100} {
			var got []string
			for offset := 0; ; {
				page, err := f.e.List(t.Context(), ann, offset, limit)
				if err != nil {
					t.Fatal(err)
				}
				for _, w := range page.Workflows {
					got = append(got, w.WorkflowID)
					if w.Plan != nil || len(w.Events) == 0 {
						t.Errorf("%s has the plan %v and %d events", w.WorkflowID, w.Plan, len(w.Events))
					}
				}
				if page.Next == nil {
					break
				}
				if *page.Next != offset+limit || len(page.Workflows) != limit {
					t.Fatalf("after %d of %d comes %d", offset, limit, *page.Next)
				}
				offset = *page.Next
			}
			if !slices.Equal(got, want) {
				t.Errorf("in pages of %d: got %v, want %v", limit, got, want)
			}
		}
		if page, err := f.e.List(t.Context(), ann, 7, 20); err != nil || len(page.Workflows) != 0 || page.Workflows == nil || page.Next != nil {
			t.Errorf("behind the end: %+v, %v", page, err)
		}
	})
}

// A page of large workflows is shorter, and the next begins where it ends.
func TestListsOfLargeWorkflows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o, withOptions(func(o *workflow.Options) { o.ActiveLimit = 100 }))
		var want []string
		for range 24 {
			q := plan(fox)
			q.Media = said(120 << 10)
			want = append([]string{f.begin(q).WorkflowID}, want...)
			f.Advance(time.Millisecond)
		}
		var got []string
		pages := 0
		for offset := 0; ; pages++ {
			page, err := f.e.List(t.Context(), ann, offset, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range page.Workflows {
				got = append(got, w.WorkflowID)
			}
			if page.Next == nil {
				break
			}
			if *page.Next != offset+len(page.Workflows) || len(page.Workflows) == 0 || len(page.Workflows) > 17 {
				t.Fatalf("the page at %d has %d workflows and continues at %d", offset, len(page.Workflows), *page.Next)
			}
			offset = *page.Next
		}
		if !slices.Equal(got, want) || pages == 0 {
			t.Errorf("in %d pages: got %v, want %v", pages+1, got, want)
		}
	})
}

// A list whose logs are long has shorter pages too. A log is read in parts.
func TestListsOfLongLogs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t), full)
	var want []string
	for range 6 {
		want = append([]string{f.begin(plan(fox)).WorkflowID}, want...)
		if err := f.completeWith(f.must("step/0"), map[string]any{"noise": strings.Repeat("x", 300<<10)}); err != nil {
			t.Fatal(err)
		}
		f.Advance(time.Millisecond)
	}
	var got []string
	for offset := 0; ; {
		page, err := f.e.List(t.Context(), ann, offset, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range page.Workflows {
			got = append(got, w.WorkflowID)
			if n := len(w.Events); w.Status != atelier.StatusCompleted || w.Events[n-1].Type != atelier.EventWorkflowCompleted {
				t.Errorf("%s is shown %s with %d events", w.WorkflowID, w.Status, n)
			}
		}
		if page.Next == nil {
			break
		}
		if *page.Next != offset+len(page.Workflows) || len(page.Workflows) == len(want) {
			t.Fatalf("the page at %d has %d workflows and continues at %d", offset, len(page.Workflows), *page.Next)
		}
		offset = *page.Next
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// said is a reference about which much is said.
func said(bytes int) []atelier.MediaReference {
	const url = "https://example.org/x.png"
	return []atelier.MediaReference{{Kind: "image", URL: url, Original: map[string]any{"kind": "image", "url": url, "note": strings.Repeat("x", bytes)}}}
}

// A plan has a bound as it is stored, and the function that weighs it may refuse it
// before it is.
func TestPlansAreWeighed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	q := plan(fox)
	q.Media = said(256 << 10)
	var e *atelier.Error
	if _, err := f.try(q); !errors.As(err, &e) || e.Code != atelier.CodeInvalidRequest || e.Field != "input" {
		t.Errorf("a plan that is too large: %v", err)
	}
	weighed := 0
	q.Media, q.Weigh = said(100<<10), func(bytes int) error { weighed = bytes; return nil }
	id := f.begin(q).WorkflowID
	if weighed < 100<<10 || weighed > 110<<10 {
		t.Errorf("it was weighed as %d", weighed)
	}
	f.done("step/0")
	full := errors.New("full")
	q.Weigh = func(int) error { return full }
	if _, err := f.try(q); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	if _, err := f.e.Reseed(t.Context(), f.owner(), workflow.ReseedRequest{Source: atelier.WorkflowID(id), Weigh: q.Weigh}); !errors.Is(err, full) {
		t.Errorf("a reseed: got %v", err)
	}
	if page, err := f.e.List(t.Context(), ann, 0, 10); err != nil || len(page.Workflows) != 1 {
		t.Errorf("%d are stored, %v", len(page.Workflows), err)
	}
}

// A client that leaves while it waits for the database gets an error, and harms nothing.
func TestCountsForOneWhoLeft(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	gone, leave := context.WithCancel(t.Context())
	leave()
	for range 100 { // a connection that is free at once may be used all the same
		if counts, err := f.e.Counts(gone, ann, workflow.Filter{}); (err == nil) != (len(counts.Counts) == len(atelier.Statuses)) {
			t.Errorf("got %v, %v", counts, err)
		}
	}
}

// Workflows of a version that stored no labels get theirs, once, and are found by them.
func TestLabelOld(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		gone := f.begin(plan(fox)).WorkflowID
		if _, err := f.e.Cancel(t.Context(), ann, atelier.WorkflowID(gone), "user_cancelled"); err != nil {
			t.Fatal(err)
		}
		f.begin(plan(image("b", "a hen")))
		find := func(want ...string) {
			t.Helper()
			page, err := f.e.Summaries(t.Context(), ann, workflow.Filter{Tool: "generate_image", Reason: "user_cancelled"}, nil, 10)
			var got []string
			for _, w := range page.Workflows {
				got = append(got, w.WorkflowID)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("found %v, %v, want %v", got, err, want)
			}
		}
		find(gone)
		storetest.Unlabel(t, f.DB)
		find()
		for range 2 {
			if err := f.e.LabelOld(t.Context()); err != nil {
				t.Fatal(err)
			}
			find(gone)
		}
		if n := storetest.CountRows(t, f.DB, "workflow_unlabelled"); n != 0 {
			t.Errorf("%d workflows are left", n)
		}
		if counts, err := f.e.Counts(t.Context(), ann, workflow.Filter{Tool: "generate_image"}); err != nil || counts.Total != 2 || len(counts.Models) != 1 {
			t.Errorf("counted %+v, %v", counts, err)
		}
	})
}
