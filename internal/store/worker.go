package store

import (
	"errors"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/wire"
)

// InsertWorker adds a connected worker.
func (tx *Tx) InsertWorker(w atelier.Worker) error {
	models, err := wire.Marshal(w.Models)
	if err != nil {
		return err
	}
	loaded, err := wire.Marshal(w.Loaded)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO worker (id, wallet, name, network, models, loaded, capacity, fallback, nft_token_id, version, gpu, draining, created_at, seen_at,
		claimed_at, low_since, low_reason, lapses) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		string(w.ID), string(w.Wallet), w.Name, string(w.Network), string(models), string(loaded), w.Capacity, w.Fallback, w.NFTTokenID, w.Version, w.GPU,
		w.Draining, database.Millis(w.CreatedAt), database.Millis(w.SeenAt), database.Millis(w.ClaimedAt),
		database.Millis(w.LowSince), w.LowReason, w.Lapses)
	if err != nil {
		return err
	}
	return tx.InsertOffers(w)
}

func (tx *Tx) workers(where string, args ...any) (out []atelier.Worker, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			w                      atelier.Worker
			models, loaded, recent string
			created, seen          int64
			claimed, not, low      int64
		)
		if err := scan(&w.ID, &w.Wallet, &w.Name, &w.Network, &models, &loaded, &w.Capacity, &w.Fallback, &w.NFTTokenID, &w.Version, &w.GPU,
			&w.Draining, &w.Unavailable, &recent, &w.Switches, &created, &seen, &claimed, &not,
			&low, &w.LowReason, &w.Lapses); err != nil {
			return err
		}
		if err := decodeLists(list{models, &w.Models}, list{loaded, &w.Loaded}, list{recent, &w.Recent}); err != nil {
			return err
		}
		w.CreatedAt, w.SeenAt = database.FromMillis(created), database.FromMillis(seen)
		w.ClaimedAt, w.NotClaimingSince = database.FromMillis(claimed), database.FromMillis(not)
		w.LowSince = database.FromMillis(low)
		out = append(out, w)
		return nil
	}, `SELECT id, wallet, name, network, models, loaded, capacity, fallback, nft_token_id, version, gpu, draining, unavailable, recent, switches,
		created_at, seen_at, claimed_at, not_claiming_since, low_since, low_reason, lapses FROM worker `+where, args...)
	return out, err
}

// Worker finds a wallet's worker.
func (tx *Tx) Worker(w atelier.Wallet, id atelier.WorkerID) (atelier.Worker, error) {
	return oneWorker(tx.workers(`WHERE wallet = $1 AND id = $2`, string(w), string(id)))
}

// AnyWorker finds a worker of any account.
func (tx *Tx) AnyWorker(id atelier.WorkerID) (atelier.Worker, error) {
	return oneWorker(tx.workers(`WHERE id = $1`, string(id)))
}

// WorkerNames finds the names of the connected workers among those given.
func (tx *Tx) WorkerNames(ids []atelier.WorkerID) (map[atelier.WorkerID]string, error) {
	out := map[atelier.WorkerID]string{}
	if len(ids) == 0 {
		return out, nil
	}
	list := padded(texts(ids))
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			id   atelier.WorkerID
			name string
		)
		err := scan(&id, &name)
		out[id] = name
		return err
	}, `SELECT id, name FROM worker WHERE id IN (`+database.Marks(1, len(list))+`)`, list...)
	return out, err
}

func oneWorker(found []atelier.Worker, err error) (atelier.Worker, error) {
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return atelier.Worker{}, err
	}
	return found[0], nil
}

