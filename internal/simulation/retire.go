package simulation

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/retention"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

const (
	kept = time.Hour      // how long a game keeps what has ended
	aDay = 25 * time.Hour // after it a sweep looks at everything again
)

// retire lets all become old that is kept for a time, and has nodes remove it, whose database fails now and then. In
// the end nothing of it is left, and the money is what it was. What is not old enough stays.
func (w *world) retire() {
	before := w.balances()
	n := w.nodes[0]
	all := w.rest()
	w.sweep(n, 10*365*24*time.Hour)
	if got := w.rest(); !slices.Equal(got, all) {
		w.report("nothing is old, and of %v there are %v", all, got)
	}
	time.Sleep(aDay)
	for range w.r.IntN(4) {
		f := w.nodes[w.r.IntN(len(w.nodes))]
		f.seat.fault.arm(w.r)
		f.seat.fault.kills = false // a game is over when its nodes are
		w.sweep(f, kept)
		f.seat.fault.armed = false
		time.Sleep(5 * time.Minute) // a sweep that failed holds what it removed for a while
	}
	time.Sleep(aDay)
	w.sweep(n, kept)
	if got := w.rest(); len(got) > 0 {
		w.report("all is old, and there are %v", got)
	}
	after := w.balances()
	for i, a := range w.clients {
		if after[i] != before[i] {
			w.report("what is old is removed, and %s has %+v instead of %+v", a.Username, after[i], before[i])
		}
	}
	_, differences, err := n.billing.Audit(context.Background())
	if err != nil {
		w.t.Fatalf("audit: %v", err)
	}
	w.look(func(tx *store.Tx) error {
		found, err := storetest.Contradictions(tx)
		for _, text := range found {
			if !strings.HasSuffix(text, storetest.ChargedForNothing) { // the work is removed, and its charge stays
				differences = append(differences, text)
			}
		}
		return err
	})
	for _, text := range differences {
		w.report("what is old is removed: %s", text)
	}
	if len(w.faults) > 0 {
		panic(errOver)
	}
}

// sweep has a node remove what ended long ago.
func (w *world) sweep(n *node, age time.Duration) {
	engine := retention.New(n.seat.db, n.media, retention.Options{
		Ages: retention.Ages{Workflows: age, ChatRuns: age, Logs: age, Uploads: age, Deliveries: age, Replays: age, Actions: age}, Now: w.now, Log: enginetest.Log,
	})
	removed, err := engine.Sweep(context.Background())
	w.note("sweep", "%s: %v, %v", n.name, removed, err)
	if err != nil {
		w.count("a sweep failed")
	}
}

// rest lists the workflows, runs and deliveries that there are.
func (w *world) rest() (list []string) {
	for _, a := range w.clients {
		for _, f := range w.all(w.nodes[0], a) {
			list = append(list, f.WorkflowID)
		}
		w.look(func(tx *store.Tx) error {
			runs, err := storetest.Runs(tx, a.Wallet)
			for _, id := range runs {
				list = append(list, string(id))
			}
			return err
		})
	}
	w.look(func(tx *store.Tx) error {
		delivered, err := storetest.DeliveredEvents(tx)
		list = append(list, delivered...)
		return err
	})
	return list
}

// balances are what the accounts have.
func (w *world) balances() (list []atelier.Balance) {
	for _, a := range w.clients {
		b, err := w.nodes[0].billing.Balance(context.Background(), a.Wallet)
		if err != nil {
			w.t.Fatalf("balance: %v", err)
		}
		list = append(list, b)
	}
	return list
}
