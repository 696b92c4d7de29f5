package api_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/replicate"
	"github.com/atelier-project/atelier/internal/store"
)

// A list of predictions is read page by page, on and back.
func TestPredictionPages(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		h := openStudio(t, o).artist(t)
		const made = 60
		var want []string
		for range made {
			var p replicate.Prediction
			if a := h.raw("POST", "/replicate/v1/predictions", `{"version": "atelier/atelier-builtin", "input": {"prompt": "Hello."}}`); a.status != 201 || json.Unmarshal([]byte(a.body), &p) != nil {
				t.Fatalf("a prediction: %d %s", a.status, a.body)
			}
			want = append(want, p.ID)
		}
		slices.Reverse(want)
		read := func(url string) (page replicate.Page[replicate.Prediction], ids []string) {
			t.Helper()
			if a := h.raw("GET", strings.TrimPrefix(url, h.s.URL), ""); a.status != 200 || json.Unmarshal([]byte(a.body), &page) != nil {
				t.Fatalf("%s: %d %s", url, a.status, a.body)
			}
			for _, p := range page.Results {
				ids = append(ids, p.ID)
			}
			return page, ids
		}
		page, ids := read("/replicate/v1/predictions")
		pages := [][]string{ids}
		if page.Previous != nil {
			t.Errorf("the first page has the previous page %s", *page.Previous)
		}
		for page.Next != nil {
			page, ids = read(*page.Next)
			pages = append(pages, ids)
		}
		if got := slices.Concat(pages...); len(pages) != 3 || !slices.Equal(got, want) {
			t.Fatalf("got %d pages with %v, want 3 with %v", len(pages), got, want)
		}
		for i := len(pages) - 2; i >= 0; i-- {
			if page.Previous == nil {
				t.Fatalf("page %d has no previous page", i+1)
			}
			if page, ids = read(*page.Previous); !slices.Equal(ids, pages[i]) {
				t.Errorf("back on page %d: got %v, want %v", i, ids, pages[i])
			}
		}
		if page.Previous != nil {
			t.Errorf("back on the first page there is the previous page %s", *page.Previous)
		}
	})
}
