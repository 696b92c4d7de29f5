package operator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/cursor"
	"github.com/atelier-project/atelier/internal/mint"

	"github.com/atelier-project/atelier/internal/store"
)

// Accounts lists accounts, newest first. Those that a search names come before all others. A
// part of a search may be short, or empty, although another follows: one request looks at
// a number of accounts.
func (o Operator) Accounts(ctx context.Context, q apitype.AccountQuery) (apitype.Accounts, error) {
	p, err := newPart("accounts", q.Page, 2)
	if err != nil {
		return apitype.Accounts{}, err
	}
	at, err := p.Time(0)
	if err != nil {
		return apitype.Accounts{}, err
	}
	var out apitype.Accounts
	err = o.db.Snapshot(ctx, func(tx *store.Tx) error {
		rows, next, err := o.findAccounts(tx, q.Q, p, at)
		if err != nil {
			return err
		}
		out.NextCursor = next
		out.Accounts, err = o.describe(tx, rows)
		return err
	})
	return out, err
}

func (o Operator) findAccounts(tx *store.Tx, text string, p part, at time.Time) (rows []atelier.Account, next *string, err error) {
	key := func(a atelier.Account) []string { return []string{cursor.Time(a.CreatedAt), string(a.Wallet)} }
	before := atelier.Wallet(p.Text(1))
	if text == "" {
		if rows, err = tx.AccountsBefore(at, before, p.limit+1); err != nil {
			return nil, nil, err
		}
		rows, next = cut(p, rows, key)
		return rows, next, nil
	}
	var named []atelier.Account
	if p.Place == nil {
		if named, err = tx.NamedAccounts(text); err != nil {
			return nil, nil, err
		}
		named = named[:min(len(named), p.limit)]
		p.limit -= len(named)
	}
	rows, last, err := tx.FindAccounts(text, at, before, p.limit+1, o.opts.Searched)
	switch {
	case err != nil:
		return nil, nil, err
	case p.limit == 0 && (last != nil || len(rows) > 0):
		rows, next = nil, cursor.Encode(p.list, cursor.Time(at), "") // from the beginning, without those that are named
	case len(rows) > p.limit:
		rows, next = cut(p, rows, key)
	case last != nil:
		next = cursor.Encode(p.list, key(*last)...)
	}
	return append(named, rows...), next, nil
}

// describe adds balances, plans and NFTs to accounts.
func (o Operator) describe(tx *store.Tx, list []atelier.Account) ([]apitype.Account, error) {
	if len(list) == 0 {
		return []apitype.Account{}, nil
	}
	wallets := convert(list, func(a atelier.Account) atelier.Wallet { return a.Wallet })
	purses, err := tx.PursesOf(wallets)
	if err != nil {
		return nil, err
	}
	plans, err := tx.SubscriptionsOf(wallets)
	if err != nil {
		return nil, err
	}
	nfts, err := tx.NFTsOf(wallets)
	if err != nil {
		return nil, err
	}
	return convert(list, func(a atelier.Account) apitype.Account {
		own := purses[a.Wallet]
		balance := atelier.NewBalance(own[atelier.TokenSpark], own[atelier.TokenPremiumSpark], own[atelier.TokenSvc])
		plan, has := plans[a.Wallet]
		if !has {
			plan.Status = atelier.SubscriptionNone
		}
		plan = plan.At(o.opts.Now())
		s := apitype.Account{
			WalletAddress: a.Wallet, Username: a.Username, Worker: a.Worker, Unfiltered: a.Unfiltered, Operator: a.Operator,
			Suspended: a.Suspended(), SuspendedAt: optional(a.SuspendedAt),
			Spark: balance.Spark.Net, PremiumSpark: balance.Spark.PremiumCredit, Svc: balance.Svc.Net,
			Plan: apitype.NewPlanName(plan.Tier), PlanStatus: plan.Status, PlanActive: plan.Active(), CreatedAt: a.CreatedAt,
			NFTTokenIDs: append([]string{}, nfts[a.Wallet]...),
		}
		if plan.Tier != atelier.TierNone {
			s.PeriodEnd = &plan.PeriodEnd
		}
		return s
	}), nil
}

// Account reads an account by its wallet or username.
func (o Operator) Account(ctx context.Context, name string) (apitype.Account, error) {
	d, err := o.AccountDetail(ctx, name)
	return d.Account, err
}

