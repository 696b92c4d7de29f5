package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/node"

	"github.com/atelier-project/atelier/internal/store"
)

// accountCommand groups the commands about accounts. They take effect at once, also when
// they work on a database that servers run on.
type accountCommand struct {
	Create accountCreate `cmd:"" help:"Create an account and its first API key."`
	List   accountList   `cmd:"" help:"List all accounts, one per line."`
	Show   accountShow   `cmd:"" help:"Show balances, plan and flags."`
	Credit accountCredit `cmd:"" help:"Add balance."`
	Plan   accountPlan   `cmd:"" help:"Set the subscription."`

	Operator accountOperator `cmd:"" help:"Give an account the operator role, or take it. Its API keys may use the operator endpoints."`

	NFT accountNFT `cmd:"" name:"nft" help:"List the NFTs that the workers of an account may name, add one or remove one."`

	Members      accountMembers      `cmd:"" help:"List the members of an account, and its open invitations."`
	AddMember    accountAddMember    `cmd:"" help:"Invite a person to an account, and print the link that accepts the invitation."`
	ChangeMember accountChangeMember `cmd:"" help:"Change the role or the budget of a member."`
	RemoveMember accountRemoveMember `cmd:"" help:"End a membership, and the keys and sessions of the member, at once and on every node; or withdraw an invitation."`

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

// amounts are the credit flags.
type amounts struct {
	Spark        amount `help:"Spark to add." placeholder:"N"`
	PremiumSpark amount `help:"Premium Spark to add." placeholder:"N"`
	Svc          amount `help:"svc tokens to add." placeholder:"N"`
}

func (a amounts) credit(reason string) apitype.Credit {
	return apitype.Credit{Spark: atelier.Money(a.Spark), PremiumSpark: atelier.Money(a.PremiumSpark), Svc: atelier.Money(a.Svc), Reason: reason}
}

// The command line writes the names of plans with dashes, the API with underscores.
func readPlan(name string) apitype.PlanName {
	return apitype.PlanName(strings.ReplaceAll(name, "-", "_"))
}
func writePlan(p apitype.PlanName) string { return strings.ReplaceAll(string(p), "_", "-") }

type accountCreate struct {
	operated
	Wallet   text `help:"Wallet address. Generated when omitted." placeholder:"W"`
	Username text `help:"Username. Generated when omitted." placeholder:"U"`
	amounts
	Plan       string `help:"Active plan: none, unlimited or unlimited-pro." enum:"none,unlimited,unlimited-pro" default:"none" placeholder:"none"`
	Unfiltered bool   `help:"The account may turn the content filter off."`
	Worker     bool   `help:"Its API keys may run workers."`
	Operator   bool   `help:"Its API keys may use the operator endpoints."`
	JSON       bool   `help:"Print JSON."`
	reasoned
}

// created is what account create prints.
type created struct {
	Wallet   atelier.Wallet `json:"walletAddress"`
	Username string         `json:"username"`
	Key      string         `json:"apiKey"`
}

// Run creates the account and, unlike the other commands, a database where none exists
// and no address is given. It reports that, unless a program reads its output and has named the place.
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
	return a.operateWith(ctx, options, func(o operations) error {
		credit := a.credit("")
		opened, err := o.CreateAccount(ctx, apitype.NewAccount{
			WalletAddress: string(a.Wallet), Username: string(a.Username), Worker: a.Worker, Unfiltered: a.Unfiltered, Operator: a.Operator, Plan: readPlan(a.Plan),
			Spark: credit.Spark, PremiumSpark: credit.PremiumSpark, Svc: credit.Svc, Reason: a.reason(),
		})
		if err != nil {
			return err
		}
		if a.JSON {
			return printJSON(t.out, created{opened.Account.WalletAddress, opened.Account.Username, opened.APIKey})
		}
		_, err = fmt.Fprintf(t.out, "wallet    %s\nusername  %s\nAPI key   %s   (shown only now)\n", opened.Account.WalletAddress, opened.Account.Username, opened.APIKey)
		return err
	})
}

