package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/mint"
)

// What an account stores is counted in bytes: its chat runs, workflows and sessions, with
// their logs, jobs and the rows of what these made. A row of stored has the bytes of one of
// them, stored_total the sum of an account. Both change in the transaction that stores or
// deletes it, the sum with its last statement, so that no two transactions wait for each
// other.

// What a run or workflow, a session, an event, a job and an artifact take besides their
// texts: columns, indexes, and the rows that lists are made of.
const (
	itemBytes     = 2 << 10
	sessionBytes  = 512
	eventBytes    = 256
	jobBytes      = 1 << 10
	artifactBytes = 1 << 10
)

// LimitStored sets how many bytes an account may store. It must be set before the first
// Write.
func (db *DB) LimitStored(bytes int64) { db.storedLimit = bytes }

// fullError says that a change would store more than its account may.
type fullError struct {
	refusal *atelier.Error
	excess  int64
	kept    map[string]bool // what the change uses
}

func (e *fullError) Error() string { return e.refusal.Error() }
func (e *fullError) Unwrap() error { return e.refusal }

// WriteStart runs fn, which stores something new for an account, as Write does. If the
// account has too much then, the runs, workflows and sessions of it that ended first are
// deleted, but for those that fn uses, and fn runs again.
func (db *DB) WriteStart(ctx context.Context, owner atelier.Wallet, now time.Time, fn func(*Tx) error) error {
	for {
		err := db.Write(ctx, fn)
		var full *fullError
		if !errors.As(err, &full) {
			return err
		}
		freed, err := db.deleteOldest(ctx, owner, now, full)
		if err != nil {
			return err
		}
		if freed < full.excess {
			return full
		}
	}
}

// storedPosition is a place among what has ended, in the order in which it did.
type storedPosition struct {
	endedAt int64
	id      string
}

// deletedAtOnce is how much of what has ended one change deletes.
const deletedAtOnce = 32

// deleteOldest deletes what has ended first until the excess and a little more is free,
// so that not every start has to. It returns how many it has freed: none, if all that may go
// is less.
func (db *DB) deleteOldest(ctx context.Context, owner atelier.Wallet, now time.Time, full *fullError) (freed int64, err error) {
	need := full.excess
	spare, err := db.spareBytes(ctx, owner, now, full.kept, need+db.storedLimit/64)
	if err != nil || spare < need {
		return 0, err
	}
	need = min(spare, need+db.storedLimit/64)
	for at, more := (storedPosition{}), true; more && freed < need; {
		var (
			some int64
			next storedPosition
		)
		err := db.WriteDeletion(ctx, func(tx *Tx) (err error) {
			some, next = 0, at
			if err := tx.LockAccount(owner); err != nil { // nothing is started with what is deleted
				return err
			}
			used, err := tx.oldestOpenRun(owner, now)
			if err != nil {
				return err
			}
			ended, err := tx.endedAfter(owner, at)
			more = len(ended) == deletedAtOnce
			for _, i := range ended {
				if err != nil || freed+some >= need {
					return err
				}
				next = i.storedPosition
				var gone bool
				if i.mayGo(full.kept, used) {
					gone, err = tx.deleteStored(owner, i.id)
				}
				if gone {
					some += i.bytes
				}
			}
			return err
		})
		if err != nil {
			return freed, err
		}
		freed, at = freed+some, next
	}
	return freed, nil
}

// spareBytes adds up what has ended and may go, until it is enough.
func (db *DB) spareBytes(ctx context.Context, owner atelier.Wallet, now time.Time, kept map[string]bool, enough int64) (spare int64, err error) {
	err = db.Snapshot(ctx, func(tx *Tx) error {
		spare = 0
		used, err := tx.oldestOpenRun(owner, now)
		for at := (storedPosition{}); err == nil && spare < enough; {
			var ended []storedItem
			if ended, err = tx.endedAfter(owner, at); len(ended) == 0 {
				break
			}
			for _, i := range ended {
				if i.mayGo(kept, used) {
					spare += i.bytes
				}
				at = i.storedPosition
			}
		}
		return err
	})
	return spare, err
}

// mayGo reports whether something that has ended may be deleted: the change that needs the
// bytes does not use it, and it is no workflow that was started since the given run.
func (i storedItem) mayGo(kept map[string]bool, usedSince string) bool {
	isWorkflow := !strings.HasPrefix(i.id, sessionPrefix) && !strings.HasPrefix(i.id, runPrefix)
	return !kept[i.id] && !(isWorkflow && usedSince != "" && madeAt(i.id) > usedSince)
}

