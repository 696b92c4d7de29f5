package store

import (
	"maps"
	"slices"
	"strconv"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
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

// padded is a list of values for IN, whose length is a power of two: statements are
// cached by their text, and callers choose how many values they send.
func padded(list []string) (out []any) {
	for i := 0; i < len(list) || i&(i-1) != 0; i++ {
		out = append(out, list[min(i, len(list)-1)])
	}
	return out
}

// where is the condition of a query, and its parameters.
func (f WorkerFilter) where() (string, []any) {
	args := []any{f.From, f.To}
	where := `day >= $1 AND day <= $2`
	if f.NFTs != nil {
		list := padded(f.NFTs)
		where, args = where+` AND nft <> '' AND nft IN (`+database.Marks(3, len(list))+`)`, append(args, list...)
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
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			k WorkerKey
			n [10]int64
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
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			k UseKey
			s UseSums
		)
		var ms int64
		err := scan(&k.Wallet, &k.Day, &k.Network, &k.NFT, &k.ModelID, &s.Jobs, &s.Spark, &ms)
		s.Work = duration(ms)
		out[k] = s
		return err
	}, `SELECT `+useKeys+`, `+useSums+` FROM worker_use WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	pending, err := tx.pendingSums("")
	if err != nil {
		return nil, err
	}
	for k, s := range pending.uses {
		if f.match(k.WorkerKey) {
			sum := out[k]
			sum.Add(s)
			out[k] = sum
		}
	}
	return out, nil
}

// Ranked is who is ranked by renders.
type Ranked int

// Who is ranked.
const (
	RankedWorkers Ranked = iota // accounts, by the renders of their workers
	RankedArtists               // accounts, by the renders that they asked for
	RankedNFTs
)

// source is the table and the column of those who are ranked.
func (r Ranked) source() (table, column string) {
	switch r {
	case RankedArtists:
		return "usage_part", "wallet"
	case RankedNFTs:
		return "worker_use", "nft"
	}
	return "worker_use", "wallet"
}

// name is who is ranked by a record; it is empty when no one is.
func (r Ranked) name(w Work) string {
	switch r {
	case RankedArtists:
		return string(w.Wallet)
	case RankedNFTs:
		return w.NFT
	}
	return string(w.Worker)
}

// RankUses ranks numbers of renders, by model, among those of others on a day or over
// the lifetime: 1 when none has more. The caller reads a snapshot.
func (tx *Tx) RankUses(who Ranked, n atelier.Network, day string, jobs map[string]int64) (map[string]int, error) {
	type key struct{ model, name string }
	pending := map[key]int64{}
	err := tx.pendingWork("", func(w Work) error {
		_, wanted := jobs[w.ModelID]
		k := key{w.ModelID, who.name(w)}
		if wanted && !w.Failed && k.name != "" && w.Network.HasWorkers() && (n == "" || n == w.Network) && (day == Lifetime || day == Day(w.At)) {
			pending[k]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ranks := map[string]int{}
	for model := range jobs {
		ranks[model] = 1
	}
	models := padded(slices.Collect(maps.Keys(jobs)))
	compare := func(k key, other int64) {
		if other > jobs[k.model] {
			ranks[k.model]++
		}
	}
	table, column := who.source()
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			k     key
			other int64
		)
		err := scan(&k.model, &k.name, &other)
		compare(k, other+pending[k])
		delete(pending, k)
		return err
	}, `SELECT model_id, `+column+`, CAST(SUM(jobs) AS BIGINT) FROM `+table+` WHERE day = $1 AND `+column+` <> '' AND network IN ('fast', 'relaxed') AND (network = $2 OR $2 = '')
		AND model_id IN (`+database.Marks(3, len(models))+`) GROUP BY model_id, `+column, append([]any{day, string(n)}, models...)...)
	for k, other := range pending {
		compare(k, other)
	}
	return ranks, err
}

// pendingSums adds up the records that are not counted yet.
func (tx *Tx) pendingSums(w atelier.Wallet) (*sums, error) {
	closed, err := tx.closedSet()
	if err != nil {
		return nil, err
	}
	s := newSums(closed)
	return s, tx.pendingWork(w, s.add)
}

func pointers(n []int64) []any {
	out := make([]any, len(n))
	for i := range n {
		out[i] = &n[i]
	}
	return out
}
