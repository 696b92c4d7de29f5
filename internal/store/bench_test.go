package store_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// BenchmarkWrite measures durable transactions (an account, a key and a booked
// grant: four inserts) with 1, 8 and 64 callers: SQLite with and without
// grouping, and PostgreSQL. Read the tx/s of one run as ratios.
func BenchmarkWrite(b *testing.B) {
	for _, engine := range []struct {
		name string
		open func(testing.TB) store.Options
	}{
		{"sqlite", storetest.SQLite},
		{"sqlite-ungrouped", func(t testing.TB) store.Options {
			o := storetest.SQLite(t)
			o.GroupLimit = 1
			return o
		}},
		{"postgres", storetest.Postgres},
	} {
		for _, callers := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s/callers=%d", engine.name, callers), func(b *testing.B) {
				benchmarkWrite(b, storetest.Open(b, engine.open(b)), callers)
			})
		}
	}
}

func benchmarkWrite(b *testing.B, db *store.DB, callers int) {
	var next atomic.Int64
	total := int64(b.N)
	done := make(chan error, callers)
	b.ResetTimer()
	for range callers {
		go func() {
			for {
				i := next.Add(1)
				if i > total {
					done <- nil
					return
				}
				if err := db.Write(context.Background(), func(tx *store.Tx) error { return register(tx, i) }); err != nil {
					done <- err
					return
				}
			}
		}()
	}
	for range callers {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tx/s")
}

func register(tx *store.Tx, i int64) error {
	a := account(fmt.Sprint("bench", i))
	if err := tx.InsertAccount(a); err != nil {
		return err
	}
	if err := tx.InsertKey(fmt.Sprint("hash", i), a.Wallet, atelier.APIKey{Hint: "bench", CreatedAt: now}); err != nil {
		return err
	}
	return tx.Grant(store.LedgerEntry{Wallet: a.Wallet, Token: atelier.TokenSpark, Kind: "grant", Amount: atelier.MoneyUnit, Cause: fmt.Sprint(i), At: now})
}

// BenchmarkKeyOwner measures the read that every authenticated request makes.
func BenchmarkKeyOwner(b *testing.B) {
	for _, engine := range []struct {
		name string
		open func(testing.TB) store.Options
	}{{"sqlite", storetest.SQLite}, {"postgres", storetest.Postgres}} {
		b.Run(engine.name, func(b *testing.B) {
			db := storetest.Open(b, engine.open(b))
			for i := range int64(100) {
				if err := db.Write(b.Context(), func(tx *store.Tx) error { return register(tx, i) }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					err := db.Read(context.Background(), func(tx *store.Tx) error { _, _, err := tx.KeyOwner("hash7"); return err })
					if err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

// BenchmarkReadDetached measures the stacks of 2,000 goroutines that have read once and
// wait, as streams do: after reads of their own, and after detached ones.
func BenchmarkReadDetached(b *testing.B) {
	db := storetest.Open(b, storetest.SQLite(b))
	for _, mode := range []struct {
		name string
		read func(context.Context, func(*store.Tx) error) error
	}{{"own", db.Read}, {"detached", db.ReadDetached}} {
		b.Run(mode.name, func(b *testing.B) {
			for b.Loop() {
				const streams = 2000
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				var read, ended sync.WaitGroup
				leave := make(chan struct{})
				read.Add(streams)
				for range streams {
					ended.Go(func() {
						err := mode.read(context.Background(), func(tx *store.Tx) error { _, err := tx.Events("log", -1, 1, 1); return err })
						if err != nil {
							b.Error(err)
						}
						read.Done()
						<-leave
					})
				}
				read.Wait()
				runtime.ReadMemStats(&after)
				b.ReportMetric((float64(after.StackInuse)-float64(before.StackInuse))/streams/1024, "KB-of-stack/stream")
				close(leave)
				ended.Wait()
			}
		})
	}
}
