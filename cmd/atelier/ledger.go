package main

import (
	"context"
	"fmt"

	"github.com/atelier-project/atelier/internal/node"
)

// ledgerCommand groups the commands about the ledger.
type ledgerCommand struct {
	Verify ledgerVerify `cmd:"" help:"Recompute every balance from the ledger and report any difference."`
}

type ledgerVerify struct {
	place
}

// Run verifies the ledger. A difference is a failure.
func (l *ledgerVerify) Run(ctx context.Context, t terminal) error {
	return l.office(ctx, func(o *node.Office) error {
		purses, differences, err := o.Billing.Audit(ctx)
		if err != nil {
			return err
		}
		for _, d := range differences {
			fmt.Fprintln(t.out, d)
		}
		if len(differences) > 0 {
			return fmt.Errorf("%d differences in %d balances", len(differences), purses)
		}
		_, err = fmt.Fprintf(t.out, "%d balances agree with the ledger\n", purses)
		return err
	})
}
