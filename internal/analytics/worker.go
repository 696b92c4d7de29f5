package analytics

import (
	"context"
	"errors"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Subject is whose counters are read: an account's, the sum of some NFTs', or those of
// the whole network when it names neither.
type Subject struct {
	Address  string // wallet address, in any letter case
	Username string // instead of the address
	NFTs     []string
	Network  atelier.Network // empty for both
}

// checkCounters refuses a network beside NFTs: the counters of an NFT are those of both.
func (s Subject) checkCounters() error {
	if s.Network != "" && s.NFTs != nil {
		return atelier.Refuse("network", "cannot be used with an NFT.")
	}
	return nil
}

// filter finds the account of a subject.
func (s Subject) filter(tx *store.Tx, b store.Between) (store.WorkerFilter, error) {
	f := store.WorkerFilter{NFTs: s.NFTs, Network: s.Network, Between: b}
	switch {
	case s.Username != "" && s.NFTs != nil:
		return f, atelier.Refuse("username", "cannot be used with an NFT: send one of them.")
	case s.Address != "" && s.NFTs != nil:
		return f, atelier.Refuse("address", "cannot be used with an NFT: send one of them.")
	case s.Address != "" && s.Username != "":
		return f, atelier.Refuse("username", "cannot be used with address: send one of them.")
	case s.Username != "":
		a, err := tx.AccountByUsername(s.Username)
		f.Wallet = a.Wallet
		return f, missing(err, "username", s.Username)
	case s.Address != "":
		a, err := tx.Account(atelier.Wallet(s.Address))
		f.Wallet = a.Wallet
		return f, missing(err, "address", s.Address)
	}
	return f, nil
}

// missing names the parameter for which there is no account.
func missing(err error, field, value string) error {
	if errors.Is(err, store.ErrNotFound) {
		return atelier.Missing(field, value, "account")
	}
	return err
}

// sum adds up the counters of a subject.
func (s Subject) sum(tx *store.Tx, b store.Between) (total store.WorkerSums, err error) {
	if err := s.checkCounters(); err != nil {
		return total, err
	}
	f, err := s.filter(tx, b)
	if err != nil {
		return total, err
	}
	counts, err := tx.WorkerCounts(f)
	for _, c := range counts {
		total.Add(c)
	}
	return total, err
}

// Day reads counters of a UTC day, which is today when it is empty, and returns the day.
// The keys name counters; none are all.
func (e *Engine) Day(ctx context.Context, s Subject, date string, keys []string) (c Counters, day string, err error) {
	list, err := findEvents(keys)
	if err != nil {
		return nil, "", err
	}
	if day, err = e.day(date); err != nil {
		return nil, "", err
	}
	err = e.db.SnapshotBehind(ctx, func(tx *store.Tx) error {
		total, err := s.sum(tx, store.Between{From: day, To: day})
		c = makeCounters(list, total)
		return err
	})
	return c, day, err
}

// Lifetime reads counters of all days together.
func (e *Engine) Lifetime(ctx context.Context, s Subject, keys []string) (c Counters, err error) {
	list, err := findEvents(keys)
	if err != nil {
		return nil, err
	}
	err = e.db.SnapshotBehind(ctx, func(tx *store.Tx) error {
		total, err := s.sum(tx, store.Between{})
		c = makeCounters(list, total)
		return err
	})
	return c, err
}

// DayOfNFTs reads counters of a UTC day by NFT, and returns the day.
func (e *Engine) DayOfNFTs(ctx context.Context, nfts []string, date string, keys []string) (out map[string]Counters, day string, err error) {
	list, err := findEvents(keys)
	if err != nil {
		return nil, "", err
	}
	if day, err = e.day(date); err != nil {
		return nil, "", err
	}
	err = e.db.SnapshotBehind(ctx, func(tx *store.Tx) error {
		counts, err := tx.WorkerCounts(store.WorkerFilter{NFTs: nfts, Between: store.Between{From: day, To: day}})
		sums := map[string]store.WorkerSums{}
		for k, c := range counts {
			s := sums[k.NFT]
			s.Add(c)
			sums[k.NFT] = s
		}
		out = map[string]Counters{}
		for _, nft := range nfts {
			out[nft] = makeCounters(list, sums[nft])
		}
		return err
	})
	return out, day, err
}

// day checks a date; the empty one is today.
func (e *Engine) day(date string) (string, error) {
	if date == "" {
		return store.Day(e.now()), nil
	}
	if _, err := parseDay("date", date); err != nil {
		return "", err
	}
	return date, nil
}

func parseDay(field, date string) (time.Time, error) {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil || t.Year() < 2000 || t.Year() > 2200 {
		return t, atelier.Refuse(field, "must be a date such as 2026-12-31, not %q.", date)
	}
	return t, nil
}
