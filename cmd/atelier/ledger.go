package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/node"
)

// ledgerCommand groups the commands about the ledger.
type ledgerCommand struct {
	Verify ledgerVerify `cmd:"" help:"Recompute every balance, usage row and counter from the ledger, the records of work and the jobs, and report any difference."`
	Usage  ledgerUsage  `cmd:"" help:"Add up what was spent, by account, application and kind of work."`
}

type ledgerVerify struct {
	installation
	printing
}

// verified is what ledger verify prints.
type verified struct {
	Balances    int      `json:"balances"`
	Counters    int      `json:"counters"`
	Records     int      `json:"records"`
	Differences []string `json:"differences"`
}

// Run verifies the ledger. A difference is a failure.
func (l *ledgerVerify) Run(ctx context.Context, t terminal) error {
	return l.withAdmin(ctx, func(o *node.Admin) error {
		n, differences, err := o.Billing.Audit(ctx)
		if err != nil {
			return err
		}
		if l.JSON {
			found := verified{n.Purses, n.Counters, n.Records, append([]string{}, differences...)}
			if err := printJSON(t.out, found); err != nil || len(differences) == 0 {
				return err
			}
		}
		for _, d := range differences {
			if !l.JSON {
				fmt.Fprintln(t.out, d)
			}
		}
		if len(differences) > 0 {
			return fmt.Errorf("%d differences in %d balances and %d counters", len(differences), n.Purses, n.Counters)
		}
		_, err = fmt.Fprintf(t.out, "%d balances agree with the ledger\n%d counters agree with %d records of work\n", n.Purses, n.Counters, n.Records)
		return err
	})
}

type ledgerUsage struct {
	installation
	Wallet text   `arg:"" optional:"" help:"Wallet address or username. All accounts when omitted."`
	Since  moment `help:"Only what was spent at this time, as RFC 3339, or later." placeholder:"TIME"`
	JSON   bool   `help:"Print JSON." name:"json"`
}

// usageSum is a row of the list of sums.
type usageSum struct {
	Wallet  atelier.Wallet   `json:"walletAddress"`
	App     string           `json:"appSource"`
	Kind    billing.WorkKind `json:"kind"`
	Token   atelier.Token    `json:"token"`
	Charges int64            `json:"charges"`
	Spent   atelier.Money    `json:"spent"`
}

// Run lists the sums.
func (l *ledgerUsage) Run(ctx context.Context, t terminal) error {
	return l.withAdmin(ctx, func(o *node.Admin) error {
		var who atelier.Account
		if l.Wallet != "" {
			var err error
			if who, err = o.Accounts.Find(ctx, string(l.Wallet)); err != nil {
				return err
			}
		}
		sums, err := o.Billing.Usage(ctx, who.Wallet, time.Time(l.Since))
		if err != nil {
			return err
		}
		list := []usageSum{}
		for _, s := range sums {
			list = append(list, usageSum(s))
		}
		if l.JSON {
			return json.NewEncoder(t.out).Encode(list)
		}
		table := columns(t.out)
		fmt.Fprintln(table, "WALLET\tAPP\tKIND\tTOKEN\tCHARGES\tSPENT")
		for _, s := range list {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\n", s.Wallet, appName(s.App), s.Kind, s.Token, s.Charges, s.Spent)
		}
		return table.Flush()
	})
}

// appName is the name of an application in a table. Callers choose it: a name with control
// characters is quoted.
func appName(app string) string {
	switch {
	case app == "":
		return "-"
	case app == "-" || strings.ContainsFunc(app, func(r rune) bool { return !unicode.IsPrint(r) }):
		return strconv.Quote(app)
	}
	return app
}