// CountWorkers counts the workers of an account that were seen since a time.
func (tx *Tx) CountWorkers(w atelier.Wallet, since time.Time) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM worker WHERE wallet = $1 AND seen_at >= $2`, string(w), database.Millis(since)).Scan(&n)
	return n, err
}

// Space is what a worker can take now.
type Space struct {
	Capacity int      // jobs at once
	Held     int      // jobs that it has
	Free     int      // how many more it can take
	Loaded   []string // models in its memory, as it has reported
	Recent   []string // models of the jobs that it got since, newest first
}

// LockWorkers reads what workers can take. It locks them in their order, so that their other
// claims wait until the transaction ends. One that drains or is unavailable, or whose account
// is suspended, is left out; its claims may still be waiting. So is, if skip is set, one that
// another transaction has locked.
func (tx *Tx) LockWorkers(ids []atelier.WorkerID, skip bool) (map[atelier.WorkerID]Space, error) {
	out := map[atelier.WorkerID]Space{}
	held, rendering := make([]int, len(ids)), make([]int, len(ids))
	lock := tx.Dialect.ForUpdate
	if skip {
		lock = tx.Dialect.SkipLocked("w")
	}
	for i, id := range ids {
		tx.RowsLater(func(scan func(...any) error) error {
			var (
				s              Space
				loaded, recent string
			)
			if err := scan(&s.Capacity, &loaded, &recent); err != nil {
				return err
			}
			err := decodeLists(list{loaded, &s.Loaded}, list{recent, &s.Recent})
			out[id] = s
			return err
		}, `SELECT w.capacity, w.loaded, w.recent FROM worker w WHERE w.id = $1 AND `+takesJobs+`
			AND (SELECT a.suspended_at FROM account a WHERE a.wallet = w.wallet) = 0`+lock, string(id))
		tx.countLeasedBy(id).ScanLater(&held[i], &rendering[i])
	}
	err := tx.Flush()
	for i, id := range ids {
		if s, ok := out[id]; ok {
			s.Held, s.Free = held[i], atelier.FreePlaces(s.Capacity, held[i], rendering[i])
			out[id] = s
		}
	}
	return out, err
}

// list is a JSON list of a row, and where its items go.
type list struct {
	text string
	into *[]string
}

func decodeLists(lists ...list) error {
	for _, l := range lists {
		if l.text == "[]" {
			*l.into = []string{}
			continue
		}
		if err := wire.Unmarshal([]byte(l.text), l.into); err != nil {
			return err
		}
	}
	return nil
}

// NoteModels records the models of the jobs that a worker got since it has reported which
// are loaded, and adds the number of switches between models for them.
func (tx *Tx) NoteModels(id atelier.WorkerID, recent []string, switches int) error {
	text, err := wire.Marshal(recent)
	if err != nil {
		return err
	}
	tx.MustLater(`UPDATE worker SET recent = $2, switches = switches + $3 WHERE id = $1`, string(id), string(text), switches)
	return nil
}

// Workers lists the workers seen since a time.
func (tx *Tx) Workers(since time.Time) ([]atelier.Worker, error) {
	return tx.workers(`WHERE seen_at >= $1 ORDER BY id`, database.Millis(since))
}

// WorkersAfter lists the workers seen since a time, after the given one: at most limit.
func (tx *Tx) WorkersAfter(since time.Time, after atelier.WorkerID, limit int) ([]atelier.Worker, error) {
	return tx.workers(`WHERE seen_at >= $1 AND id > $2 ORDER BY id LIMIT $3`, database.Millis(since), string(after), limit)
}

// WorkersChanged lists the workers that have reported other models, or whether they are
// available, since a time.
func (tx *Tx) WorkersChanged(since time.Time) ([]atelier.Worker, error) {
	return tx.workers(`WHERE changed_at >= $1 ORDER BY id`, database.Millis(since))
}

// SilentWorkers lists the workers not seen since a time.
func (tx *Tx) SilentWorkers(since time.Time) ([]atelier.Worker, error) {
	return tx.workers(`WHERE seen_at < $1 ORDER BY id`, database.Millis(since))
}

// SeeWorker records that a worker was seen, and that it claimed, and returns when it was seen
// before that, and the NFT that its time counts for: none when it is
// not its account's any more. It reports false when it was seen later already, on another
// node perhaps, or is gone. A worker that has claimed since it was found not to claim claims
// again. A report about its machine, if there is one, is stored unless a later one is.
func (tx *Tx) SeeWorker(id atelier.WorkerID, at, claimed time.Time, m *MachineReport) (before time.Time, nft string, seen bool, err error) {
	var (
		ms, reported int64
		machine      []byte
	)
	if m != nil {
		if machine, err = wire.Marshal(m.Machine); err != nil {
			return before, "", false, err
		}
		reported = database.Millis(m.At)
	}
	err = tx.Row(`UPDATE worker SET seen_before = seen_at, seen_at = CASE WHEN seen_at < $2 THEN $2 ELSE seen_at END,
		claimed_at = CASE WHEN claimed_at < $3 THEN $3 ELSE claimed_at END,
		not_claiming_since = CASE WHEN claimed_at < $3 THEN 0 ELSE not_claiming_since END,
		machine = CASE WHEN machine_at < $4 THEN $5 ELSE machine END, machine_at = CASE WHEN machine_at < $4 THEN $4 ELSE machine_at END
		WHERE id = $1 AND (seen_at < $2 OR claimed_at < $3 OR machine_at < $4)
		RETURNING seen_before, COALESCE((SELECT n.id FROM nft n WHERE n.id = nft_token_id AND n.wallet = worker.wallet), '')`,
		string(id), database.Millis(at), database.Millis(claimed), reported, string(machine)).Scan(&ms, &nft)
	if errors.Is(err, ErrNotFound) {
		return before, "", false, nil
	}
	return database.FromMillis(ms), nft, err == nil && ms < database.Millis(at), err
}

// NotClaiming lists the workers that have not claimed since a time and count as claiming.
func (tx *Tx) NotClaiming(since time.Time) ([]atelier.Worker, error) {
	return tx.workers(`WHERE network <> 'node' AND not_claiming_since = 0 AND claimed_at > 0 AND claimed_at < $1 ORDER BY id`, database.Millis(since))
}

// NoteNotClaiming records that a worker that has not claimed since a time does not claim,
// and returns when it did so last: zero when it claims, or another node has recorded it. A
// worker that holds as many jobs as it can need not claim: being full counts as a claim.
func (tx *Tx) NoteNotClaiming(id atelier.WorkerID, since, now time.Time) (last time.Time, err error) {
	const isFull = `(SELECT COUNT(*) FROM job j WHERE j.worker_id = worker.id AND j.state = 'leased') >= capacity`
	var ms int64
	err = tx.Row(`UPDATE worker SET claimed_at = CASE WHEN `+isFull+` THEN CAST($3 AS BIGINT) ELSE claimed_at END,
		not_claiming_since = CASE WHEN `+isFull+` THEN 0 ELSE claimed_at END, changed_at = CASE WHEN `+isFull+` THEN changed_at ELSE CAST($3 AS BIGINT) END
		WHERE id = $1 AND not_claiming_since = 0 AND (claimed_at < $2 OR `+isFull+`) RETURNING not_claiming_since`,
		string(id), database.Millis(since), database.Millis(now)).Scan(&ms)
	if errors.Is(err, ErrNotFound) {
		return last, nil
	}
	return database.FromMillis(ms), err
}

// NoteClaiming records that a worker claims again. It reports false when that is known.
func (tx *Tx) NoteClaiming(id atelier.WorkerID, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE worker SET claimed_at = $2, not_claiming_since = 0, changed_at = $2 WHERE id = $1 AND not_claiming_since > 0`, string(id), database.Millis(now))
	return n > 0, err
}

