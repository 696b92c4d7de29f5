package store_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// The documents of a job as installations have stored them since the first
// version. They must be read, and written, as they are.
const (
	storedSpec    = `{"tool":"animate","modelId":"m","arguments":{"prompt":"a <fox> & é"},"inputs":[{"argument":"sourceImageIndex","kind":"image","key":"inputs/a","url":"https://x/a","contentType":"image/png"},{"argument":"b","kind":"audio"}],"links":{"audioUrl":"results/b"},"loras":[{"id":"l","url":"https://x/l","strength":0.5},{"id":"k","strength":0}],"artifacts":[{"id":"a","kind":"video","contentType":"video/mp4"}],"seed":7,"safeContentFilter":true,"concurrencyClass":"vendor","concurrencyLimit":2}`
	storedPayment = `{"terms":{"token":"spark","mode":"tokens","app":"app"},"cost":{"spark":"1.500000","usd":"0.012345","premium":true},"charge":{"byPlan":true,"slow":true,"cost":{"spark":"0.000002","usd":"0.000003","premium":false},"parts":[{"token":"spark","amount":"1.000000"},{"token":"svc","amount":"0.000005"}],"app":"app"}}`
	storedError   = `{"code":"error","message":"no","retryable":true}`

	// What is empty is left out, or written as such.
	storedSpareSpec    = `{"tool":"","modelId":"","arguments":{},"artifacts":[],"seed":0,"safeContentFilter":false}`
	storedSparePayment = `{"terms":{"token":"","mode":""},"cost":{"spark":"0.000000","usd":"0.000000","premium":false},"charge":{"byPlan":false,"cost":{"spark":"0.000000","usd":"0.000000","premium":false},"parts":[]}}`
)

func fullJob() store.StoredJob {
	return store.StoredJob{
		Job: atelier.Job{
			ID: "full", ProjectID: "project", Wallet: "0xann", Owner: atelier.JobOwner{Kind: "workflow", ID: "w", Part: "step/0"},
			Spec: atelier.JobSpec{
				Tool: "animate", ModelID: "m", Arguments: map[string]any{"prompt": "a <fox> & é"},
				Inputs: []atelier.JobInput{{Argument: "sourceImageIndex", Kind: "image", Key: "inputs/a", URL: "https://x/a", ContentType: "image/png"}, {Argument: "b", Kind: "audio"}},
				Links:  map[string]string{"audioUrl": "results/b"}, Loras: []atelier.JobLora{{ID: "l", URL: "https://x/l", Strength: 0.5}, {ID: "k"}},
				Artifacts: []atelier.JobArtifact{{ID: "a", Kind: "video", ContentType: "video/mp4"}},
				Seed:      7, SafeContentFilter: true, ConcurrencyClass: "vendor", ConcurrencyLimit: 2,
			},
			Network: atelier.NetworkFast, State: atelier.JobQueued, Attempt: 1, CreatedAt: now,
		},
		Terms: atelier.PaymentTerms{Token: atelier.PaySpark, Mode: atelier.BillTokens, App: "app"},
		Cost:  atelier.Cost{Spark: 1_500_000, USD: 12_345, Premium: true},
		Charge: atelier.Charge{
			ByPlan: true, Slow: true, Cost: atelier.Cost{Spark: 2, USD: 3}, App: "app",
			Parts: []atelier.ChargePart{{Token: atelier.TokenSpark, Amount: 1_000_000}, {Token: atelier.TokenSvc, Amount: 5}},
		},
	}
}

func TestJobDocuments(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		full := fullJob()
		full.Error = atelier.JobError{Code: "error", Message: "no", Retryable: true}
		spare := store.StoredJob{Job: atelier.Job{ID: "spare", ProjectID: "other", Wallet: "0xann", Network: atelier.NetworkFast, Attempt: 1, CreatedAt: now}}
		write(t, db, func(tx *store.Tx) error {
			err := tx.InsertAccount(account("ann"))
			_, err1 := tx.InsertJob(full)
			_, err2 := tx.InsertJob(spare)
			_, err3 := tx.LeaseJob("full", "worker", now, now)
			return errors.Join(err, err1, err2, err3, tx.EndJob("full", "worker", atelier.JobFailed, full.Error, now))
		})
		for id, want := range map[string][3]string{"full": {storedSpec, storedPayment, storedError}, "spare": {storedSpareSpec, storedSparePayment, "{}"}} {
			var got [3]string
			write(t, db, func(tx *store.Tx) (err error) {
				got, err = tx.JobDocuments(id)
				return err
			})
			if got != want {
				t.Errorf("%s is stored as\n%q, want\n%q", id, got, want)
			}
		}
		write(t, db, func(tx *store.Tx) error {
			j, err := tx.Job("full")
			if !reflect.DeepEqual(j.Spec, full.Spec) || !reflect.DeepEqual(j.Charge, full.Charge) || j.Terms != full.Terms || j.Cost != full.Cost || j.Error != full.Error {
				t.Errorf("got %+v, want %+v", j, full)
			}
			return err
		})
	})
}

