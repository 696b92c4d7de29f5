package retention_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/retention"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// sizes are how many workflows the databases have. GROWTH_ROWS sets them, separated by commas.
func sizes(b *testing.B) (list []int) {
	for text := range strings.SplitSeq(os.Getenv("GROWTH_ROWS"), ",") {
		if text == "" {
			return []int{10_000, 100_000}
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}

// BenchmarkGrowth measures what a database with many workflows takes, how long lists of it take, and how fast old
// ones are removed: each has documents of 4 kB and six events, and they are those of 20 accounts.
func BenchmarkGrowth(b *testing.B) {
	for _, engine := range []struct {
		name string
		open func(testing.TB) store.Options
	}{
		{"sqlite", storetest.SQLite},
		{"postgres", storetest.Postgres},
	} {
		for _, n := range sizes(b) {
			b.Run(fmt.Sprintf("%s/%d", engine.name, n), func(b *testing.B) {
				f := newFixtureOn(b, storetest.Open(b, engine.open(b)), "")
				fillGrowth(b, f, n)
				b.ReportMetric(float64(storetest.Size(b, f.DB))/(1<<20), "MiB")
				deep := &store.WorkflowPosition{CreatedAt: f.Now().Add(-time.Duration(n/2) * time.Minute), ID: "x"}
				for name, read := range map[string]func(*store.Tx) error{
					"list-ms": func(tx *store.Tx) error {
						_, _, err := tx.Workflows("0xbench1", 0, 20, 2<<20)
						return err
					},
					"deep-ms": func(tx *store.Tx) error {
						_, _, err := tx.SelectWorkflows("0xbench1", store.WorkflowFilter{}, deep, 20, 2<<20, 5000)
						return err
					},
					"counts-ms": func(tx *store.Tx) error {
						_, _, err := tx.CountWorkflows("0xbench1", store.WorkflowFilter{}, 20_000)
						return err
					},
				} {
					var took []float64
					for range 51 {
						began := time.Now()
						if err := f.DB.Snapshot(b.Context(), read); err != nil {
							b.Fatal(err)
						}
						took = append(took, time.Since(began).Seconds()*1000)
					}
					slices.Sort(took)
					b.ReportMetric(took[len(took)/2], name)
				}
				// The older half is removed, up to 20,000 of them.
				most := min(n/2, 20_000)
				age := time.Duration(n-most) * time.Minute
				began := time.Now()
				e := retention.New(f.DB, f.media, retention.Options{Ages: retention.Ages{Workflows: age}, Now: f.Now, Log: enginetest.Log})
				removed, err := e.Sweep(b.Context())
				if err != nil || removed[retention.Workflows] == 0 {
					b.Fatalf("removed %v, %v", removed, err)
				}
				b.ReportMetric(float64(removed[retention.Workflows])/time.Since(began).Seconds(), "removed/s")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// fillGrowth stores workflows that have ended, a minute apart.
func fillGrowth(b *testing.B, f *fixture, n int) {
	b.Helper()
	document := fmt.Appendf(nil, `{"text": "%04000d"}`, 7)
	log := make([]atelier.Event, 6)
	for i := range log {
		log[i] = atelier.Event{Sequence: int64(i), Type: atelier.EventWorkflowProgress, At: f.Now(), Message: strings.Repeat("x", 200), Payload: apitype.WorkflowProgress{}, Status: atelier.StatusCompleted}
	}
	for i := range 20 {
		f.Write(func(tx *store.Tx) error {
			return tx.InsertAccount(atelier.Account{Wallet: atelier.Wallet(fmt.Sprint("0xbench", i)), Username: fmt.Sprint("bench", i), CreatedAt: f.Now()})
		})
	}
	const batch = 500
	for from := 0; from < n; from += batch {
		f.Write(func(tx *store.Tx) error {
			for i := from; i < min(from+batch, n); i++ {
				at := f.Now().Add(-time.Duration(n-i) * time.Minute)
				w := store.StoredWorkflow{
					ID: atelier.WorkflowID(store.WorkflowPrefix + mint.OrderedUUIDAt(at)), Plan: document, State: []byte(`{}`), Kind: "image", Texts: []string{"a red fox in the deep snow"},
					Tools: []string{"generate_image"}, Models: []string{"z_image_turbo_bf16"},
					Head: store.Head{Wallet: atelier.Wallet(fmt.Sprint("0xbench", i%20)), Status: atelier.StatusRunning, CreatedAt: at, UpdatedAt: at},
				}
				if err := tx.InsertWorkflow(w); err != nil {
					return err
				}
				if err := tx.InsertEvents(string(w.ID), log); err != nil {
					return err
				}
				w.Status = atelier.StatusCompleted
				if err := tx.UpdateWorkflow(&w); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// BenchmarkBesideASweep measures how long small changes take alone, and beside a sweep that removes 20,000 workflows.
func BenchmarkBesideASweep(b *testing.B) {
	for _, engine := range []struct {
		name string
		open func(testing.TB) store.Options
	}{{"sqlite", storetest.SQLite}, {"postgres", storetest.Postgres}} {
		b.Run(engine.name, func(b *testing.B) {
			f := newFixtureOn(b, storetest.Open(b, engine.open(b)), "")
			fillGrowth(b, f, 20_000)
			change := func() float64 {
				began := time.Now()
				f.Write(func(tx *store.Tx) error {
					_, err := tx.PutReplay(store.StoredReplay{Owner: "0xbench1", RunID: "r", Summary: []byte("{}"), Record: []byte("{}"), UpdatedAt: f.Now()})
					return err
				})
				return time.Since(began).Seconds() * 1000
			}
			var alone, beside []float64
			for range 3000 {
				alone = append(alone, change())
			}
			ended := make(chan error)
			e := retention.New(f.DB, f.media, retention.Options{Ages: retention.Ages{Workflows: day}, Now: f.Now, Log: enginetest.Log})
			go func() {
				_, err := e.Sweep(b.Context())
				ended <- err
			}()
			for running := true; running; {
				select {
				case err := <-ended:
					if running = false; err != nil {
						b.Fatal(err)
					}
				default:
					beside = append(beside, change())
				}
			}
			for name, took := range map[string][]float64{"alone": alone, "beside": beside} {
				slices.Sort(took)
				b.ReportMetric(took[len(took)/2], name+"-p50-ms")
				b.ReportMetric(took[len(took)*99/100], name+"-p99-ms")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
