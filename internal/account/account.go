package account

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// Engine manages accounts. It is safe for concurrent use.
type Engine struct {
	db       *store.DB
	tokens   tokens
	keys     *lookups[owner]
	sessions *lookups[sessionOwner]
	process  sync.Map // the keys of this process: hash → atelier.Wallet
	codes    codes
	uses     uses
	now      func() time.Time
}

// New makes an engine. The secrets sign session tokens: the first signs, the others are
// still accepted, so that a secret can be replaced without ending all sessions.
func New(db *store.DB, secrets []string, now func() time.Time) *Engine {
	e := &Engine{db: db, tokens: newTokens(secrets), uses: newUses(), now: now}
	e.keys = newLookups(e.keyOwner)
	e.sessions = newLookups(e.sessionOwner)
	return e
}

// NewAccount is an account to create. Empty names are generated.
type NewAccount struct {
	Wallet     string
	Username   string
	Worker     bool
	Unfiltered bool
	Operator   bool
	Tier       atelier.PlanTier
}

// Opened is a new account and its first API key, which is shown only here.
type Opened struct {
	Account atelier.Account
	Key     string
}

// Create creates an account with a key and a plan. The function books its opening credits
// in the same transaction; it may be nil.
func (e *Engine) Create(ctx context.Context, n NewAccount, credits func(*store.Tx, atelier.Wallet) error) (Opened, error) {
	o, err := e.prepare(n)
	if err != nil {
		return Opened{}, err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error { return e.open(tx, o, n.Tier, credits) })
	if errors.Is(err, store.ErrExists) { // another request created it after the check
		err = atelier.Errorf(atelier.CodeNameTaken, "The wallet or the username is taken.")
	}
	return o, err
}

// First creates the installation's first account. It reports false, and does nothing, when
// the installation has an account or had a first one before.
func (e *Engine) First(ctx context.Context, n NewAccount, credits func(*store.Tx, atelier.Wallet) error) (o Opened, first bool, err error) {
	var settled bool
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		settled, err = tx.Claimed("first_account")
		return err
	})
	if err != nil || settled {
		return Opened{}, false, err
	}
	if o, err = e.prepare(n); err != nil {
		return Opened{}, false, err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		claimed, err := tx.Claim("first_account", string(o.Account.Wallet))
		if err != nil {
			return err
		}
		any, err := tx.AnyAccount()
		if err != nil {
			return err
		}
		if first = claimed && !any; !first {
			return nil
		}
		return e.open(tx, o, n.Tier, credits)
	})
	return o, first && err == nil, err
}

// prepare checks the names and generates missing ones.
func (e *Engine) prepare(n NewAccount) (Opened, error) {
	wallet := mint.Wallet()
	if n.Wallet != "" {
		var err error
		if wallet, err = atelier.ParseWallet(n.Wallet); err != nil {
			return Opened{}, refuse("walletAddress", err)
		}
	}
	if n.Username == "" {
		n.Username = "artist-" + mint.UUID()[:8]
	}
	if err := atelier.CheckUsername(n.Username); err != nil {
		return Opened{}, refuse("username", err)
	}
	return Opened{
		Account: atelier.Account{
			Wallet: wallet, Username: n.Username,
			Worker: n.Worker, Unfiltered: n.Unfiltered, Operator: n.Operator, CreatedAt: e.now(),
		},
		Key: mint.UUID(),
	}, nil
}

func (e *Engine) open(tx *store.Tx, o Opened, tier atelier.PlanTier, credits func(*store.Tx, atelier.Wallet) error) error {
	// Commands accept a wallet or a username to name an account: neither may be one of another.
	for _, own := range [][3]string{{"walletAddress", string(o.Account.Wallet), "wallet address"}, {"username", o.Account.Username, "username"}} {
		field, name, what := own[0], own[1], own[2]
		taken, err := tx.NamesAccount(name)
		if err != nil {
			return err
		}
		if taken {
			return &atelier.Error{Code: atelier.CodeNameTaken, Field: field, Message: fmt.Sprintf("Another account has the %s %q, or a name that reads the same. Choose another.", what, name)}
		}
	}
	if err := tx.InsertAccount(o.Account); err != nil {
		return err
	}
	if o.Key != "" {
		if err := tx.InsertKey(hashKey(o.Key), o.Account.Wallet, describeKey(o.Key, "", o.Account.CreatedAt)); err != nil {
			return err
		}
	}
	if tier != atelier.TierNone {
		plan := atelier.Subscribe(tier, atelier.SubscriptionActive, time.Time{}, e.now())
		if err := tx.PutSubscription(o.Account.Wallet, plan, e.now()); err != nil {
			return err
		}
	}
	if credits == nil {
		return nil
	}
	return credits(tx, o.Account.Wallet)
}

// Find returns an account by its wallet or its username. The wallet wins.
func (e *Engine) Find(ctx context.Context, name string) (a atelier.Account, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		if a, err = tx.Account(atelier.Wallet(name)); errors.Is(err, store.ErrNotFound) {
			a, err = tx.AccountByUsername(name)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = errNoAccount(name)
	}
	return a, err
}

// errNoAccount says that neither a wallet nor a username is that of an account.
func errNoAccount(name string) error {
	if runes := []rune(name); len(runes) > 128 {
		name = string(runes[:128]) + "…"
	}
	return &atelier.Error{Code: atelier.CodeNotFound, Field: "wallet", Message: fmt.Sprintf("There is no account with the wallet or username %s.", name)}
}

// refuse says that a field of a request is wrong.
func refuse(field string, err error) error {
	return &atelier.Error{Code: atelier.CodeInvalidRequest, Field: field, Message: err.Error()}
}

// Also is what a caller writes in the transaction of a change, such as who made it. A
// change that changes nothing does not call it.
type Also func(*store.Tx) error

func callAll(tx *store.Tx, list ...Also) error {
	for _, also := range list {
		if also == nil {
			continue
		}
		if err := also(tx); err != nil {
			return err
		}
	}
	return nil
}

// SetPlan sets an account's plan. An empty status is active, or none for no plan.
func (e *Engine) SetPlan(ctx context.Context, a atelier.Account, tier atelier.PlanTier, status atelier.SubscriptionStatus, end time.Time, also ...Also) error {
	switch {
	case status == "" && tier == atelier.TierNone:
		status = atelier.SubscriptionNone
	case status == "":
		status = atelier.SubscriptionActive
	case tier == atelier.TierNone && status != atelier.SubscriptionNone:
		return refuse("status", errors.New("the plan none has only the status none"))
	}
	plan := atelier.Subscribe(tier, status, end, e.now())
	return e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.PutSubscription(a.Wallet, plan, e.now()); err != nil {
			return err
		}
		return callAll(tx, also...)
	})
}

// SetOperator gives an account the operator role, or takes it. Check is called before the
// change, in its transaction, unless it is nil.
func (e *Engine) SetOperator(ctx context.Context, a atelier.Account, operator bool, check Also, also ...Also) error {
	return e.db.Write(ctx, func(tx *store.Tx) error {
		if err := callAll(tx, check); err != nil {
			return err
		}
		changed, err := tx.SetOperator(a.Wallet, operator)
		if err != nil || !changed {
			return err
		}
		return callAll(tx, also...)
	})
}

// Subscription returns the current plan of an account.
func (e *Engine) Subscription(ctx context.Context, w atelier.Wallet) (s atelier.Subscription, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		s, err = tx.Subscription(w)
		return err
	})
	return s.At(e.now()), err
}