// Further looks at the first jobs that are wanted, and returns those of some models.
func TestFurtherJobs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error {
			err := tx.InsertAccount(account("ann"))
			for i, model := range []string{"a", "b", "c", "b", "a"} {
				id := atelier.JobID(rune('0' + i))
				j := atelier.Job{ID: id, ProjectID: atelier.ProjectID(id), Wallet: "0xann", Network: atelier.NetworkFast, Spec: atelier.JobSpec{ModelID: model}, Attempt: 1, CreatedAt: now}
				_, err1 := tx.InsertJob(store.StoredJob{Job: j})
				err = errors.Join(err, err1)
			}
			return err
		})
		for _, c := range []struct {
			wanted, models, want string
			limit                int
		}{{"abc", "a", "04", 5}, {"abc", "b", "13", 4}, {"abc", "b", "1", 3}, {"bc", "b", "13", 3}, {"abc", "bc", "123", 5}, {"abc", "d", "", 5}, {"a", "b", "", 5}} {
			write(t, db, func(tx *store.Tx) error {
				jobs, err := tx.Further(store.Wanted{Network: atelier.NetworkFast, Models: strings.Split(c.wanted, ""), Now: now}, strings.Split(c.models, ""), c.limit)
				got := ""
				for _, j := range jobs {
					got += string(j.ID)
				}
				if got != c.want {
					t.Errorf("of %s, the first %d for %s: got %s, want %s", c.wanted, c.limit, c.models, got, c.want)
				}
				return err
			})
		}
	})
}

// Every pair of states is here: what moves a job along it, or that nothing may.
func TestJobMoves(t *testing.T) {
	t.Parallel()
	states := []atelier.JobState{atelier.JobQueued, atelier.JobLeased, atelier.JobCompleted, atelier.JobFailed, atelier.JobCancelled}
	type move struct{ from, to atelier.JobState }
	fault := atelier.JobError{Code: "error"}
	j := atelier.Job{ID: "full", WorkerID: "worker"}
	moves := map[move][]func(*store.Tx) error{
		{atelier.JobQueued, atelier.JobLeased}: {
			func(tx *store.Tx) error { _, err := tx.LeaseJob("full", "worker", now, now); return err },
			func(tx *store.Tx) error {
				leased, err := tx.LeaseKnown("full", 1, 0, "worker", now, now)
				return found(leased, err)
			},
		},
		{atelier.JobQueued, atelier.JobCancelled}: {func(tx *store.Tx) error { return tx.CancelQueued("full", atelier.JobError{}, now) }},
		{atelier.JobQueued, atelier.JobFailed}: {
			func(tx *store.Tx) error { return tx.FailUnserved("full", now, fault, now) },
			func(tx *store.Tx) error {
				return errors.Join(store.Exec(tx, `UPDATE job SET resolved = TRUE`), tx.FailUnresolved("full", fault, now))
			},
		},
		{atelier.JobLeased, atelier.JobCompleted}: {func(tx *store.Tx) error {
			_, done, err := tx.CompleteJob("full", "worker", 0, now)
			return found(done, err)
		}},
		{atelier.JobLeased, atelier.JobFailed}:    {func(tx *store.Tx) error { return tx.EndJob("full", "worker", atelier.JobFailed, fault, now) }},
		{atelier.JobLeased, atelier.JobCancelled}: {func(tx *store.Tx) error { return tx.EndJob("full", "worker", atelier.JobCancelled, fault, now) }},
		{atelier.JobLeased, atelier.JobQueued}: {
			func(tx *store.Tx) error { return tx.RequeueUnresolved(j, now) },
			func(tx *store.Tx) error { _, err := tx.RequeueJob(store.StoredJob{Job: j}, now, now); return err },
		},
	}
	for _, from := range states {
		if terminal := from != atelier.JobQueued && from != atelier.JobLeased; from.Terminal() != terminal {
			t.Errorf("%s: terminal is %v", from, from.Terminal())
		}
		for _, to := range states {
			_, err := store.MoveJob(from, to)
			if allowed := moves[move{from, to}] != nil; allowed != (err == nil) {
				t.Errorf("from %s to %s: got %v, allowed is %v", from, to, err, allowed)
			}
		}
	}
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error {
			err := tx.InsertAccount(account("ann"))
			_, err1 := tx.InsertJob(fullJob())
			return errors.Join(err, err1)
		})
		for m, ways := range moves {
			for i, way := range ways {
				for _, state := range states {
					write(t, db, func(tx *store.Tx) error {
						return store.Exec(tx, `UPDATE job SET state = '`+string(state)+`', worker_id = 'worker', leases = 0, attempt = 1, unresolved = 0, cancel = FALSE, unserved_since = 1`)
					})
					err := db.Write(t.Context(), way)
					want := state
					if state == m.from {
						want = m.to
					}
					if (err == nil) != (state == m.from) || err != nil && !errors.Is(err, store.ErrNotFound) {
						t.Errorf("%v (%d) of a job that is %s: %v", m, i, state, err)
					}
					write(t, db, func(tx *store.Tx) error {
						j, err := tx.Job("full")
						if j.State != want {
							t.Errorf("%v (%d) of a job that is %s: it is %s", m, i, state, j.State)
						}
						return err
					})
				}
			}
		}
	})
}

func found(ok bool, err error) error {
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	return err
}
