package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store"
)

// accountCommand groups the commands about accounts. They work directly on the
// database and take effect at once on servers that run on it.
type accountCommand struct {
	Create accountCreate `cmd:"" help:"Create an account and its first API key."`
	List   accountList   `cmd:"" help:"List all accounts, one per line."`
	Show   accountShow   `cmd:"" help:"Show balances, plan and flags."`
	Credit accountCredit `cmd:"" help:"Add balance."`
	Plan   accountPlan   `cmd:"" help:"Set the subscription."`

	Suspend   accountSuspend   `cmd:"" help:"Refuse every key and session token of an account, at once and on every node, and cancel its work."`
	Reinstate accountReinstate `cmd:"" help:"Let the keys of a suspended account work again."`
}

// withAdmin opens the database of an installation for one command. It never creates one: a
// wrong --data must not look like an empty service.
func (p installation) withAdmin(ctx context.Context, do func(*node.Admin) error) error {
	return p.openAdmin(ctx, node.AdminOptions{Existing: true}, do)
}

func (p installation) openAdmin(ctx context.Context, options node.AdminOptions, do func(*node.Admin) error) error {
	c, err := p.load()
	if err != nil {
		return err
	}
	o, err := node.OpenAdmin(ctx, c, options)
	if err != nil {
		return withDatabaseHint(err)
	}
	defer o.Close()
	return do(o)
}

// withDatabaseHint adds to the error about a missing database or storage what to check.
func withDatabaseHint(err error) error {
	if errors.Is(err, store.ErrNoDatabase) || errors.Is(err, node.ErrNoStorage) {
		return fmt.Errorf("%w: check --data and --config (default: ./atelier-data in the working directory); "+
			"atelier serve and atelier account create create a new one", err)
	}
	return err
}

// account opens the database for a command about one account, by its wallet or
// its username.
func (p installation) account(ctx context.Context, name string, do func(*node.Admin, atelier.Account) error) error {
	return p.withAdmin(ctx, func(o *node.Admin) error {
		found, err := o.Accounts.Find(ctx, name)
		if err != nil {
			return err
		}
		return do(o, found)
	})
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
	installation
	Wallet   text `help:"Wallet address. Generated when omitted." placeholder:"W"`
	Username text `help:"Username. Generated when omitted." placeholder:"U"`
	amounts
	Plan       string `help:"Active plan: none, unlimited or unlimited-pro." enum:"none,unlimited,unlimited-pro" default:"none" placeholder:"none"`
	Unfiltered bool   `help:"The account may turn the content filter off."`
	Worker     bool   `help:"Its API keys may run workers."`
	Operator   bool   `help:"Its API keys may use the operator endpoints (not available yet)."`
	JSON       bool   `help:"Print JSON."`
}

// created is what account create prints.
type created struct {
	Wallet   atelier.Wallet `json:"walletAddress"`
	Username string         `json:"username"`
	Key      string         `json:"apiKey"`
}

// Run creates the account and, unlike the other commands, a database where there is none.
// It says so, unless a program reads its output and has named the place.
func (a *accountCreate) Run(ctx context.Context, t terminal) error {
	err := a.create(ctx, t, node.AdminOptions{Existing: true})
	if !errors.Is(err, store.ErrNoDatabase) {
		return err
	}
	if err := a.create(ctx, t, node.AdminOptions{}); err != nil {
		return err
	}
	if a.JSON && a.Data != "" {
		return nil
	}
	c, err := a.load()
	if err != nil {
		return err
	}
	where := "in the database of database_url"
	if c.DatabaseURL == "" {
		where = "as " + c.DatabaseFile()
	}
	_, err = fmt.Fprintf(t.err, "There was no database; a new one was created %s. Only a server that uses it knows this account: %s serve%s\n", where, program(), a.flags())
	return err
}

