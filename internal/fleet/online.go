package fleet

import (
	"maps"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// seenAt is when a worker was seen, and when it last claimed and completed jobs.
type seenAt struct {
	worker      atelier.Worker
	at, claimed time.Time
	done        map[string]time.Time // by model
	machine     *store.MachineReport // that the database does not have; nil when it has the newest
}

// leastOnline is how long a session with an NFT lasts before its time counts. Counters are
// kept for ever, and a worker can connect with one NFT after another.
const leastOnline = 5 * time.Second

// recordSeen records that workers were seen. Each gets the time since it was seen
// before as connected time, which the row of the worker has: so no time counts twice,
// whichever nodes it calls, and none is lost when a node dies and the worker calls another.
// While no node was there to record it for longer than the workers of a short outage
// need, a worker was not connected.
func (e *Engine) recordSeen(tx *store.Tx, seen map[atelier.WorkerID]seenAt, now time.Time) error {
	connected := map[store.WorkerKey]time.Duration{}
	for _, id := range slices.Sorted(maps.Keys(seen)) { // sorted, so that two nodes do not wait for each other
		s := seen[id]
		before, nft, isLater, err := tx.SeeWorker(id, s.at, s.claimed, s.machine)
		if err == nil {
			err = tx.NoteCompleted(s.worker, s.done)
		}
		if err != nil {
			return err
		}
		if !isLater || s.worker.Network == atelier.NetworkNode || s.at.Sub(before) > 2*e.silence() {
			continue
		}
		if s.worker.NFTTokenID != "" {
			began := s.worker.CreatedAt
			if s.at.Sub(began) < leastOnline {
				continue
			}
			if before.Sub(began) < leastOnline { // nothing was counted so far
				before = began
			}
		}
		for day, d := range splitDays(before, s.at) {
			connected[store.WorkerKey{Wallet: s.worker.Wallet, Day: day, Network: s.worker.Network, NFT: nft}] += d
		}
	}
	if len(connected) == 0 {
		return nil
	}
	if err := e.presence.noteLogins(tx, connected); err != nil {
		return err
	}
	if err := e.noteOnline(tx, now); err != nil {
		return err
	}
	return tx.AddConnected(connected)
}

// noteLogins records which workers were connected on which days, unless the last write
// has done so.
func (p *presence) noteLogins(tx *store.Tx, connected map[store.WorkerKey]time.Duration) error {
	p.mu.Lock()
	known := p.logins
	p.mu.Unlock()
	logins := map[store.WorkerKey]bool{}
	for _, k := range slices.SortedFunc(maps.Keys(connected), store.WorkerKey.Compare) {
		logins[k] = true
		if known[k] {
			continue
		}
		if err := tx.NoteLogin(k.Wallet, k.Network, k.NFT, k.Day); err != nil {
			return err
		}
	}
	tx.OnCommit(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.logins = logins
	})
	return nil
}

// splitDays splits the time between two moments at midnight UTC.
func splitDays(from, to time.Time) map[string]time.Duration {
	out := map[string]time.Duration{}
	for from.Before(to) {
		midnight := from.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
		end := midnight
		if to.Before(end) {
			end = to
		}
		out[store.Day(from)] += end.Sub(from)
		from = end
	}
	return out
}

// noteOnline records how many workers are connected now.
func (e *Engine) noteOnline(tx *store.Tx, now time.Time) error {
	online, err := tx.CountOnline(e.ConnectedSince(now))
	if err != nil {
		return err
	}
	online[""] = online[atelier.NetworkFast] + online[atelier.NetworkRelaxed]
	for _, n := range slices.Sorted(maps.Keys(online)) {
		if err := tx.NoteOnline(n, store.Day(now), online[n]); err != nil {
			return err
		}
	}
	return nil
}

// recordConnect records that a worker of an account has connected, for the counters of the
// day. Its NFT has counters when it has worked or stayed for some time.
func (e *Engine) recordConnect(tx *store.Tx, w atelier.Worker) error {
	if w.Network == atelier.NetworkNode {
		return nil
	}
	if err := tx.NoteLogin(w.Wallet, w.Network, "", store.Day(w.CreatedAt)); err != nil {
		return err
	}
	return e.noteOnline(tx, w.CreatedAt)
}