// AccountDetail reads an account by its wallet or username, and what it has used this month.
func (o Operator) AccountDetail(ctx context.Context, name string) (out apitype.AccountDetail, err error) {
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return out, err
	}
	now := o.opts.Now().UTC()
	since := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	err = o.db.Snapshot(ctx, func(tx *store.Tx) error {
		list, err := o.describe(tx, []atelier.Account{a})
		if err != nil {
			return err
		}
		days, err := tx.UsageDays(a.Wallet, store.Between{From: store.Day(since), To: store.Day(now)})
		var sum store.Usage
		for _, day := range days {
			sum.Add(day)
		}
		out = apitype.AccountDetail{Account: list[0], Month: apitype.AccountMonth{
			Since: since, Jobs: sum.Jobs, Spark: sum.SparkSpent, Svc: sum.SvcSpent, PlanJobs: sum.PlanJobs, PlanSpark: sum.PlanSpark,
		}}
		return err
	})
	return out, err
}

// CreateAccount creates an account with a key, a plan and credits.
func (o Operator) CreateAccount(ctx context.Context, n apitype.NewAccount) (apitype.OpenedAccount, error) {
	credits := billing.Credits{Spark: n.Spark, PremiumSpark: n.PremiumSpark, Svc: n.Svc}
	if err := credits.Check(); err != nil {
		return apitype.OpenedAccount{}, err
	}
	if err := checkReason("reason", n.Reason); err != nil {
		return apitype.OpenedAccount{}, err
	}
	if err := o.limits.CheckLimitless("create accounts"); err != nil { // an account has a key without limits
		return apitype.OpenedAccount{}, err
	}
	opened, err := o.accounts.Create(ctx, account.NewAccount{
		Wallet: n.WalletAddress, Username: n.Username, Worker: n.Worker, Unfiltered: n.Unfiltered, Operator: n.Operator, Tier: n.Plan.Tier(),
	}, func(tx *store.Tx, w atelier.Wallet) error {
		if err := o.billing.BookCredits(tx, w, mint.UUID(), credits); err != nil {
			return err
		}
		return o.record(store.Action{Action: "create account", Wallet: w, Reason: n.Reason, Detail: describeRights(n)})(tx)
	})
	if err != nil {
		return apitype.OpenedAccount{}, err
	}
	a, err := o.Account(ctx, string(opened.Account.Wallet))
	return apitype.OpenedAccount{Account: a, APIKey: opened.Key}, err
}

// describeRights says what a new account has.
func describeRights(n apitype.NewAccount) string {
	text := fmt.Sprintf("plan %s", apitype.NewPlanName(n.Plan.Tier()))
	if amounts := describeAmounts(billing.Credits{Spark: n.Spark, PremiumSpark: n.PremiumSpark, Svc: n.Svc}); amounts != "" {
		text += "; " + amounts
	}
	for _, right := range []struct {
		has  bool
		name string
	}{{n.Worker, "worker"}, {n.Unfiltered, "unfiltered"}, {n.Operator, "operator"}} {
		if right.has {
			text += "; " + right.name
		}
	}
	return text
}

// describeAmounts names the amounts that are not zero.
func describeAmounts(c billing.Credits) string {
	var said []string
	for _, a := range []struct {
		name   string
		amount atelier.Money
	}{{"Spark", c.Spark}, {"Premium Spark", c.PremiumSpark}, {"SVC", c.Svc}} {
		if a.amount != 0 {
			said = append(said, a.name+" "+a.amount.Short())
		}
	}
	return strings.Join(said, ", ")
}

// Credit adds credit to an account. A repeated call with the same key, which may be empty,
// adds nothing.
func (o Operator) Credit(ctx context.Context, name string, c apitype.Credit, key string) (apitype.Account, error) {
	credits := billing.Credits{Spark: c.Spark, PremiumSpark: c.PremiumSpark, Svc: c.Svc}
	if err := credits.Check(); err != nil {
		return apitype.Account{}, err
	}
	if credits == (billing.Credits{}) {
		return apitype.Account{}, atelier.Refuse("spark", "is required, or premiumSpark, or svc: there is nothing to add.")
	}
	if err := checkReason("reason", c.Reason); err != nil {
		return apitype.Account{}, err
	}
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return apitype.Account{}, err
	}
	amounts := fmt.Sprintf("Spark %s, Premium Spark %s, SVC %s", c.Spark.Short(), c.PremiumSpark.Short(), c.Svc.Short())
	digest := sha256.Sum256([]byte(string(a.Wallet) + "\n" + amounts + "\n" + c.Reason))
	claim := store.IdempotencyRecord{Wallet: atelier.Wallet(o.name), Scope: "credit", Key: key, Digest: hex.EncodeToString(digest[:])}
	action := store.Action{
		ID: mint.OrderedUUID(), At: o.opts.Now(), By: o.name, KeyID: o.keyID, Action: "credit", Wallet: a.Wallet, Reason: c.Reason,
		Detail: describeAmounts(credits),
	}
	claim.Resource = action.ID
	err = o.db.Write(ctx, func(tx *store.Tx) error {
		before, err := tx.Once(claim, action.At, func() error {
			if err := o.billing.BookCredits(tx, a.Wallet, action.ID, credits); err != nil {
				return err
			}
			return tx.InsertAction(action)
		})
		if err != nil {
			return err
		}
		return before.Check(claim.Digest)
	})
	if err != nil {
		return apitype.Account{}, err
	}
	return o.Account(ctx, string(a.Wallet))
}

