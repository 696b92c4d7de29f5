package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/graph"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// entry is a model of the catalog with a number.
func entry(id, sid string) string {
	return "models:\n  - { id: " + id + ", sid: " + sid + ", base: image, name: N, tierId: " + id + ", tags: [community], selectors: { generate_image: [" + id + `] }, price: { usd: "0.01", per: megapixel } }`
}

// A graph that cannot be used, as one that another version of the program has stored, has a problem that says why, and
// the others are used.
func TestGraphsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		e := graph.New(db, graph.Options{
			Load:      func(more ...catalog.File) (*catalog.Catalog, error) { return catalog.Load("", more...) },
			IsInFiles: func(model string) (bool, error) { return model == "filed", nil },
			Check: func(_ context.Context, f graph.Files, _ string) ([]string, error) {
				if f.Mapping == "odd" {
					return nil, errors.New("mapping: is odd")
				}
				return nil, nil
			},
			Now: time.Now,
		})
		known, err := catalog.Load("")
		if err != nil {
			t.Fatal(err)
		}
		taken := known.Models()[0]
		list := []store.Graph{
			{Name: "good", SID: 9001, Mapping: "m", Entry: entry("good", "9001")},
			{Name: "odd_mapping", SID: 9002, Mapping: "odd", Entry: entry("odd_mapping", "9002")},
			{Name: "odd_entry", SID: 9003, Mapping: "m", Entry: "models: [{ id: odd_entry, colour: red }]"},
			{Name: "filed", SID: 9004, Mapping: "m", Entry: entry("filed", "9004")},
			{Name: taken.ID, SID: 9005, Mapping: "m", Entry: entry(taken.ID, "9005")},
			{Name: "numbered", SID: taken.SID, Mapping: "m", Entry: entry("numbered", "9006")},
			{Name: "good_too", SID: 9007, Mapping: "m", Entry: entry("good_too", "9007")},
		}
		problems := []string{"", "mapping: is odd", "colour", "graphs_dir names filed too", "and wins: this one is not used", "has its number: save it again", ""}
		for i, g := range list {
			g.Facts, g.Graph, g.CreatedAt = []byte(`{"tool":"generate_image"}`), "{}", time.UnixMilli(int64(i))
			if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.InsertGraph(g) }); err != nil {
				t.Fatal(err)
			}
		}
		used, err := e.Used(t.Context())
		if err != nil || len(used.Graphs) != 2 || used.Graphs[0].Name != "good" || used.Graphs[1].Name != "good_too" {
			t.Fatalf("used: %+v, %v", used.Graphs, err)
		}
		if _, ok := used.Catalog.Model("good_too"); !ok {
			t.Error("the catalog lacks a model of a graph that is used")
		}
		shown, err := e.List(t.Context())
		if err != nil || len(shown.Graphs) != len(list) {
			t.Fatalf("listed: %+v, %v", shown, err)
		}
		for i, want := range problems {
			got := ""
			if p := shown.Graphs[i].Problem; p != nil {
				got = *p
			}
			if (want == "") != (got == "") || !strings.Contains(got, want) {
				t.Errorf("%s: got the problem %q, want %q", list[i].Name, got, want)
			}
		}
	})
}
