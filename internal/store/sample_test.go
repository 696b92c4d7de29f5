package store_test

import (
	"maps"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func TestSamples(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		after := func(d time.Duration) time.Time { return now.Add(d) }
		samples := []store.NodeSample{
			{Node: "a", At: after(-9 * 24 * time.Hour), Queued: 99},
			{Node: "a", At: after(59 * time.Second), Queued: 3, Active: 1, Workers: 2, Started: 2, Completed: 1, Waits: map[int]int64{4: 1, 9: 1}, Memory: 100, Free: -1},
			{Node: "b", At: after(59*time.Second + 200*time.Millisecond), Queued: 4, Active: 1, Workers: 2, Started: 1, Failed: 1, Waits: map[int]int64{9: 1}, Memory: 300, Free: 50},
			{Node: "a", At: after(119 * time.Second), Memory: 120, Free: -1},
			// A node that ends in the first minute, and one that begins in a third: neither is counted as running.
			{Node: "c", At: after(20 * time.Second), Queued: store.NoLevels, Active: store.NoLevels, Workers: store.NoLevels, Memory: 90, Free: -1},
			{Node: "d", At: after(150 * time.Second), Queued: store.NoLevels, Active: store.NoLevels, Workers: store.NoLevels, Memory: 80, Free: -1},
		}
		for range 2 { // a second time changes nothing
			write(t, db, func(tx *store.Tx) error {
				for _, s := range samples {
					if err := tx.InsertSample(s); err != nil {
						return err
					}
				}
				return nil
			})
		}
		write(t, db, func(tx *store.Tx) error {
			n, err := tx.DeleteSamples(after(-8 * 24 * time.Hour))
			if err == nil && n != 1 {
				t.Errorf("deleted %d samples, want 1", n)
			}
			return err
		})
		var (
			minutes []store.MinuteSample
			latest  map[string]store.NodeSample
			waits   = map[int]int64{}
		)
		err := db.Read(t.Context(), func(tx *store.Tx) (err error) {
			if minutes, err = tx.MinuteSamples(time.UnixMilli(0)); err != nil {
				return err
			}
			if latest, err = tx.LatestSamples(now); err != nil {
				return err
			}
			return tx.MinuteWaits(now, func(_ time.Time, w map[int]int64) {
				for i, n := range w {
					waits[i] += n
				}
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(minutes) != 3 {
			t.Fatalf("got %d minutes, want 3: %+v", len(minutes), minutes)
		}
		first, second, third := minutes[0], minutes[1], minutes[2]
		if third.Nodes != 0 || third.Memory != 80 {
			t.Errorf("a minute in which a node only begins is %+v", third)
		}
		if !first.At.Equal(now) || first.Nodes != 2 || first.Queued != 4 || first.Active != 1 || first.Workers != 2 ||
			first.Started != 3 || first.Completed != 1 || first.Failed != 1 || first.Memory != 300 || first.Free != 50 {
			t.Errorf("the first minute is %+v", first)
		}
		if !second.At.Equal(after(time.Minute)) || second.Nodes != 1 || second.Memory != 120 || second.Free != -1 {
			t.Errorf("the second minute is %+v", second)
		}
		if want := map[int]int64{4: 1, 9: 2}; !maps.Equal(waits, want) {
			t.Errorf("the waits are %v, want %v", waits, want)
		}
		if latest["a"].Memory != 120 || latest["b"].Free != 50 {
			t.Errorf("the latest samples are %+v", latest)
		}
	})
}
