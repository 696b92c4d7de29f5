package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/node"
)

// accountCommand groups the commands about accounts. They work directly on the
// database and take effect at once on servers that run on it.
type accountCommand struct {
	Create accountCreate `cmd:"" help:"Create an account and its first API key."`
	Show   accountShow   `cmd:"" help:"Show balances, plan and flags."`
	Credit accountCredit `cmd:"" help:"Add balance."`
	Plan   accountPlan   `cmd:"" help:"Set the subscription."`
}

// office opens the database of an installation for one command.
func (p place) office(ctx context.Context, do func(*node.Office) error) error {
	c, err := p.load()
	if err != nil {
		return err
	}
	o, err := node.OpenOffice(ctx, c, nil)
	if err != nil {
		return err
	}
	defer o.Close()
	return do(o)
}

// amounts are the credit flags.
type amounts struct {
	Spark        atelier.Money `help:"Spark to add." placeholder:"N"`
	PremiumSpark atelier.Money `help:"Premium Spark to add." placeholder:"N"`
	Svc          atelier.Money `help:"svc tokens to add." placeholder:"N"`
}

func (a amounts) credits() billing.Credits {
	return billing.Credits{Spark: a.Spark, PremiumSpark: a.PremiumSpark, Svc: a.Svc}
}

// tiers are the plans by their names on the command line.
var tiers = map[string]atelier.PlanTier{
	"none": atelier.TierNone, "unlimited": atelier.TierUnlimited, "unlimited-pro": atelier.TierUnlimitedPro,
}

type accountCreate struct {
	place
	amounts
	Wallet     string `help:"Wallet address; one is made when omitted." placeholder:"W"`
	Username   string `help:"Username; one is made when omitted." placeholder:"U"`
	Plan       string `help:"none, unlimited or unlimited-pro." enum:"none,unlimited,unlimited-pro" default:"none"`
	Unfiltered bool   `help:"It may turn the content filter off."`
	Worker     bool   `help:"Its API keys may run workers."`
	JSON       bool   `help:"Print JSON."`
}

// Run creates the account.
func (a *accountCreate) Run(ctx context.Context, t terminal) error {
	return a.office(ctx, func(o *node.Office) error {
		opened, err := o.Open(ctx, account.NewAccount{
			Wallet: a.Wallet, Username: a.Username, Worker: a.Worker, Unfiltered: a.Unfiltered, Tier: tiers[a.Plan],
		}, a.credits())
		if err != nil {
			return err
		}
		if a.JSON {
			return printJSON(t.out, map[string]any{
				"walletAddress": opened.Account.Wallet, "username": opened.Account.Username, "apiKey": opened.Key,
			})
		}
		fmt.Fprintf(t.out, "wallet    %s\nusername  %s\nAPI key   %s   (shown only now)\n", opened.Account.Wallet, opened.Account.Username, opened.Key)
		return nil
	})
}

type accountShow struct {
	place
	Wallet string `arg:"" help:"Wallet address."`
	JSON   bool   `help:"Print JSON."`
}

// shown is what account show prints.
type shown struct {
	Wallet       atelier.Wallet             `json:"walletAddress"`
	Username     string                     `json:"username"`
	Worker       bool                       `json:"worker"`
	Unfiltered   bool                       `json:"unfiltered"`
	Spark        atelier.Money              `json:"spark"`
	PremiumSpark atelier.Money              `json:"premiumSpark"`
	Svc          atelier.Money              `json:"svc"`
	Plan         atelier.PlanTier           `json:"plan"`
	Status       atelier.SubscriptionStatus `json:"status"`
	Active       bool                       `json:"active"`
	PeriodEnd    *time.Time                 `json:"periodEnd,omitempty"`
	CreatedAt    time.Time                  `json:"createdAt"`
}

