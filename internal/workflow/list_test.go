package workflow_test

import (
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// The workflow that changed last comes first, and pages neither repeat nor
// leave out anything while nothing changes.
func TestList(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHouse(t, o)
		var ids []string
		for range 7 {
			ids = append([]string{h.begin(plan(fox)).WorkflowID}, ids...)
			h.advance(time.Millisecond)
		}
		stranger := h.welcome(atelier.Account{Wallet: "0xrob"}, rich)
		if _, err := h.e.Start(t.Context(), stranger, plan(fox)); err != nil {
			t.Fatal(err)
		}
		if _, err := h.e.Cancel(t.Context(), ann, ids[4], ""); err != nil { // it changes last
			t.Fatal(err)
		}
		want := slices.Concat([]string{ids[4]}, ids[:4], ids[5:])
		for _, limit := range []int{1, 2, 3, 6, 7, 8, 100} {
			var got []string
			for offset := 0; ; {
				page, err := h.e.List(t.Context(), ann, offset, limit)
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
		if page, err := h.e.List(t.Context(), ann, 7, 20); err != nil || len(page.Workflows) != 0 || page.Workflows == nil || page.Next != nil {
			t.Errorf("behind the end: %+v, %v", page, err)
		}
	})
}
