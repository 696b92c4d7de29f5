package billing

import (
	"context"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Audited is how much an audit has compared.
type Audited struct {
	Purses   int
	Records  int // of ended work
	Counters int
}

// Audit recomputes every purse from the ledger and the holds, and every usage row and
// counter from the records of ended work, which it compares with the ledger and the jobs. It
// reports each difference in a sentence.
func (e *Engine) Audit(ctx context.Context) (n Audited, differences []string, err error) {
	err = e.db.Snapshot(ctx, func(tx *store.Tx) (err error) {
		n.Records, n.Counters, err = tx.AuditCounters(func(text string) { differences = append(differences, text) })
		if err != nil {
			return err
		}
		return tx.Audit(func(s store.PurseSums) error {
			n.Purses++
			who := fmt.Sprintf("%s %s", s.Wallet, s.Token)
			if s.Token == atelier.TokenPlan {
				s.Ledger.Granted = s.Row.Granted // what it ever held, of which the ledger knows nothing
			}
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
	return n, differences, err
}
