package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	o, err := node.OpenOffice(ctx, c, node.OfficeOptions{})
	if err != nil {
		return err
	}
	defer o.Close()
	return do(o)
}

// amounts are the credit flags.
type amounts struct {
	Spark        amount `help:"Spark to add." placeholder:"N"`
	PremiumSpark amount `help:"Premium Spark to add." placeholder:"N"`
	Svc          amount `help:"svc tokens to add." placeholder:"N"`
}

func (a amounts) credits() billing.Credits {
	return billing.Credits{Spark: atelier.Money(a.Spark), PremiumSpark: atelier.Money(a.PremiumSpark), Svc: atelier.Money(a.Svc)}
}

// tiers are the plans by their names on the command line.
var tiers = map[string]atelier.PlanTier{
	"none": atelier.TierNone, "unlimited": atelier.TierUnlimited, "unlimited-pro": atelier.TierUnlimitedPro,
}

func planName(tier atelier.PlanTier) string {
	for name, t := range tiers {
		if t == tier {
			return name
		}
	}
	return string(tier)
}

type accountCreate struct {
	place
	Wallet   text `help:"Wallet address. One is made when omitted." placeholder:"W"`
	Username text `help:"Username. One is made when omitted." placeholder:"U"`
	amounts
	Plan       string `help:"Active plan: none, unlimited or unlimited-pro." enum:"none,unlimited,unlimited-pro" default:"none" placeholder:"none"`
	Unfiltered bool   `help:"The account may turn the content filter off."`
	Worker     bool   `help:"Its API keys may run workers."`
	JSON       bool   `help:"Print JSON."`
}

// created is what account create prints.
type created struct {
	Wallet   atelier.Wallet `json:"walletAddress"`
	Username string         `json:"username"`
	Key      string         `json:"apiKey"`
}

// Run creates the account.
func (a *accountCreate) Run(ctx context.Context, t terminal) error {
	return a.office(ctx, func(o *node.Office) error {
		opened, err := o.Open(ctx, account.NewAccount{
			Wallet: string(a.Wallet), Username: string(a.Username), Worker: a.Worker, Unfiltered: a.Unfiltered, Tier: tiers[a.Plan],
		}, a.credits())
		if err != nil {
			return err
		}
		if a.JSON {
			return printJSON(t.out, created{opened.Account.Wallet, opened.Account.Username, opened.Key})
		}
		_, err = fmt.Fprintf(t.out, "wallet    %s\nusername  %s\nAPI key   %s   (shown only now)\n", opened.Account.Wallet, opened.Account.Username, opened.Key)
		return err
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
	Plan         string                     `json:"plan"`
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
			Plan: planName(plan.Tier), Status: plan.Status, Active: plan.Active(), CreatedAt: found.CreatedAt,
		}
		if plan.Tier != atelier.TierNone {
			s.PeriodEnd = &plan.PeriodEnd
		}
		if a.JSON {
			return printJSON(t.out, s)
		}
		return s.print(t.out)
	})
}

func (s shown) print(out io.Writer) error {
	until := ""
	if s.PeriodEnd != nil {
		until = " until " + s.PeriodEnd.Format(time.RFC3339)
	}
	_, err := fmt.Fprintf(out, `wallet      %s
username    %s
spark       %s, of which premium %s
svc         %s
plan        %s, %s%s
worker      %v
unfiltered  %v
created     %s
`, s.Wallet, s.Username, s.Spark, s.PremiumSpark, s.Svc, s.Plan, s.Status, until,
		s.Worker, s.Unfiltered, s.CreatedAt.Format(time.RFC3339))
	return err
}

type accountCredit struct {
	place
	amounts
	Wallet string `arg:"" help:"Wallet address."`
}

// Run books the credits.
func (a *accountCredit) Run(ctx context.Context, t terminal) error {
	if a.credits() == (billing.Credits{}) {
		return errors.New("say what to add: --spark, --premium-spark or --svc")
	}
	return a.office(ctx, func(o *node.Office) error {
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
		_, err = fmt.Fprintf(t.out, "spark %s, of which premium %s; svc %s\n", balance.Spark.Net, balance.Spark.PremiumCredit, balance.Svc.Net)
		return err
	})
}

type accountPlan struct {
	place
	Wallet    string `arg:"" help:"Wallet address."`
	Plan      string `help:"none, unlimited or unlimited-pro." enum:"none,unlimited,unlimited-pro" required:"" placeholder:"P"`
	Status    status `help:"${statuses}. Default: active, or none for the plan none." placeholder:"S"`
	PeriodEnd moment `help:"When the period ends, as RFC 3339. Without it an active plan renews every month." placeholder:"TIME"`
}

// Run sets the plan.
func (a *accountPlan) Run(ctx context.Context, t terminal) error {
	status := atelier.SubscriptionStatus(a.Status)
	switch {
	case status == "" && a.Plan == "none":
		status = atelier.SubscriptionNone
	case status == "":
		status = atelier.SubscriptionActive
	}
	return a.office(ctx, func(o *node.Office) error {
		found, err := o.Accounts.Find(ctx, a.Wallet)
		if err != nil {
			return err
		}
		if err := o.Accounts.SetPlan(ctx, found, tiers[a.Plan], status, time.Time(a.PeriodEnd)); err != nil {
			return err
		}
		plan, err := o.Accounts.Subscription(ctx, found.Wallet)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(t.out, "%s: plan %s, %s\n", found.Wallet, planName(plan.Tier), plan.Status)
		return err
	})
}

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
