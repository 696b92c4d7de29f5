package store_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// insertItem adds the n-th artifact of ann, which a separate workflow made.
func insertItem(tx *store.Tx, n int, prompt string, at time.Time) (store.ItemRef, error) {
	id := fmt.Sprintf("a%06d", n)
	j := store.StoredJob{Job: atelier.Job{
		ID: atelier.JobID("job-" + id), ProjectID: atelier.ProjectID("project-" + id), Wallet: "0xann", Owner: atelier.JobOwner{Kind: "workflow", ID: "w-" + id, Part: "step/0"},
		Spec: atelier.JobSpec{Tool: "generate_image", ModelID: "m", Arguments: map[string]any{"prompt": prompt}}, Network: atelier.NetworkFast, Attempt: 1, CreatedAt: at,
	}}
	a := atelier.Artifact{ID: id, JobID: j.ID, ProjectID: j.ProjectID, Kind: "image", ContentType: "image/png", Key: "results/" + id}
	if _, err := tx.InsertJob(j); err != nil {
		return store.ItemRef{}, err
	}
	if err := tx.InsertArtifact(a); err != nil {
		return store.ItemRef{}, err
	}
	i := store.NewLibraryItem(j.Job, a, "a", at)
	return i.Ref(), tx.InsertLibraryItem(i)
}

var (
	favourite = store.Mark{Name: store.MarkFavourite}
	snow      = store.Mark{Name: store.MarkTag, Value: "snow"}
)

// A search looks at a number of items at a time, and finds all of them in the end; also with
// several marks.
func TestLibrarySearchesAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		want := []string{"a000045", "a000044", "a000003"}
		write(t, db, func(tx *store.Tx) error {
			if err := tx.InsertAccount(account("ann")); err != nil {
				return err
			}
			for n := range 50 {
				prompt := "a hen"
				if n == 3 || n == 44 || n == 45 {
					prompt = "a FÖX"
				}
				ref, err := insertItem(tx, n, prompt, now.Add(time.Duration(n/4)*time.Second)) // several of one moment
				if err != nil {
					return err
				}
				if err := tx.AddMark(ref, favourite); err != nil {
					return err
				}
				if prompt == "a hen" {
					continue
				}
				for range 2 { // the second changes nothing
					if err := tx.AddMark(ref, snow); err != nil {
						return err
					}
				}
			}
			return nil
		})
		for name, f := range map[string]store.LibraryFilter{
			"word":          {Words: []store.LibraryWord{{Text: "föx"}}},
			"marks":         {Marks: []store.Mark{favourite, snow}},
			"rarest first":  {Marks: []store.Mark{snow, favourite}},
			"mark and word": {Marks: []store.Mark{favourite}, Words: []store.LibraryWord{{Text: "föx"}, {Text: "generate"}}},
			"model":         {Marks: []store.Mark{snow}, Words: []store.LibraryWord{{Text: "unknown", Models: []string{"l", "m"}}}},
			"one mark":      {Marks: []store.Mark{snow}},
		} {
			for _, scan := range []int{1, 7, 50, 100} {
				var got []string
				f.Wallet, f.Kind, f.Before = "0xann", "image", nil
				for pages := 0; ; pages++ {
					var next *store.LibraryPosition
					err := db.Read(t.Context(), func(tx *store.Tx) error {
						items, n, err := tx.LibraryItems(f, 2, scan)
						for _, i := range items {
							got = append(got, i.ID)
						}
						next = n
						return err
					})
					if err != nil {
						t.Fatal(err)
					}
					if next == nil || pages > 60 {
						break
					}
					f.Before = next
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, %d at a time: got %v", name, scan, got)
				}
			}
		}
	})
}

