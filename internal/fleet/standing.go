package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// noteLapse records that the worker of a job that is queued again has failed at it. Fallback workers
// get only what no other takes, and have no standing.
func (e *Engine) noteLapse(tx *store.Tx, j store.StoredJob, code, why string) error {
	if j.Network == atelier.NetworkNode {
		return nil
	}
	w, err := tx.AnyWorker(j.WorkerID)
	if errors.Is(err, store.ErrNotFound) || (err == nil && w.Fallback) {
		return nil
	}
	if err != nil {
		return err
	}
	return tx.InsertLapse(store.Lapse{
		WorkerName: store.NameOf(w), Job: j.ID, Session: w.ID, Version: w.Version, Account: j.Wallet, Model: j.Spec.ModelID,
		Code: code, Message: shorten(why, mostReason), At: e.opts.Now(),
	})
}

// noteStanding records what a completed job says about workers: that the one that failed at it
// before has lapsed, and that the one that has completed it is well.
func (e *Engine) noteStanding(tx *store.Tx, w atelier.Worker, j store.StoredJob, now time.Time) error {
	if j.Network == atelier.NetworkNode || w.Fallback { // a fallback worker may render what others refuse to
		return nil
	}
	name := store.NameOf(w)
	var lapse store.Lapse
	if j.Attempt > 1 {
		var err error
		if lapse, err = tx.LapseOf(j.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if lapse.WorkerName == name { // it failed at a job that it could render
			if err := tx.ForgetLapse(j.ID); err != nil {
				return err
			}
			lapse = store.Lapse{}
		}
	}
	if lapse.Job == "" && w.Lapses == 0 {
		return nil
	}
	sessions, err := tx.LockSessions(lapse.WorkerName, name)
	if err != nil {
		return err
	}
	if lapse.Job != "" {
		if err := e.confirmLapse(tx, lapse, sessions, now); err != nil {
			return err
		}
	}
	if w.Lapses == 0 {
		return nil
	}
	return e.countCompleted(tx, name, j.Spec.ModelID, sessions, now)
}

// confirmLapse records that another worker has completed a job.
func (e *Engine) confirmLapse(tx *store.Tx, l store.Lapse, sessions []atelier.Worker, now time.Time) error {
	if known, err := tx.ConfirmLapse(l.Job); err != nil || !known {
		return err
	}
	tx.OnCommit(func() { e.lapses.Inc() })
	before, lapses, err := readStanding(tx, l.WorkerName)
	if err != nil {
		return err
	}
	after := judgeLapse(before, lapses, l.Job, now)
	return e.setStanding(tx, l.WorkerName, before, after, len(lapses), sessions, now)
}

// countCompleted records that a worker that has lapsed has completed a job.
func (e *Engine) countCompleted(tx *store.Tx, n store.WorkerName, model string, sessions []atelier.Worker, now time.Time) error {
	ofModel, err := tx.CountCompleted(n, model, outweighed)
	if err != nil {
		return err
	}
	before, lapses, err := readStanding(tx, n)
	if err != nil {
		return err
	}
	return e.setStanding(tx, n, before, judgeCompleted(before, ofModel > 0, now), len(lapses), sessions, now)
}

// readStanding reads the standing of a worker, which is locked, and its lapses.
func readStanding(tx *store.Tx, n store.WorkerName) (s store.Standing, lapses []store.Lapse, err error) {
	if s, err = tx.LockStanding(n); err != nil && !errors.Is(err, store.ErrNotFound) {
		return s, nil, err
	}
	lapses, err = tx.Lapses(n, mostLapses)
	return s, lapses, err
}

// setStanding records the standing of a worker, in its sessions too, and reports a change. Its
// lapses are forgotten when it is well again.
func (e *Engine) setStanding(tx *store.Tx, n store.WorkerName, before, after store.Standing, lapses int, sessions []atelier.Worker, now time.Time) error {
	wasLow, isLow := !before.LowSince.IsZero(), !after.LowSince.IsZero()
	var err error
	switch {
	case isLow:
		err = tx.SetStanding(n, after)
	case wasLow:
		lapses = 0
		if err = tx.RestoreStanding(n); err == nil {
			err = tx.ForgetLapses(n)
		}
	}
	if err != nil {
		return err
	}
	if err := e.repeatStanding(tx, n, after, lapses, sessions, now); err != nil {
		return err
	}
	if wasLow != isLow {
		tx.OnCommit(func() { e.logStanding(n, after) })
	}
	return nil
}

// repeatStanding records the standing of a worker in its sessions.
func (e *Engine) repeatStanding(tx *store.Tx, n store.WorkerName, after store.Standing, lapses int, sessions []atelier.Worker, now time.Time) error {
	for _, w := range sessions {
		if store.NameOf(w) != n || w.LowSince.Equal(after.LowSince) && w.LowReason == after.Reason && w.Lapses == lapses {
			continue
		}
		if err := tx.NoteStanding(w.ID, after, lapses, now); err != nil {
			return err
		}
		tx.OnCommit(func() {
			e.presence.change(w.ID, func(w *atelier.Worker) {
				w.LowSince, w.LowReason, w.Lapses = after.LowSince, after.Reason, lapses
			})
			e.workerChanged(w.Network)
		})
	}
	return nil
}

func (e *Engine) logStanding(n store.WorkerName, s store.Standing) {
	if s.LowSince.IsZero() {
		e.opts.Log.Info("worker is in good standing again", "account", n.Wallet, "name", n.Name)
		return
	}
	e.opts.Log.Warn("standing of worker is low: others are preferred", "account", n.Wallet, "name", n.Name, "reason", s.Reason)
}

// adoptStanding gives a worker that connects the standing that it had before. One of another version
// is a new one.
func (e *Engine) adoptStanding(tx *store.Tx, w *atelier.Worker) error {
	if w.Network == atelier.NetworkNode || w.Fallback {
		return nil
	}
	n := store.NameOf(*w)
	lapses, err := tx.Lapses(n, mostLapses)
	if err != nil || len(lapses) == 0 {
		return err
	}
	s, err := tx.Standing(n)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if lapses[0].Version == w.Version {
		w.LowSince, w.LowReason, w.Lapses = s.LowSince, s.Reason, len(lapses)
		return nil
	}
	sessions, err := tx.LockSessions(n, n)
	if err != nil {
		return err
	}
	if err := tx.ForgetLapses(n); err != nil {
		return err
	}
	return e.setStanding(tx, n, s, store.Standing{}, 0, sessions, e.opts.Now())
}

// forgetDropped forgets what a worker has given back as it left. Its standing is as it was before, if
// that has lowered it.
func (e *Engine) forgetDropped(tx *store.Tx, w atelier.Worker, left time.Time) error {
	n := store.NameOf(w)
	sessions, err := tx.LockSessions(n, n)
	if err != nil {
		return err
	}
	confirmed, err := tx.ForgetDropped(w.ID, n, left.Add(-leaving), left.Add(-stopping))
	if err != nil || confirmed == 0 {
		return err
	}
	s, lapses, err := readStanding(tx, n)
	if err != nil {
		return err
	}
	if s.LowSince.After(left.Add(-stopping)) && countLapses(lapses) < lapsesToLower {
		s = store.Standing{}
		if err := tx.RestoreStanding(n); err != nil {
			return err
		}
	}
	return e.repeatStanding(tx, n, s, len(lapses), sessions, left)
}

// expireLapses forgets what happened long ago. A worker of low standing of which nothing is
// remembered is in good standing again.
func (e *Engine) expireLapses(ctx context.Context, now time.Time) error {
	var any bool
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		any, err = tx.AnyLapse(now.Add(-lapseAge))
		return err
	})
	if err != nil || !any {
		return err
	}
	return e.db.Write(ctx, func(tx *store.Tx) error {
		names, err := tx.ExpireLapses(now.Add(-lapseAge))
		for _, n := range names {
			if err == nil {
				err = e.refreshStanding(tx, n, now)
			}
		}
		return err
	})
}

func (e *Engine) refreshStanding(tx *store.Tx, n store.WorkerName, now time.Time) error {
	sessions, err := tx.LockSessions(n, n)
	if err != nil {
		return err
	}
	before, lapses, err := readStanding(tx, n)
	if err != nil {
		return err
	}
	after := before
	if len(lapses) == 0 {
		after = store.Standing{}
	}
	return e.setStanding(tx, n, before, after, len(lapses), sessions, now)
}