// keep notes that the transaction uses something that is stored.
func (tx *Tx) keep(id string) {
	if tx.kept == nil {
		tx.kept = map[string]bool{}
	}
	tx.kept[id] = true
}

// keepMaker notes that the transaction uses what a workflow has made.
func (tx *Tx) keepMaker(key string) error {
	if tx.storedLimit <= 0 {
		return nil
	}
	var id string
	err := tx.Row(`SELECT job.owner_id FROM artifact JOIN job ON job.id = artifact.job_id WHERE artifact.object_key = $1 AND job.owner_kind = 'workflow'`, key).Scan(&id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	tx.keep(id)
	return err
}

// storedItem is one of what an account stores.
type storedItem struct {
	storedPosition
	bytes int64
}

// endedAfter lists what has ended after a position, the first first.
func (tx *Tx) endedAfter(owner atelier.Wallet, at storedPosition) (out []storedItem, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var i storedItem
		err := scan(&i.endedAt, &i.id, &i.bytes)
		out = append(out, i)
		return err
	}, `SELECT ended_at, id, bytes FROM stored WHERE wallet = $1 AND ended_at > 0 AND ended_at >= $2 AND (ended_at > $2 OR id > $3)
		ORDER BY ended_at, id LIMIT $4`, string(owner), at.endedAt, at.id, deletedAtOnce)
	return out, err
}

// usedFor is how long what a run has made is kept for it while it waits for its user.
const usedFor = 24 * time.Hour

// oldestOpenRun finds the first run of the last day that is not over, and returns when its id
// was made, in the form of ids. It is empty without such a run.
func (tx *Tx) oldestOpenRun(owner atelier.Wallet, now time.Time) (made string, err error) {
	var id string
	err = tx.Row(`SELECT COALESCE(MIN(id), '') FROM chat_run WHERE wallet = $1 AND status IN ('queued', 'running', 'waiting_for_user') AND id > $2`,
		string(owner), runPrefix+mint.OrderedUUIDAt(now.Add(-usedFor))).Scan(&id)
	return madeAt(id), err
}

// The beginnings of ids. Those of workflows have another.
const (
	runPrefix     = RunPrefix
	sessionPrefix = "session/"
)

// madeAt is the part of an id that sorts by the time when it was made.
func madeAt(id string) string { return id[max(0, len(id)-36):] }

// deleteStored deletes a session, or a run or workflow that is over, unless its money is
// open, or something that is not over uses it.
func (tx *Tx) deleteStored(owner atelier.Wallet, id string) (bool, error) {
	if session, ok := strings.CutPrefix(id, sessionID(owner, "")); ok {
		if _, err := tx.Exec(`DELETE FROM session WHERE wallet = $1 AND id = $2`, string(owner), session); err != nil {
			return false, err
		}
		return true, tx.uncountStored(id)
	}
	if strings.HasPrefix(id, runPrefix) {
		return tx.DeleteRun(atelier.RunID(id))
	}
	var attached int
	err := tx.Row(`SELECT COUNT(*) FROM job j JOIN artifact a ON a.job_id = j.id JOIN run_file f ON f.object_key = a.object_key JOIN chat_run r ON r.id = f.run_id
		WHERE j.owner_kind = 'workflow' AND j.owner_id = $1 AND r.status IN ('queued', 'running', 'waiting_for_user')`, id).Scan(&attached)
	if err != nil || attached > 0 {
		return false, err
	}
	return tx.DeleteWorkflow(atelier.WorkflowID(id))
}

// sessionID is the id of a session among what is stored.
func sessionID(owner atelier.Wallet, session string) string {
	return sessionPrefix + string(owner) + "/" + session
}

// countStored sets how many bytes something takes, how many it took before, and when it
// has ended.
func (tx *Tx) countStored(owner atelier.Wallet, id string, before, bytes, endedAt int64) {
	tx.Later(`INSERT INTO stored (id, wallet, ended_at, bytes) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at, bytes = excluded.bytes`, id, string(owner), endedAt, bytes)
	tx.growthOf(owner).bytes += bytes - before
	tx.keep(id)
}

// countOpen counts a workflow of an account whose status changes. It has none before it is started.
func (tx *Tx) countOpen(owner atelier.Wallet, from, to atelier.Status) {
	grown := tx.growthOf(owner)
	for s, by := range map[atelier.Status]int64{from: -1, to: 1} {
		switch s {
		case atelier.StatusQueued, atelier.StatusRunning:
			grown.active += by
		case atelier.StatusWaitingForUser:
			grown.paused += by
		}
	}
}