// SetPlan sets the subscription of an account.
func (o Operator) SetPlan(ctx context.Context, name string, p apitype.PlanChange) (apitype.Account, error) {
	detail := fmt.Sprintf("plan %s", p.Plan)
	if p.Status != "" {
		detail += ", " + string(p.Status)
	}
	var end time.Time
	if p.PeriodEnd != nil {
		end = p.PeriodEnd.UTC().Truncate(time.Millisecond)
		detail += ", until " + end.Format(time.RFC3339)
	}
	return o.change(ctx, name, "set plan", detail, p.Reason, func(a atelier.Account, also account.Also) error {
		return o.accounts.SetPlan(ctx, a, p.Plan.Tier(), p.Status, end, also)
	})
}

// SetOperator gives an account the operator role, or takes it. An operator cannot take it
// from itself or from the last one.
func (o Operator) SetOperator(ctx context.Context, name string, operator bool, reason string) (apitype.Account, error) {
	action := "give operator role"
	if !operator {
		action = "take operator role"
	} else if err := o.limits.CheckLimitless("give the operator role"); err != nil {
		return apitype.Account{}, err
	}
	return o.change(ctx, name, action, "", reason, func(a atelier.Account, also account.Also) error {
		if !operator && o.isSelf(a) {
			return atelier.Errorf(atelier.CodeWrongState, "You cannot take the operator role from your own account; another operator can.")
		}
		var check account.Also
		if !operator {
			check = o.keepOperator(a)
		}
		return o.accounts.SetOperator(ctx, a, operator, check, also)
	})
}

func (o Operator) isSelf(a atelier.Account) bool { return string(a.Wallet) == o.name }

// keepOperator refuses a change that leaves no operator, such as when two take the role from
// each other at the same time. The command line may: it can give the role again.
func (o Operator) keepOperator(a atelier.Account) account.Also {
	return func(tx *store.Tx) error {
		if o.name == CommandLine {
			return nil
		}
		operators, err := tx.LockOperators()
		if err == nil && slices.Equal(operators, []atelier.Wallet{a.Wallet}) {
			err = atelier.Errorf(atelier.CodeWrongState, "%s is the last operator. Give the role to another account first.", a.Wallet)
		}
		return err
	}
}

// change changes an account, records who did it, and returns the account.
func (o Operator) change(ctx context.Context, name, action, detail, reason string, change func(atelier.Account, account.Also) error) (apitype.Account, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.Account{}, err
	}
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return apitype.Account{}, err
	}
	if err := change(a, o.record(store.Action{Action: action, Wallet: a.Wallet, Detail: detail, Reason: reason})); err != nil {
		return apitype.Account{}, err
	}
	return o.Account(ctx, string(a.Wallet))
}

// Suspend suspends an account: once it is marked, no node accepts a credential of it or
// adds work to it, and then what it had under way is cancelled. A call that is interrupted
// between the two is finished by the nodes, or by another call.
func (o Operator) Suspend(ctx context.Context, name, reason string) (s apitype.Suspension, err error) {
	s.Account, err = o.change(ctx, name, "suspend", "", reason, func(a atelier.Account, also account.Also) error {
		switch {
		case a.Wallet.Equal(o.opts.Service):
			return atelier.Errorf(atelier.CodeWrongState, "%s is an account of the service itself and cannot be suspended; workers.embedded: false stops the embedded worker.", a.Wallet)
		case o.isSelf(a):
			return atelier.Errorf(atelier.CodeWrongState, "You cannot suspend your own account; another operator can.")
		}
		suspended, before, err := o.accounts.Suspend(ctx, a, o.keepOperator(a), also)
		if err != nil {
			return err
		}
		s.AlreadySuspended = before
		s.Cancelled, err = o.opts.CancelWork(ctx, suspended)
		return err
	})
	return s, err
}

// Reinstate ends a suspension. Work that was to be cancelled and is not, because the
// suspension was interrupted, is cancelled first.
func (o Operator) Reinstate(ctx context.Context, name, reason string) (r apitype.Reinstatement, err error) {
	r.Account, err = o.change(ctx, name, "reinstate", "", reason, func(a atelier.Account, also account.Also) error {
		if !a.Suspended() {
			return nil
		}
		if _, err := o.opts.CancelWork(ctx, a); err != nil {
			return err
		}
		r.Reinstated, err = o.accounts.Reinstate(ctx, a, also)
		return err
	})
	return r, err
}
