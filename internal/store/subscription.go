package store

import (
	"errors"

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
	var since, start, end int64
	err = tx.row(`SELECT tier, term, provider, status, since, period_start, period_end, renews, canceled
		FROM subscription WHERE wallet = $1`, string(w)).
		scan(&s.Tier, &s.Term, &s.Provider, &s.Status, &since, &start, &end, &s.Renews, &s.Canceled)
	if errors.Is(err, ErrNotFound) {
		return atelier.Subscription{Status: atelier.SubscriptionNone}, nil
	}
	s.Since, s.PeriodStart, s.PeriodEnd = fromMillis(since), fromMillis(start), fromMillis(end)
	return s, err
}
