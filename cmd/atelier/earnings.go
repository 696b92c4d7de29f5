package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/node"
)

// earningsCommand groups the commands about what workers earn.
type earningsCommand struct {
	Close  earningsClose  `cmd:"" help:"Close the months that have ended: what workers earned in them is final and can be claimed. Servers do so too, a day after the end."`
	Claim  earningsClaim  `cmd:"" help:"Claim all unclaimed earnings of an account: svc goes into its balance, dollars are paid outside the service. A claim that is large or odd waits."`
	Claims earningsClaims `cmd:"" help:"List the claims that wait for an operator, with who asked for the renders and how long they took."`
	Pay    earningsPay    `cmd:"" help:"Pay a claim that waits."`
	Refuse earningsRefuse `cmd:"" help:"Refuse a claim that waits. It is never paid."`
}

type earningsClose struct {
	installation
	Force bool `help:"Close a month that has just ended, without waiting for a day."`
	JSON  bool `help:"Print JSON." name:"json"`
}

// earningOptions open a database with the terms of pay.
var earningOptions = node.AdminOptions{Existing: true, Earnings: true}

// closedMonth is a row of the list of closed months.
type closedMonth struct {
	Month    string `json:"month"`
	Accounts int64  `json:"accounts"`
}

// Run closes months. Months that are closed stay as they are.
func (c *earningsClose) Run(ctx context.Context, t terminal) error {
	return c.openAdmin(ctx, earningOptions, func(o *node.Admin) error {
		months, err := o.Billing.CloseMonths(ctx, c.Force)
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
	operated
	Wallet  text `arg:"" help:"Wallet address or username."`
	Approve bool `help:"Pay it although it is large or odd."`
	reasoned
	JSON bool `help:"Print JSON." name:"json"`
}

// Run claims earnings. A second claim has nothing left to pay.
func (c *earningsClaim) Run(ctx context.Context, t terminal) error {
	return c.operateWith(ctx, earningOptions, func(o operations) error {
		claim, err := o.Claim(ctx, string(c.Wallet), c.Approve, c.reason())
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(t.out).Encode(apitype.ClaimReply{Claim: claim})
		}
		if claim == nil {
			_, err = fmt.Fprintf(t.out, "%s has nothing to claim\n", c.Wallet)
			return err
		}
		return printClaim(t.out, *claim)
	})
}

type earningsClaims struct {
	operated
	JSON bool `help:"Print JSON." name:"json"`
}

// Run lists the claims that wait.
func (c *earningsClaims) Run(ctx context.Context, t terminal) error {
	return c.operateWith(ctx, earningOptions, func(o operations) error {
		list, err := readAll(func(p apitype.Page) ([]apitype.Claim, *string, error) {
			part, err := o.Claims(ctx, p)
			return part.Claims, part.NextCursor, err
		})
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(t.out).Encode(apitype.Claims{Claims: list})
		}
		if len(list) == 0 {
			_, err = fmt.Fprintln(t.out, "no claim waits")
			return err
		}
		for _, claim := range list {
			if err := printClaim(t.out, claim); err != nil {
				return err
			}
		}
		return nil
	})
}

// decideClaim are the arguments of a decision about a claim.
type decideClaim struct {
	operated
	Claim string `arg:"" help:"The id of the claim, as atelier earnings claims shows it."`
	reasoned
	JSON bool `help:"Print JSON." name:"json"`
}

func (d decideClaim) decide(ctx context.Context, t terminal, pay bool) error {
	return d.operateWith(ctx, earningOptions, func(o operations) error {
		claim, err := o.DecideClaim(ctx, d.Claim, pay, d.reason())
		if err != nil {
			return err
		}
		if d.JSON {
			return json.NewEncoder(t.out).Encode(apitype.ClaimReply{Claim: &claim})
		}
		return printClaim(t.out, claim)
	})
}

type earningsPay struct{ decideClaim }

// Run pays a claim.
func (p *earningsPay) Run(ctx context.Context, t terminal) error { return p.decide(ctx, t, true) }

type earningsRefuse struct{ decideClaim }

// Run refuses a claim.
func (r *earningsRefuse) Run(ctx context.Context, t terminal) error { return r.decide(ctx, t, false) }

// printClaim prints a claim and, while it waits, what an operator should know.
func printClaim(out io.Writer, c apitype.Claim) error {
	what := map[string]string{"paid": "was paid", "waiting": "waits for an operator:", "refused": "was refused"}[c.Status]
	fmt.Fprintf(out, "claim %s of %s %s %s svc (into its balance) and %s USD (outside the service) for %s\n",
		c.ClaimID, nameOf(c.Username, string(c.WalletAddress)), what, c.Svc, c.USD, strings.Join(c.Months, ", "))
	if c.Status != "waiting" {
		return nil
	}
	for _, reason := range c.Reasons {
		fmt.Fprintf(out, "  %s\n", reason)
	}
	table := columns(out)
	fmt.Fprintln(table, "  ASKED BY\tJOBS\tSHARE\tUSD AT MOST\tSVC")
	for _, r := range c.Requesters {
		fmt.Fprintf(table, "  %s\t%d\t%.1f %%\t%s\t%s\n", nameOf(r.Username, string(r.WalletAddress)), r.Jobs, r.SharePct, r.USD, r.Svc)
	}
	fmt.Fprintln(table, "  MODEL\tJOBS\tSECONDS/SPARK\tUSUAL\tSPARK")
	for _, m := range c.Models {
		usual := "-"
		if m.UsualSecondsPerSpark != nil {
			usual = fmt.Sprintf("%.2f", *m.UsualSecondsPerSpark)
		}
		fmt.Fprintf(table, "  %s\t%d\t%.2f\t%s\t%s\n", m.ModelID, m.Jobs, m.SecondsPerSpark, usual, m.Spark)
	}
	return table.Flush()
}

// nameOf is how an account is shown: by its username, if it has one.
func nameOf(username, wallet string) string { return cmp.Or(username, wallet) }
