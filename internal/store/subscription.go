package store

import (
	"github.com/atelier-project/atelier"
)

// PutSubscription stores the subscription of an account.
func (tx *Tx) PutSubscription(w atelier.Wallet, s atelier.Subscription) error {
	_, err := tx.exec(`INSERT INTO subscription
		(wallet, tier, term, provider, status, since, period_start, period_end, renews, canceled)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (wallet) DO UPDATE SET tier = $2, term = $3, provider = $4, status = $5, since = $6,
		period_start = $7, period_end = $8, renews = $9, canceled = $10`,
		string(w), string(s.Tier), s.Term, s.Provider, string(s.Status),
		millis(s.Since), millis(s.PeriodStart), millis(s.PeriodEnd), s.Renews, s.Canceled)
	return err
}

// Subscription returns the subscription that was stored last for an account; zero
// when there is none.
func (tx *Tx) Subscription(w atelier.Wallet) (s atelier.Subscription, err error) {
	found, err := tx.SubscriptionsOf([]atelier.Wallet{w})
	if s, ok := found[w]; ok || err != nil {
		return s, err
	}
	return atelier.Subscription{Status: atelier.SubscriptionNone}, nil
}

// SubscriptionsOf returns the subscriptions that were stored last for several accounts,
// by wallet. An account that never had one has no entry.
func (tx *Tx) SubscriptionsOf(wallets []atelier.Wallet) (map[atelier.Wallet]atelier.Subscription, error) {
	out := map[atelier.Wallet]atelier.Subscription{}
	err := tx.rows(func(scan func(...any) error) error {
		var (
			w                 atelier.Wallet
			s                 atelier.Subscription
			since, start, end int64
		)
		err := scan(&w, &s.Tier, &s.Term, &s.Provider, &s.Status, &since, &start, &end, &s.Renews, &s.Canceled)
		s.Since, s.PeriodStart, s.PeriodEnd = fromMillis(since), fromMillis(start), fromMillis(end)
		out[w] = s
		return err
	}, `SELECT wallet, tier, term, provider, status, since, period_start, period_end, renews, canceled
		FROM subscription WHERE wallet IN (`+marks(1, len(wallets))+`)`, texts(wallets)...)
	return out, err
}