// Marks go with their item, however it goes, and are counted.
func TestMarksFollowTheirItems(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		board := store.Mark{Name: store.MarkBoard, Value: "b"}
		counted := func(want string) {
			t.Helper()
			err := db.Read(t.Context(), func(tx *store.Tx) error {
				marks, err := tx.CountMarks("0xann", favourite, snow, board)
				var got []string
				for _, m := range marks {
					got = append(got, fmt.Sprint(m.Name, " ", m.Items))
				}
				if strings.Join(got, ", ") != want {
					t.Errorf("got %v, want %s", got, want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		var refs []store.ItemRef
		write(t, db, func(tx *store.Tx) error {
			if err := tx.InsertAccount(account("ann")); err != nil {
				return err
			}
			if err := tx.InsertBoard(store.Board{ID: "b", Wallet: "0xann", Name: "B", Folded: "b", CreatedAt: now}); err != nil {
				return err
			}
			if err := tx.InsertAsset(atelier.Asset{ID: "upload", Wallet: "0xann", SHA256: "x", BlobKey: "x", State: atelier.AssetReady, CreatedAt: now}); err != nil {
				return err
			}
			if err := tx.InsertWorkflow(store.StoredWorkflow{ID: "w-a000002", Head: store.Head{Wallet: "0xann", Status: "completed", CreatedAt: now, UpdatedAt: now}, Plan: []byte("{}"), State: []byte("{}")}); err != nil {
				return err
			}
			if err := tx.PutWorkflowOnBoard("0xann", "w-a000002", "b"); err != nil {
				return err
			}
			refs = nil
			for n := range 3 { // the third is put on the board of its workflow
				ref, err := insertItem(tx, n, "a fox", now)
				if err != nil {
					return err
				}
				refs = append(refs, ref)
			}
			upload, err := tx.LockItem("0xann", "upload", true)
			if err != nil {
				return err
			}
			for _, ref := range append(refs, upload) {
				for _, m := range []store.Mark{favourite, snow, board} {
					if err := tx.AddMark(ref, m); err != nil {
						return err
					}
				}
			}
			return nil
		})
		counted("favourite 4, tag 4, board 4")
		write(t, db, func(tx *store.Tx) error { return tx.DeleteAsset("0xann", "upload") })
		write(t, db, func(tx *store.Tx) error {
			item, keys, err := tx.LockLibraryItem("0xann", refs[0].ID)
			if err != nil {
				return err
			}
			return tx.DeleteLibraryItem(item, keys)
		})
		counted("favourite 2, tag 2, board 2")
		write(t, db, func(tx *store.Tx) error {
			if err := store.Exec(tx, `UPDATE job SET state = 'completed'`); err != nil {
				return err
			}
			if gone, err := tx.DeleteWorkflow("w-a000002"); err != nil || !gone {
				return fmt.Errorf("deleted: %v, %w", gone, err)
			}
			return nil
		})
		counted("favourite 1, tag 1, board 1")
		write(t, db, func(tx *store.Tx) error {
			for range 2 {
				if err := tx.RemoveMark(refs[1], snow); err != nil {
					return err
				}
			}
			return tx.DeleteBoard("0xann", "b")
		})
		counted("favourite 1")
	})
}

// Every list of the library is read from an index, in its order.
func TestLibraryListsUseIndexes(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.SQLite(t))
	for name, f := range map[string]store.LibraryFilter{
		"all":             {},
		"before":          {Before: &store.LibraryPosition{CreatedAt: now, ID: "x"}},
		"a mark":          {Marks: []store.Mark{snow}},
		"several marks":   {Marks: []store.Mark{snow, favourite}},
		"words and marks": {Marks: []store.Mark{snow}, Words: []store.LibraryWord{{Text: "fox"}}, Before: &store.LibraryPosition{CreatedAt: now, ID: "x"}},
		"words":           {Words: []store.LibraryWord{{Text: "fox", Models: []string{"m"}}}},
	} {
		f.Wallet, f.Kind = "0xann", "image"
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			plan, err := tx.LibraryPlan(f)
			for _, line := range plan {
				if strings.HasPrefix(line, "SCAN") || strings.Contains(line, "TEMP B-TREE") {
					t.Errorf("%s: %q", name, plan)
					break
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkLibraryLists measures pages of a library of 100,000 artifacts. Half of them are
// favourites, one in 1000 is tagged, and one in 10,000 has a heron.
func BenchmarkLibraryLists(b *testing.B) {
	const total = 100_000
	for _, engine := range []struct {
		name string
		open func(testing.TB) store.Options
	}{{"sqlite", storetest.SQLite}, {"postgres", storetest.Postgres}} {
		b.Run(engine.name, func(b *testing.B) {
			db := storetest.Open(b, engine.open(b))
			for from := 0; from < total; from += 1000 {
				err := db.Write(b.Context(), func(tx *store.Tx) error {
					if from == 0 {
						if err := tx.InsertAccount(account("ann")); err != nil {
							return err
						}
					}
					for n := from; n < from+1000; n++ {
						prompt := "a red fox in the deep snow of a northern forest at dusk, soft light, long shadows, film grain, 35 mm"
						if n%10_000 == 77 {
							prompt += ", beside a heron"
						}
						ref, err := insertItem(tx, n, prompt, now.Add(time.Duration(n)*time.Minute))
						if err == nil && n%2 == 0 {
							err = tx.AddMark(ref, favourite)
						}
						if err == nil && n%1000 == 0 {
							err = tx.AddMark(ref, snow)
						}
						if err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			for _, r := range []struct {
				name string
				f    store.LibraryFilter
			}{
				{"first page", store.LibraryFilter{}},
				{"deep page", store.LibraryFilter{Before: &store.LibraryPosition{CreatedAt: now.Add(total / 2 * time.Minute), ID: "x"}}},
				{"favourites", store.LibraryFilter{Marks: []store.Mark{favourite}}},
				{"rare tag", store.LibraryFilter{Marks: []store.Mark{snow}}},
				{"favourites with a rare tag", store.LibraryFilter{Marks: []store.Mark{snow, favourite}}},
				{"rare word", store.LibraryFilter{Words: []store.LibraryWord{{Text: "heron"}}}},
			} {
				b.Run(r.name, func(b *testing.B) {
					r.f.Wallet, r.f.Kind = "0xann", "image"
					for b.Loop() {
						err := db.Snapshot(b.Context(), func(tx *store.Tx) error {
							found, _, err := tx.LibraryItems(r.f, 50, total)
							if err == nil && len(found) == 0 {
								err = fmt.Errorf("%s finds nothing", r.name)
							}
							return err
						})
						if err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// What was made before searches read words is found by them.
func TestOldItemsAreFound(t *testing.T) {
	t.Parallel()
	rows, err := os.ReadFile("testdata/0.1.0.sql")
	if err != nil {
		t.Fatal(err)
	}
	storetest.Each(t, func(t *testing.T, o store.Options) {
		statements := append(strings.Split(string(rows), ";\n"), `INSERT INTO library (wallet, kind, created_at, id, job_id, position, workflow_id, step_id, tool, model_id, prompt, derived, colors, peaks)
			SELECT '0xann', kind, 5, id, job_id, position, 'w', 's', 'generate_image', 'Model-7', 'a Red fox', '', '', '' FROM artifact`)
		db := upgraded(t, o, 1, statements...)
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			f := store.LibraryFilter{Wallet: "0xann", Kind: "image", Words: []store.LibraryWord{{Text: "red"}, {Text: "model-7"}, {Text: "generate"}}}
			found, _, err := tx.LibraryItems(f, 10, 100)
			if len(found) != 1 {
				t.Errorf("found %+v", found)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