// uncountStored removes something that was deleted from what is counted.
func (tx *Tx) uncountStored(id string) error {
	var (
		owner atelier.Wallet
		bytes int64
	)
	err := tx.Row(`DELETE FROM stored WHERE id = $1 RETURNING wallet, bytes`, id).Scan(&owner, &bytes)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err == nil {
		tx.growthOf(owner).bytes -= bytes
	}
	return err
}

// growth is by how much the sums of an account change.
type growth struct {
	bytes          int64
	active, paused int64 // workflows
}

// growthOf is what the transaction notes of an account.
func (tx *Tx) growthOf(owner atelier.Wallet) *growth {
	grown := tx.grown[owner]
	if grown == nil {
		if tx.grown == nil {
			tx.grown = map[atelier.Wallet]*growth{}
		}
		grown = &growth{}
		tx.grown[owner] = grown
	}
	return grown
}

// addUpStored changes the sums of the accounts whose bytes or open workflows have changed, and
// refuses a change that has started something when the account has too much.
func (tx *Tx) addUpStored() error {
	const add = `INSERT INTO stored_total (wallet, bytes, active, paused) VALUES ($1, $2, $3, $4) ON CONFLICT (wallet) DO UPDATE
		SET bytes = stored_total.bytes + excluded.bytes, active = stored_total.active + excluded.active, paused = stored_total.paused + excluded.paused`
	isLimited := tx.starts && tx.storedLimit > 0
	for _, owner := range slices.Sorted(maps.Keys(tx.grown)) {
		grown := tx.grown[owner]
		if !isLimited {
			tx.Later(add, string(owner), grown.bytes, grown.active, grown.paused)
			continue
		}
		var total int64
		if err := tx.Row(add+` RETURNING bytes`, string(owner), grown.bytes, grown.active, grown.paused).Scan(&total); err != nil {
			return err
		}
		if total > tx.storedLimit {
			return &fullError{excess: total - tx.storedLimit, kept: tx.kept, refusal: atelier.Errorf(atelier.CodeStoredBytes,
				"The account would store %d bytes of chat runs and workflows; the limit is %d, and too few of them are over. Wait for some to end, or cancel them.", total, tx.storedLimit).
				With("storedBytes", total-grown.bytes).With("storedBytesLimit", tx.storedLimit)}
		}
	}
	return nil
}

// eventsOf is the size of the log of a run or workflow x.
const eventsOf = `(SELECT CAST(COALESCE(SUM(OCTET_LENGTH(payload) + OCTET_LENGTH(message) + $2), 0) AS BIGINT) FROM event WHERE log = x.id)`

// isCounted reports whether a run or workflow is counted again when it gets a status.
func isCounted(s atelier.Status) bool { return s.Terminal() || s == atelier.StatusWaitingForUser }

// recountRun counts the bytes of a run again.
func (tx *Tx) recountRun(r StoredRun) error {
	return tx.recount(r.Wallet, string(r.ID), r.Status, r.UpdatedAt, `SELECT OCTET_LENGTH(request) + OCTET_LENGTH(state) + `+eventsOf+`,
		COALESCE((SELECT bytes FROM stored WHERE id = x.id), 0) FROM chat_run x WHERE id = $1`, string(r.ID), eventBytes)
}

// recountWorkflow counts the bytes of a workflow again.
func (tx *Tx) recountWorkflow(w *StoredWorkflow) error {
	return tx.recount(w.Wallet, string(w.ID), w.Status, w.UpdatedAt, `SELECT OCTET_LENGTH(plan) + OCTET_LENGTH(state) + `+eventsOf+`
		+ (SELECT CAST(COALESCE(SUM(OCTET_LENGTH(spec) + OCTET_LENGTH(charge) + OCTET_LENGTH(error) + $3), 0) AS BIGINT)
			FROM job WHERE owner_kind = 'workflow' AND owner_id = x.id)
		+ (SELECT CAST(COALESCE(SUM(OCTET_LENGTH(metadata) + $4), 0) AS BIGINT)
			FROM artifact WHERE job_id IN (SELECT id FROM job WHERE owner_kind = 'workflow' AND owner_id = x.id)),
		COALESCE((SELECT bytes FROM stored WHERE id = x.id), 0) FROM workflow x WHERE id = $1`, string(w.ID), eventBytes, jobBytes, artifactBytes)
}

func (tx *Tx) recount(owner atelier.Wallet, id string, s atelier.Status, at time.Time, sql string, args ...any) error {
	var bytes, before, endedAt int64
	if err := tx.Row(sql, args...).Scan(&bytes, &before); err != nil {
		return err
	}
	if s.Terminal() {
		endedAt = database.Millis(at)
	}
	tx.countStored(owner, id, before, itemBytes+bytes, endedAt)
	return nil
}
