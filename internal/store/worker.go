package store

import (
	"time"

	"github.com/atelier-project/atelier"
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
	_, err = tx.exec(`INSERT INTO worker (id, wallet, name, network, models, loaded, capacity, fallback, nft_token_id, version, gpu, draining, created_at, seen_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		string(w.ID), string(w.Wallet), w.Name, string(w.Network), string(models), string(loaded), w.Capacity, w.Fallback, w.NFTTokenID, w.Version, w.GPU,
		w.Draining, millis(w.CreatedAt), millis(w.SeenAt))
	if err != nil {
		return err
	}
	return tx.InsertOffers(w)
}

func (tx *Tx) workers(where string, args ...any) (out []atelier.Worker, err error) {
	err = tx.rows(func(scan func(...any) error) error {
		var (
			w              atelier.Worker
			models, loaded string
			created, seen  int64
		)
		if err := scan(&w.ID, &w.Wallet, &w.Name, &w.Network, &models, &loaded, &w.Capacity, &w.Fallback, &w.NFTTokenID, &w.Version, &w.GPU,
			&w.Draining, &created, &seen); err != nil {
			return err
		}
		if err := wire.Unmarshal([]byte(models), &w.Models); err != nil {
			return err
		}
		if err := wire.Unmarshal([]byte(loaded), &w.Loaded); err != nil {
			return err
		}
		w.CreatedAt, w.SeenAt = fromMillis(created), fromMillis(seen)
		out = append(out, w)
		return nil
	}, `SELECT id, wallet, name, network, models, loaded, capacity, fallback, nft_token_id, version, gpu, draining, created_at, seen_at FROM worker `+where, args...)
	return out, err
}

// Worker finds a wallet's worker.
func (tx *Tx) Worker(w atelier.Wallet, id atelier.WorkerID) (atelier.Worker, error) {
	found, err := tx.workers(`WHERE wallet = $1 AND id = $2`, string(w), string(id))
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
	err = tx.row(`SELECT COUNT(*) FROM worker WHERE wallet = $1 AND seen_at >= $2`, string(w), millis(since)).scan(&n)
	return n, err
}

// FreeCapacity is how many more jobs a worker can take. It locks the worker, so that
// its other claims wait until the transaction ends. ErrNotFound means that the
// worker drains or its account is suspended; its claims may still be waiting.
func (tx *Tx) FreeCapacity(id atelier.WorkerID) (int, error) {
	var capacity int
	if err := tx.row(`SELECT w.capacity FROM worker w WHERE w.id = $1 AND NOT w.draining
		AND (SELECT a.suspended_at FROM account a WHERE a.wallet = w.wallet) = 0`+tx.dialect.forUpdate, string(id)).scan(&capacity); err != nil {
		return 0, err
	}
	held, err := tx.CountLeasedBy(id)
	return capacity - held, err
}

// Workers lists the workers seen since a time.
func (tx *Tx) Workers(since time.Time) ([]atelier.Worker, error) {
	return tx.workers(`WHERE seen_at >= $1 ORDER BY id`, millis(since))
}

// SilentWorkers lists the workers not seen since a time.
func (tx *Tx) SilentWorkers(since time.Time) ([]atelier.Worker, error) {
	return tx.workers(`WHERE seen_at < $1 ORDER BY id`, millis(since))
}

// SeeWorker records when a worker was last seen.
func (tx *Tx) SeeWorker(id atelier.WorkerID, at time.Time) error {
	_, err := tx.exec(`UPDATE worker SET seen_at = $2 WHERE id = $1 AND seen_at < $2`, string(id), millis(at))
	return err
}

// SetLoaded records which models a worker has in its memory.
func (tx *Tx) SetLoaded(id atelier.WorkerID, loaded []string) error {
	text, err := wire.Marshal(loaded)
	if err != nil {
		return err
	}
	return tx.must(`UPDATE worker SET loaded = $2 WHERE id = $1`, string(id), string(text))
}

// DrainWorker stops a worker from taking jobs, or lets it take them again.
func (tx *Tx) DrainWorker(id atelier.WorkerID, draining bool) error {
	return tx.must(`UPDATE worker SET draining = $2 WHERE id = $1`, string(id), draining)
}

// DeleteWorker removes a worker and its offers. ErrNotFound means that it is gone.
func (tx *Tx) DeleteWorker(id atelier.WorkerID) error {
	return tx.must(`DELETE FROM worker WHERE id = $1`, string(id))
}

// Counter is an amount to add to a counter.
type Counter struct {
	Name  string
	Value int64
}

// Count adds to counters of a worker on a UTC day, in one statement. A counter at
// the largest integer stays there: a settlement must not fail because of it.
func (tx *Tx) Count(day string, w atelier.Wallet, n atelier.Network, nft string, counters ...Counter) error {
	if len(counters) == 0 {
		return nil
	}
	rows, args := "", []any{day, string(w), string(n), nft}
	for _, c := range counters {
		rows += ", ($1, $2, $3, $4, " + marks(len(args)+1, 2) + ")"
		args = append(args, c.Name, c.Value)
	}
	_, err := tx.exec(`INSERT INTO counter_day (day, wallet, network, nft, name, value) VALUES `+rows[len(", "):]+`
		ON CONFLICT (day, wallet, network, nft, name) DO UPDATE SET value = CASE
		WHEN counter_day.value > 9223372036854775807 - excluded.value THEN 9223372036854775807 ELSE counter_day.value + excluded.value END`, args...)
	return err
}
