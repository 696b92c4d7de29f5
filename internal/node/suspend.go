package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/workflow"
)

// Suspension is the outcome of a call to suspend an account, for the operator.
type Suspension struct {
	Account   atelier.Account
	Before    bool // it was suspended already
	Cancelled int  // workflows and chat runs that this call has ended
}

// Suspend suspends an account: once it is marked, no node accepts a credential
// of it or adds work to it, and then what it had under way is cancelled. A call
// that is interrupted between the two is finished by the nodes, or by another
// call.
func (o *Admin) Suspend(ctx context.Context, a atelier.Account) (s Suspension, err error) {
	if a.Wallet.Equal(embeddedWallet) {
		return s, fmt.Errorf("%s is an account of the service itself and cannot be suspended; workers.embedded: false stops the embedded worker", a.Wallet)
	}
	if s.Account, s.Before, err = o.Accounts.Suspend(ctx, a); err != nil {
		return s, err
	}
	c, err := o.cancelEngine(ctx)
	if err != nil {
		return s, err
	}
	s.Cancelled, err = c.cancelAll(ctx, o.Accounts, s.Account)
	return s, err
}

// Reinstate ends a suspension. It reports false when there was none. Work that
// was to be cancelled and is not, because the suspension was interrupted, is
// cancelled first.
func (o *Admin) Reinstate(ctx context.Context, a atelier.Account) (bool, error) {
	if !a.Suspended() {
		return false, nil
	}
	c, err := o.cancelEngine(ctx)
	if err != nil {
		return false, err
	}
	if _, err := c.cancelAll(ctx, o.Accounts, a); err != nil {
		return false, err
	}
	return o.Accounts.Reinstate(ctx, a)
}

// canceller ends the work of an account.
type canceller struct {
	workflows *workflow.Engine
	runs      *run.Engine
}

// cancelEngine ends work: with the engines of the node, else with some that can do
// nothing else, because they have neither a catalog nor media. The nodes learn of
// what those do when they next look at the database.
func (o *Admin) cancelEngine(ctx context.Context) (canceller, error) {
	if o.canceller.runs != nil {
		return o.canceller, nil
	}
	nudges, err := bus.Open(ctx, "", nil)
	if err != nil {
		return canceller{}, err
	}
	quiet := slog.New(slog.DiscardHandler)
	logs := journal.New(o.db, nudges)
	jobs := fleet.New(o.db, nudges, nil, o.Billing, fleet.Options{Now: o.now, Log: quiet})
	workflows := workflow.New(o.db, nil, o.Billing, nil, jobs, logs, workflow.Options{Now: o.now, Log: quiet})
	return canceller{workflows, run.New(o.db, nudges, nil, o.Billing, nil, workflows, nil, logs, run.Options{Now: o.now, Log: quiet})}, nil
}

// cancelAll ends everything that a suspended account has under way, and returns how
// many workflows and chat runs that were. Nothing can be added meanwhile, so that one
// pass finds all of it.
func (c canceller) cancelAll(ctx context.Context, accounts *account.Engine, a atelier.Account) (int, error) {
	const reason = "account_suspended"
	runs, err := c.runs.CancelAll(ctx, a.Wallet, reason)
	workflows, err2 := c.workflows.CancelAll(ctx, a.Wallet, reason)
	if err := errors.Join(err, err2); err != nil {
		return runs + workflows, err
	}
	return runs + workflows, accounts.Cancelled(ctx, a)
}

// suspensionInterval is how often a node looks for suspensions that were
// interrupted. The look is one read of an index that is nearly always empty.
const suspensionInterval = 15 * time.Second

// finishSuspensions cancels the work of accounts whose suspension was
// interrupted, until ctx ends.
func (n *Node) finishSuspensions(ctx context.Context) {
	for ctx.Err() == nil {
		if err := n.FinishSuspensions(ctx); err != nil && ctx.Err() == nil {
			n.log.Warn("cancel work of suspended accounts failed", "error", err)
		}
		clock.Sleep(ctx, suspensionInterval)
	}
}

// FinishSuspensions cancels the work of accounts whose suspension was
// interrupted, now. An account that fails does not keep the others from it.
func (n *Node) FinishSuspensions(ctx context.Context) error {
	pending, err := n.Accounts.CancelPending(ctx)
	for _, a := range pending {
		ended, failed := n.canceller.cancelAll(ctx, n.Accounts, a)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		n.log.Info("cancelled work of suspended account", "wallet", a.Wallet, "ended", ended)
	}
	return err
}