type accountList struct {
	operated
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

func listed(a apitype.Account) listedAccount {
	return listedAccount{
		Wallet: a.WalletAddress, Username: a.Username, Worker: a.Worker, Unfiltered: a.Unfiltered, Operator: a.Operator,
		Suspended: a.Suspended, SuspendedAt: a.SuspendedAt, CreatedAt: a.CreatedAt,
	}
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

// Run lists the accounts by wallet.
func (l *accountList) Run(ctx context.Context, t terminal) error {
	return l.operate(ctx, func(o operations) error {
		all, err := readAll(func(p apitype.Page) ([]apitype.Account, *string, error) {
			part, err := o.Accounts(ctx, apitype.AccountQuery{Page: p})
			return part.Accounts, part.NextCursor, err
		})
		if err != nil {
			return err
		}
		slices.SortFunc(all, func(a, b apitype.Account) int {
			return strings.Compare(string(a.WalletAddress), string(b.WalletAddress))
		})
		list := []listedAccount{}
		for _, a := range all {
			list = append(list, listed(a))
		}
		if l.JSON {
			return json.NewEncoder(t.out).Encode(list)
		}
		table := columns(t.out)
		fmt.Fprintln(table, "WALLET\tUSERNAME\tSTATE\tFLAGS\tCREATED")
		for _, a := range list {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", a.Wallet, a.Username, a.state(), a.flags(), a.CreatedAt.Format(time.RFC3339))
		}
		return table.Flush()
	})
}

// accountChange is a change of one account.
type accountChange struct {
	operated
	Wallet string `arg:"" help:"Wallet address or username."`
	reasoned
	printing
}

type accountSuspend struct{ accountChange }

// Run suspends an account.
func (a *accountSuspend) Run(ctx context.Context, t terminal) error {
	return a.operate(ctx, func(o operations) error {
		s, err := o.Suspend(ctx, a.Wallet, a.reason())
		if err != nil {
			return err
		}
		state := "suspended"
		if s.AlreadySuspended && s.Account.SuspendedAt != nil {
			state = "was already suspended at " + s.Account.SuspendedAt.Format(time.RFC3339)
		}
		return a.result(t.out, s, fmt.Sprintf("%s: %s; workflows cancelled: %d", s.Account.WalletAddress, state, s.Cancelled))
	})
}

type accountReinstate struct{ accountChange }

// Run reinstates an account.
func (a *accountReinstate) Run(ctx context.Context, t terminal) error {
	return a.operate(ctx, func(o operations) error {
		r, err := o.Reinstate(ctx, a.Wallet, a.reason())
		if err != nil {
			return err
		}
		state := "reinstated; its keys work again, its earlier session tokens do not"
		if !r.Reinstated {
			state = "was not suspended"
		}
		return a.result(t.out, r, fmt.Sprintf("%s: %s", r.Account.WalletAddress, state))
	})
}

type accountOperator struct {
	accountChange
	Off bool `help:"Take the role."`
}

// Run gives or takes the operator role.
func (a *accountOperator) Run(ctx context.Context, t terminal) error {
	return a.operate(ctx, func(o operations) error {
		found, err := o.SetOperator(ctx, a.Wallet, !a.Off, a.reason())
		if err != nil {
			return err
		}
		return a.result(t.out, found, fmt.Sprintf("%s: operator %v", found.WalletAddress, found.Operator))
	})
}

type accountShow struct {
	operated
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
	NFTTokenIDs  []string                   `json:"nftTokenIds"`
}

// Run shows the account.
func (a *accountShow) Run(ctx context.Context, t terminal) error {
	return a.operate(ctx, func(o operations) error {
		found, err := o.Account(ctx, a.Wallet)
		if err != nil {
			return err
		}
		s := shown{
			Wallet: found.WalletAddress, Username: found.Username, Worker: found.Worker, Unfiltered: found.Unfiltered, Operator: found.Operator,
			Suspended: found.Suspended, SuspendedAt: found.SuspendedAt, Spark: found.Spark, PremiumSpark: found.PremiumSpark, Svc: found.Svc,
			Plan: writePlan(found.Plan), Status: found.PlanStatus, Active: found.PlanActive, PeriodEnd: found.PeriodEnd, CreatedAt: found.CreatedAt,
			NFTTokenIDs: found.NFTTokenIDs,
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
NFTs        %s
`, s.Wallet, s.Username, s.Spark, s.PremiumSpark, s.Svc, s.Plan, s.Status, until,
		s.Worker, s.Unfiltered, s.Operator, suspended, s.CreatedAt.Format(time.RFC3339), listNFTs(s.NFTTokenIDs))
	return err
}

func listNFTs(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}

type accountNFT struct {
	accountChange
	Add    text `help:"Add this NFT. If it belongs to another account, it is moved." placeholder:"ID"`
	Remove text `help:"Remove this NFT. The next worker that names it makes it its account's." placeholder:"ID"`
}

// ownedNFTs is what account nft prints.
type ownedNFTs struct {
	Wallet      atelier.Wallet  `json:"walletAddress"`
	NFTTokenIDs []string        `json:"nftTokenIds"`
	MovedFrom   *atelier.Wallet `json:"movedFrom,omitempty"`
}

// Run changes or lists the NFTs of an account.
func (a *accountNFT) Run(ctx context.Context, t terminal) error {
	return a.operate(ctx, func(o operations) error {
		var (
			found   apitype.Account
			moved   *atelier.Wallet
			changes string
			err     error
		)
		if a.Add != "" {
			added, err := o.AddNFT(ctx, a.Wallet, string(a.Add), a.reason())
			if err != nil {
				return err
			}
			found, moved = added.Account, added.MovedFrom
			changes += fmt.Sprintf("; added %s", a.Add)
			if moved != nil {
				changes += fmt.Sprintf(", which was moved from %s", *moved)
			}
		}
		if a.Remove != "" {
			if found, err = o.RemoveNFT(ctx, a.Wallet, string(a.Remove), a.reason()); err != nil {
				return err
			}
			changes += fmt.Sprintf("; removed %s", a.Remove)
		}
		if a.Add == "" && a.Remove == "" {
			if found, err = o.Account(ctx, a.Wallet); err != nil {
				return err
			}
		}
		return a.result(t.out, ownedNFTs{found.WalletAddress, found.NFTTokenIDs, moved},
			fmt.Sprintf("%s: NFTs %s%s", found.WalletAddress, listNFTs(found.NFTTokenIDs), changes))
	})
}

type accountCredit struct {
	accountChange
	amounts
}

// Run books the credits.
func (a *accountCredit) Run(ctx context.Context, t terminal) error {
	if a.amounts == (amounts{}) {
		return errors.New("nothing to add: give --spark, --premium-spark or --svc")
	}
	return a.operate(ctx, func(o operations) error {
		found, err := o.Credit(ctx, a.Wallet, a.credit(a.reason()), "")
		if err != nil {
			return err
		}
		return a.result(t.out, found, fmt.Sprintf("spark %s, of which premium %s; svc %s", found.Spark, found.PremiumSpark, found.Svc))
	})
}

type accountPlan struct {
	accountChange
	Plan      string `help:"none, unlimited or unlimited-pro." enum:"none,unlimited,unlimited-pro" required:"" placeholder:"P"`
	Status    status `help:"${statuses}. Default: active, or none for the plan none." placeholder:"S"`
	PeriodEnd moment `help:"When the period ends, as RFC 3339. Without it an active plan renews every month." placeholder:"TIME"`
}

// Run sets the plan.
func (a *accountPlan) Run(ctx context.Context, t terminal) error {
	plan := apitype.PlanChange{Plan: readPlan(a.Plan), Status: atelier.SubscriptionStatus(a.Status), Reason: a.reason()}
	if end := time.Time(a.PeriodEnd); !end.IsZero() {
		plan.PeriodEnd = &end
	}
	return a.operate(ctx, func(o operations) error {
		found, err := o.SetPlan(ctx, a.Wallet, plan)
		if err != nil {
			return err
		}
		return a.result(t.out, found, fmt.Sprintf("%s: plan %s, %s", found.WalletAddress, writePlan(found.Plan), found.PlanStatus))
	})
}
