package store

import (
	"slices"
	"strconv"

	"github.com/atelier-project/atelier"
)

// Between selects days: from one to another, both included. The zero value selects
// the lifetime.
type Between struct{ From, To string }

func (b Between) has(day string) bool { return b.From <= day && day <= b.To }

// WorkerFilter selects counters of workers: those of an account, of NFTs, or of the
// whole network when it names neither.
type WorkerFilter struct {
	Wallet  atelier.Wallet
	NFTs    []string
	Network atelier.Network // empty for all
	Between
}

func (f WorkerFilter) match(k WorkerKey) bool {
	switch {
	case f.Network != "" && f.Network != k.Network, !f.has(k.Day):
		return false
	case f.NFTs != nil:
		return k.NFT != "" && slices.Contains(f.NFTs, k.NFT)
	}
	return k.Wallet == f.Wallet
}

// where is the condition of a query, and its parameters.
func (f WorkerFilter) where() (string, []any) {
	args := []any{f.From, f.To}
	where := `day >= $1 AND day <= $2`
	if f.NFTs != nil {
		for _, nft := range f.NFTs {
			args = append(args, nft)
		}
		where += ` AND nft <> '' AND nft IN (` + marks(3, len(f.NFTs)) + `)`
	} else {
		where, args = where+` AND wallet = $3`, append(args, string(f.Wallet))
	}
	if f.Network != "" {
		args = append(args, string(f.Network))
		where += ` AND network = $` + strconv.Itoa(len(args))
	}
	return where, args
}

// WorkerCounts reads counters of workers, including what is not counted yet. The
// caller reads a snapshot.
func (tx *Tx) WorkerCounts(f WorkerFilter) (map[WorkerKey]WorkerSums, error) {
	out := map[WorkerKey]WorkerSums{}
	where, args := f.where()
	err := tx.rows(func(scan func(...any) error) error {
		var (
			k WorkerKey
			n [12]int64
			s WorkerSums
		)
		err := scan(append([]any{&k.Wallet, &k.Day, &k.Network, &k.NFT}, pointers(n[:])...)...)
		s.set(n[:])
		out[k] = s
		return err
	}, `SELECT `+workerKeys+`, `+workerSums+` FROM worker_count WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	pending, err := tx.pendingSums("")
	if err != nil {
		return nil, err
	}
	for k, s := range pending.workers {
		if f.match(k) {
			sum := out[k]
			sum.Add(s)
			out[k] = sum
		}
	}
	return out, nil
}

// WorkerUses reads the completed renders of workers by model, including what is not
// counted yet. The caller reads a snapshot.
func (tx *Tx) WorkerUses(f WorkerFilter) (map[UseKey]UseSums, error) {
	out := map[UseKey]UseSums{}
	where, args := f.where()
	err := tx.rows(func(scan func(...any) error) error {
		var (
			k UseKey
			s UseSums
		)
		err := scan(&k.Wallet, &k.Day, &k.Network, &k.NFT, &k.ModelID, &s.Jobs, &s.Spark)
		out[k] = s
		return err
	}, `SELECT `+useKeys+`, jobs, spark FROM worker_use WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	pending, err := tx.pendingSums("")
	if err != nil {
		return nil, err
	}
	for k, s := range pending.uses {
		if f.match(k.WorkerKey) {
			out[k] = UseSums{out[k].Jobs + s.Jobs, out[k].Spark + s.Spark}
		}
	}
	return out, nil
}

// RankUses reads how many renders of models the accounts have: of workers, or of
// those who asked for the renders. The caller reads a snapshot.
func (tx *Tx) RankUses(artists bool, n atelier.Network, day string, models []string) (map[string]map[atelier.Wallet]int64, error) {
	out := map[string]map[atelier.Wallet]int64{}
	add := func(model string, w atelier.Wallet, jobs int64) {
		if out[model] == nil {
			out[model] = map[atelier.Wallet]int64{}
		}
		out[model][w] += jobs
	}
	table := "worker_use"
	if artists {
		table = "usage_part"
	}
	args := []any{day, string(n)}
	for _, m := range models {
		args = append(args, m)
	}
	err := tx.rows(func(scan func(...any) error) error {
		var (
			model string
			w     atelier.Wallet
			jobs  int64
		)
		err := scan(&model, &w, &jobs)
		add(model, w, jobs)
		return err
	}, `SELECT model_id, wallet, CAST(SUM(jobs) AS BIGINT) FROM `+table+` WHERE day = $1 AND wallet <> '' AND network <> '' AND (network = $2 OR $2 = '')
		AND model_id IN (`+marks(3, len(models))+`) GROUP BY model_id, wallet`, args...)
	if err != nil {
		return nil, err
	}
	return out, tx.pendingWork("", func(w Work) error {
		of := w.Worker
		if artists {
			of = w.Wallet
		}
		if !w.Failed && of != "" && w.Network != "" && (n == "" || n == w.Network) && (day == Lifetime || day == Day(w.At)) && slices.Contains(models, w.ModelID) {
			add(w.ModelID, of, 1)
		}
		return nil
	})
}

// pendingSums adds up the records that are not counted yet.
func (tx *Tx) pendingSums(w atelier.Wallet) (*sums, error) {
	s := newSums()
	return s, tx.pendingWork(w, func(w Work) error {
		s.add(w)
		return nil
	})
}

func pointers(n []int64) []any {
	out := make([]any, len(n))
	for i := range n {
		out[i] = &n[i]
	}
	return out
}