// CountOnline counts the workers of the two networks that were seen since a time.
func (tx *Tx) CountOnline(since time.Time) (map[atelier.Network]int64, error) {
	out := map[atelier.Network]int64{}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			n       atelier.Network
			workers int64
		)
		err := scan(&n, &workers)
		out[n] = workers
		return err
	}, `SELECT network, COUNT(*) FROM worker WHERE seen_at >= $1 AND network IN ('fast', 'relaxed') GROUP BY network`, database.Millis(since))
	return out, err
}

// WorkerStates counts workers.
type WorkerStates struct {
	Connected, Draining, Unavailable int64
	Switches                         int64 // of models, since they connected
}

// CountWorkerStates counts the workers that were seen since a time, by network.
func (tx *Tx) CountWorkerStates(since time.Time) (map[atelier.Network]WorkerStates, error) {
	out := map[atelier.Network]WorkerStates{}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			n atelier.Network
			s WorkerStates
		)
		err := scan(&n, &s.Connected, &s.Draining, &s.Unavailable, &s.Switches)
		out[n] = s
		return err
	}, `SELECT network, COUNT(*), SUM(CASE WHEN draining THEN 1 ELSE 0 END), SUM(CASE WHEN unavailable <> '' THEN 1 ELSE 0 END), CAST(SUM(switches) AS BIGINT) FROM worker
		WHERE seen_at >= $1 GROUP BY network`, database.Millis(since))
	return out, err
}