func (a *accountCreate) create(ctx context.Context, t terminal, options node.AdminOptions) error {
	return a.openAdmin(ctx, options, func(o *node.Admin) error {
		opened, err := o.Open(ctx, account.NewAccount{
			Wallet: string(a.Wallet), Username: string(a.Username), Worker: a.Worker, Unfiltered: a.Unfiltered, Operator: a.Operator, Tier: tiers[a.Plan],
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

type accountList struct {
	installation
	JSON bool `help:"Print JSON." name:"json"`
}

// listedAccount is a row of the list of accounts.
type listedAccount struct {
	Wallet      atelier.Wallet `json:"walletAddress"`
	Username    string         `json:"username"`
	Worker      bool           `json:"worker"`
	Unfiltered  bool           `json:"unfiltered"`
	Operator    bool           `json:"operator"`
	Suspended   bool           `json:"suspended"`
	SuspendedAt *time.Time     `json:"suspendedAt,omitempty"`
	CreatedAt   time.Time      `json:"createdAt"`
}

func listed(a atelier.Account) listedAccount {
	return listedAccount{
		Wallet: a.Wallet, Username: a.Username, Worker: a.Worker, Unfiltered: a.Unfiltered, Operator: a.Operator,
		Suspended: a.Suspended(), SuspendedAt: optional(a.SuspendedAt), CreatedAt: a.CreatedAt,
	}
}

// optional is a time that may be absent, for JSON.
func optional(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// flags are the rights of an account, one word each.
func (a listedAccount) flags() string {
	var words []string
	for _, f := range []struct {
		set  bool
		word string
	}{{a.Worker, "worker"}, {a.Unfiltered, "unfiltered"}, {a.Operator, "operator"}} {
		if f.set {
			words = append(words, f.word)
		}
	}
	if words == nil {
		return "-"
	}
	return strings.Join(words, ",")
}

func (a listedAccount) state() string {
	if a.Suspended {
		return "suspended"
	}
	return "active"
}

// Run lists the accounts.
func (l *accountList) Run(ctx context.Context, t terminal) error {
	return l.withAdmin(ctx, func(o *node.Admin) error {
		list := []listedAccount{}
		err := o.Accounts.List(ctx, func(a atelier.Account) error {
			list = append(list, listed(a))
			return nil
		})
		if err != nil {
			return err
		}
		if l.JSON {
			return json.NewEncoder(t.out).Encode(list)
		}
		table := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "WALLET\tUSERNAME\tSTATE\tFLAGS\tCREATED")
		for _, a := range list {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", a.Wallet, a.Username, a.state(), a.flags(), a.CreatedAt.Format(time.RFC3339))
		}
		return table.Flush()
	})
}

type accountSuspend struct {
	installation
	Wallet string `arg:"" help:"Wallet address or username."`
}

// Run suspends an account.
func (a *accountSuspend) Run(ctx context.Context, t terminal) error {
	return a.account(ctx, a.Wallet, func(o *node.Admin, found atelier.Account) error {
		s, err := o.Suspend(ctx, found)
		if err != nil {
			return err
		}
		state := "suspended"
		if s.Before {
			state = "was already suspended at " + s.Account.SuspendedAt.Format(time.RFC3339)
		}
		_, err = fmt.Fprintf(t.out, "%s: %s; workflows cancelled: %d\n", found.Wallet, state, s.Cancelled)
		return err
	})
}

type accountReinstate struct {
	installation
	Wallet string `arg:"" help:"Wallet address or username."`
}

// Run reinstates an account.
func (a *accountReinstate) Run(ctx context.Context, t terminal) error {
	return a.account(ctx, a.Wallet, func(o *node.Admin, found atelier.Account) error {
		reinstated, err := o.Reinstate(ctx, found)
		if err != nil {
			return err
		}
		state := "reinstated; its keys work again, its earlier session tokens do not"
		if !reinstated {
			state = "was not suspended"
		}
		_, err = fmt.Fprintf(t.out, "%s: %s\n", found.Wallet, state)
		return err
	})
}

type accountShow struct {
	installation
	Wallet string `arg:"" help:"Wallet address or username."`
	JSON   bool   `help:"Print JSON."`
}

// shown is what account show prints.
type shown struct {
	Wallet       atelier.Wallet             `json:"walletAddress"`
	Username     string                     `json:"username"`
	Worker       bool                       `json:"worker"`
	Unfiltered   bool                       `json:"unfiltered"`
	Operator     bool                       `json:"operator"`
	Suspended    bool                       `json:"suspended"`
	SuspendedAt  *time.Time                 `json:"suspendedAt,omitempty"`
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
	return a.account(ctx, a.Wallet, func(o *node.Admin, found atelier.Account) error {
		balance, err := o.Billing.Balance(ctx, found.Wallet)
		if err != nil {
			return err
		}
		plan, err := o.Accounts.Subscription(ctx, found.Wallet)
		if err != nil {
			return err
		}
		s := shown{
			Wallet: found.Wallet, Username: found.Username, Worker: found.Worker, Unfiltered: found.Unfiltered, Operator: found.Operator,
			Suspended: found.Suspended(), SuspendedAt: optional(found.SuspendedAt),
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
	suspended := "no"
	if s.SuspendedAt != nil {
		suspended = "since " + s.SuspendedAt.Format(time.RFC3339)
	}
	_, err := fmt.Fprintf(out, `wallet      %s
username    %s
spark       %s, of which premium %s
svc         %s
plan        %s, %s%s
worker      %v
unfiltered  %v
operator    %v
suspended   %s
created     %s
`, s.Wallet, s.Username, s.Spark, s.PremiumSpark, s.Svc, s.Plan, s.Status, until,
		s.Worker, s.Unfiltered, s.Operator, suspended, s.CreatedAt.Format(time.RFC3339))
	return err
}

type accountCredit struct {
	installation
	amounts
	Wallet string `arg:"" help:"Wallet address or username."`
}

// Run books the credits.
func (a *accountCredit) Run(ctx context.Context, t terminal) error {
	if a.credits() == (billing.Credits{}) {
		return errors.New("nothing to add: give --spark, --premium-spark or --svc")
	}
	return a.account(ctx, a.Wallet, func(o *node.Admin, found atelier.Account) error {
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
	installation
	Wallet    string `arg:"" help:"Wallet address or username."`
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
	return a.account(ctx, a.Wallet, func(o *node.Admin, found atelier.Account) error {
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
