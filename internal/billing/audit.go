package billing

import (
	"context"
	"fmt"

	"github.com/atelier-project/atelier/internal/store"
)

// Audit recomputes every purse from the ledger and the holds and reports each
// difference in a sentence.
func (e *Engine) Audit(ctx context.Context) (purses int, differences []string, err error) {
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		return tx.Audit(func(s store.PurseSums) error {
			purses++
			who := fmt.Sprintf("%s %s", s.Wallet, s.Token)
			if s.Row != s.Ledger {
				differences = append(differences, fmt.Sprintf("%s: the purse says granted %s, spent %s, held %s; the ledger and the holds say %s, %s, %s",
					who, s.Row.Granted, s.Row.Spent, s.Row.Held, s.Ledger.Granted, s.Ledger.Spent, s.Ledger.Held))
			}
			if s.Row.Available() < 0 {
				differences = append(differences, fmt.Sprintf("%s: overdrawn by %s", who, -s.Row.Available()))
			}
			return nil
		})
	})
	return purses, differences, err
}
