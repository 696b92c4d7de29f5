package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/node"
)

// earningsCommand groups the commands about what workers earn.
type earningsCommand struct {
	Close earningsClose `cmd:"" help:"Close the months that have ended: what workers earned in them is final and can be claimed. Servers do so too."`
	Claim earningsClaim `cmd:"" help:"Pay all unclaimed earnings of an account: svc into its balance, dollars outside the service."`
}

type earningsClose struct {
	installation
	JSON bool `help:"Print JSON." name:"json"`
}

// closedMonth is a row of the list of closed months.
type closedMonth struct {
	Month    string `json:"month"`
	Accounts int64  `json:"accounts"`
}

// Run closes months. Months that are closed stay as they are.
func (c *earningsClose) Run(ctx context.Context, t terminal) error {
	return c.withAdmin(ctx, func(o *node.Admin) error {
		months, err := o.Billing.CloseMonths(ctx)
		if err != nil {
			return err
		}
		list := []closedMonth{}
		for _, m := range months {
			list = append(list, closedMonth(m))
		}
		if c.JSON {
			return json.NewEncoder(t.out).Encode(list)
		}
		for _, m := range list {
			fmt.Fprintf(t.out, "closed %s: %d accounts earned\n", m.Month, m.Accounts)
		}
		if len(list) == 0 {
			fmt.Fprintln(t.out, "no month to close")
		}
		return nil
	})
}

type earningsClaim struct {
	installation
	Wallet text `arg:"" help:"Wallet address or username."`
	JSON   bool `help:"Print JSON." name:"json"`
}

// paidClaim is what a claim has paid.
type paidClaim struct {
	Wallet atelier.Wallet `json:"walletAddress"`
	Claim  string         `json:"claimId,omitempty"`
	Months []string       `json:"months"`
	USD    atelier.Money  `json:"usd"`
	Svc    atelier.Money  `json:"svc"`
}

// Run claims earnings. A second claim has nothing left to pay.
func (c *earningsClaim) Run(ctx context.Context, t terminal) error {
	return c.withAdmin(ctx, func(o *node.Admin) error {
		who, err := o.Accounts.Find(ctx, string(c.Wallet))
		if err != nil {
			return err
		}
		claimed, err := o.Billing.Claim(ctx, who.Wallet)
		if err != nil {
			return err
		}
		paid := paidClaim{who.Wallet, claimed.ID, claimed.Months, claimed.USD, claimed.Svc}
		switch {
		case c.JSON:
			return json.NewEncoder(t.out).Encode(paid)
		case len(paid.Months) == 0:
			_, err = fmt.Fprintf(t.out, "%s has nothing to claim\n", paid.Wallet)
		default:
			_, err = fmt.Fprintf(t.out, "%s claimed %s svc, which is in its balance, and %s USD, for %s (claim %s)\n",
				paid.Wallet, paid.Svc, paid.USD, strings.Join(paid.Months, ", "), paid.Claim)
		}
		return err
	})
}