// Run shows the account.
func (a *accountShow) Run(ctx context.Context, t terminal) error {
	return a.office(ctx, func(o *node.Office) error {
		found, err := o.Accounts.Find(ctx, a.Wallet)
		if err != nil {
			return err
		}
		balance, err := o.Billing.Balance(ctx, found.Wallet)
		if err != nil {
			return err
		}
		plan, err := o.Accounts.Subscription(ctx, found.Wallet)
		if err != nil {
			return err
		}
		s := shown{
			Wallet: found.Wallet, Username: found.Username, Worker: found.Worker, Unfiltered: found.Unfiltered,
			Spark: balance.Spark.Net, PremiumSpark: balance.Spark.PremiumCredit, Svc: balance.Svc.Net,
			Plan: plan.Tier, Status: plan.Status, Active: plan.Active(), CreatedAt: found.CreatedAt,
		}
		if s.Plan == atelier.TierNone {
			s.Plan = "none"
		} else {
			s.PeriodEnd = &plan.PeriodEnd
		}
		if a.JSON {
			return printJSON(t.out, s)
		}
		s.print(t.out)
		return nil
	})
}

func (s shown) print(out io.Writer) {
	fmt.Fprintf(out, "wallet      %s\nusername    %s\nspark       %s, of which premium %s\nsvc         %s\nplan        %s, %s",
		s.Wallet, s.Username, s.Spark, s.PremiumSpark, s.Svc, s.Plan, s.Status)
	if s.PeriodEnd != nil {
		fmt.Fprintf(out, " until %s", s.PeriodEnd.Format(time.RFC3339))
	}
	fmt.Fprintf(out, "\nworker      %v\nunfiltered  %v\ncreated     %s\n", s.Worker, s.Unfiltered, s.CreatedAt.Format(time.RFC3339))
}

type accountCredit struct {
	place
	amounts
	Wallet string `arg:"" help:"Wallet address."`
}

// Run books the credits.
func (a *accountCredit) Run(ctx context.Context, t terminal) error {
	return a.office(ctx, func(o *node.Office) error {
		if a.credits() == (billing.Credits{}) {
			return fmt.Errorf("say what to add: --spark, --premium-spark or --svc")
		}
		found, err := o.Accounts.Find(ctx, a.Wallet)
		if err != nil {
			return err
		}
		if err := o.Billing.Credit(ctx, found.Wallet, a.credits()); err != nil {
			return err
		}
		balance, err := o.Billing.Balance(ctx, found.Wallet)
		if err != nil {
			return err
		}
		fmt.Fprintf(t.out, "spark %s, of which premium %s; svc %s\n", balance.Spark.Net, balance.Spark.PremiumCredit, balance.Svc.Net)
		return nil
	})
}

type accountPlan struct {
	place
	Wallet    string `arg:"" help:"Wallet address."`
	Plan      string `help:"none, unlimited or unlimited-pro." enum:"none,unlimited,unlimited-pro" required:""`
	Status    string `help:"Any status of a subscription; default active." placeholder:"S"`
	PeriodEnd string `help:"When the period ends, as RFC 3339; without it an active plan renews every month." placeholder:"TIME"`
}

// Run sets the plan.
func (a *accountPlan) Run(ctx context.Context, t terminal) error {
	status := atelier.SubscriptionStatus(a.Status)
	switch {
	case a.Status == "" && a.Plan == "none":
		status = atelier.SubscriptionNone
	case a.Status == "":
		status = atelier.SubscriptionActive
	case !slices.Contains(atelier.SubscriptionStatuses, status):
		return fmt.Errorf("--status: must be one of %v", atelier.SubscriptionStatuses)
	}
	var end time.Time
	if a.PeriodEnd != "" {
		var err error
		if end, err = time.Parse(time.RFC3339, a.PeriodEnd); err != nil {
			return fmt.Errorf("--period-end: %q is not a time such as 2026-12-31T00:00:00Z", a.PeriodEnd)
		}
	}
	return a.office(ctx, func(o *node.Office) error {
		found, err := o.Accounts.Find(ctx, a.Wallet)
		if err != nil {
			return err
		}
		if err := o.Accounts.SetPlan(ctx, found, tiers[a.Plan], status, end.UTC()); err != nil {
			return err
		}
		plan, err := o.Accounts.Subscription(ctx, found.Wallet)
		if err != nil {
			return err
		}
		fmt.Fprintf(t.out, "%s: plan %s, %s\n", found.Wallet, a.Plan, plan.Status)
		return nil
	})
}

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