// NoteOnline records how many workers are connected to a network, which is empty for
// all. The largest number of a day is kept.
func (tx *Tx) NoteOnline(n atelier.Network, day string, workers int64) error {
	_, err := tx.Exec(`INSERT INTO worker_online (network, day, workers) VALUES ($1, $2, $3)
		ON CONFLICT (network, day) DO UPDATE SET workers = excluded.workers WHERE worker_online.workers < excluded.workers`, string(n), day, workers)
	return err
}

// NoteLogin records that a worker of an account, with an NFT perhaps, was connected to
// a network on a day.
func (tx *Tx) NoteLogin(w atelier.Wallet, n atelier.Network, nft, day string) error {
	const insert = `INSERT INTO worker_login (kind, network, day, name) VALUES ($1, $2, $3, $4) ON CONFLICT (kind, network, day, name) DO NOTHING`
	if _, err := tx.Exec(insert, "wallet", string(n), day, string(w)); err != nil || nft == "" {
		return err
	}
	_, err := tx.Exec(insert, "nft", string(n), day, nft)
	return err
}

// Logins counts, by day, the accounts that had a worker connected to a network.
func (tx *Tx) Logins(n atelier.Network, b Between) (map[string]int64, error) {
	return tx.numbersByDay(`SELECT day, COUNT(*) FROM worker_login WHERE kind = 'wallet' AND network = $1 AND day >= $2 AND day <= $3 GROUP BY day`, string(n), b.From, b.To)
}

// ActiveNFTs counts, by day, the NFTs whose workers were connected. Those that are connected
// now count for today, although nothing may have been recorded of them yet.
func (tx *Tx) ActiveNFTs(b Between, today string) (map[string]int64, error) {
	return tx.numbersByDay(`SELECT day, COUNT(*) FROM (
			SELECT l.day, l.name FROM worker_login l WHERE l.kind = 'nft' AND l.network IN ('fast', 'relaxed') AND l.day >= $1 AND l.day <= $2
			UNION SELECT $3, n.id FROM worker w JOIN nft n ON n.id = w.nft_token_id AND n.wallet = w.wallet WHERE w.network IN ('fast', 'relaxed')
		) AS active WHERE day >= $1 AND day <= $2 GROUP BY day`, b.From, b.To, today)
}

// Online is, by day, the largest number of workers connected to a network, which is
// empty for all.
func (tx *Tx) Online(n atelier.Network, b Between) (map[string]int64, error) {
	return tx.numbersByDay(`SELECT day, workers FROM worker_online WHERE network = $1 AND day >= $2 AND day <= $3`, string(n), b.From, b.To)
}

func (tx *Tx) numbersByDay(sql string, args ...any) (map[string]int64, error) {
	out := map[string]int64{}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			day string
			n   int64
		)
		err := scan(&day, &n)
		out[day] = n
		return err
	}, sql, args...)
	return out, err
}

// SetLoaded records which models a worker has in its memory.
func (tx *Tx) SetLoaded(id atelier.WorkerID, loaded []string) error {
	text, err := wire.Marshal(loaded)
	if err != nil {
		return err
	}
	return tx.Must(`UPDATE worker SET loaded = $2, recent = CASE WHEN EXISTS (SELECT 1 FROM job j WHERE j.worker_id = worker.id AND j.state = 'leased')
		THEN recent ELSE '[]' END WHERE id = $1`, string(id), string(text))
}

// SetUnavailable records why a worker takes no jobs, or with an empty text that it takes
// them.
func (tx *Tx) SetUnavailable(id atelier.WorkerID, why string, at time.Time) error {
	return tx.Must(`UPDATE worker SET unavailable = $2, changed_at = $3 WHERE id = $1`, string(id), why, database.Millis(at))
}

// DrainWorker stops a worker from taking jobs, or lets it take them again.
func (tx *Tx) DrainWorker(id atelier.WorkerID, draining bool) error {
	return tx.Must(`UPDATE worker SET draining = $2 WHERE id = $1`, string(id), draining)
}

// DeleteWorker removes a worker and its offers. ErrNotFound means that it is gone.
func (tx *Tx) DeleteWorker(id atelier.WorkerID) error {
	return tx.Must(`DELETE FROM worker WHERE id = $1`, string(id))
}
