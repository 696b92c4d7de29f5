package admission

import (
	"math"
	"sync"

	"github.com/atelier-project/atelier"
)

// Places bound what a process works on at once, altogether and for each account. What large work leaves is for
// small work. The last that is admitted may exceed a bound, so that nothing is too large for ever.
type Places[ID comparable] struct {
	bounds Bounds

	mu        sync.Mutex
	taken     map[ID]place
	isRefused bool // there was no place since one was freed
}

// Bounds are those of Places.
type Bounds struct {
	All, Large, Account Load
	Small               int64 // the bytes that small work has at most
}

// Load is an amount of work.
type Load struct {
	Count int
	Bytes int64
}

type place struct {
	account atelier.Wallet
	bytes   int64
}

// NewPlaces makes places that are all free.
func NewPlaces[ID comparable](b Bounds) *Places[ID] {
	return &Places[ID]{bounds: b, taken: map[ID]place{}}
}

func (l *Load) add(bytes int64) { l.Count, l.Bytes = l.Count+1, l.Bytes+bytes }

func (l Load) isFull(most Load) bool { return l.Count >= most.Count || l.Bytes >= most.Bytes }

// loads adds up what has a place: of each account, what is large, and all.
func (p *Places[ID]) loads() (byAccount map[atelier.Wallet]Load, large, all Load) {
	byAccount = map[atelier.Wallet]Load{}
	for _, t := range p.taken {
		of := byAccount[t.account]
		of.add(t.bytes)
		byAccount[t.account] = of
		all.add(t.bytes)
		if t.bytes > p.bounds.Small {
			large.add(t.bytes)
		}
	}
	return byAccount, large, all
}

// Full lists the accounts that have as many places as they may, and returns how many bytes further work may have
// at most: 0 when there is no place for any, which counts as a refusal.
func (p *Places[ID]) Full() (accounts []atelier.Wallet, most int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	byAccount, large, all := p.loads()
	for account, l := range byAccount {
		if l.isFull(p.bounds.Account) {
			accounts = append(accounts, account)
		}
	}
	switch {
	case all.isFull(p.bounds.All):
		p.isRefused = true
		return accounts, 0
	case large.isFull(p.bounds.Large):
		return accounts, p.bounds.Small
	}
	return accounts, math.MaxInt64
}

// Take takes a place for work of an account. It reports false when all places are taken.
func (p *Places[ID]) Take(account atelier.Wallet, id ID, bytes int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	byAccount, large, all := p.loads()
	if _, has := p.taken[id]; has || all.isFull(p.bounds.All) || byAccount[account].isFull(p.bounds.Account) || bytes > p.bounds.Small && large.isFull(p.bounds.Large) {
		p.isRefused = true
		return false
	}
	p.taken[id] = place{account, bytes}
	return true
}

// Has reports whether work has a place. If so, the caller counts as refused: its work may come again.
func (p *Places[ID]) Has(id ID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, has := p.taken[id]
	p.isRefused = p.isRefused || has
	return has
}

// IsLarge reports whether work has a place among the large ones.
func (p *Places[ID]) IsLarge(id ID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken[id].bytes > p.bounds.Small
}

// IDs lists what has a place.
func (p *Places[ID]) IDs() []ID {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids := make([]ID, 0, len(p.taken))
	for id := range p.taken {
		ids = append(ids, id)
	}
	return ids
}

// Shrink gives the bytes of work back that only waits, but for those that it keeps. It reports whether other work
// found no place since one was freed.
func (p *Places[ID]) Shrink(id ID, kept int64) (isWanted bool) {
	return p.free(func() { p.taken[id] = place{p.taken[id].account, kept} })
}

// Free gives a place back. It reports whether other work found none since one was freed.
func (p *Places[ID]) Free(id ID) (isWanted bool) {
	return p.free(func() { delete(p.taken, id) })
}

func (p *Places[ID]) free(change func()) (isWanted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	isWanted, p.isRefused = p.isRefused, false
	return isWanted
}
