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
	"github.com/atelier-project/atelier/internal/workflow"
)

// Suspension is the outcome of a call to suspend an account, for the operator.
type Suspension struct {
	Account   atelier.Account
	Before    bool // it was suspended already
	Cancelled int  // workflows that this call has ended
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
	workflows, err := o.cancelEngine(ctx)
	if err != nil {
		return s, err
	}
	s.Cancelled, err = cancelWork(ctx, o.Accounts, workflows, s.Account)
	return s, err
}

// Reinstate ends a suspension. It reports false when there was none. Work that
// was to be cancelled and is not, because the suspension was interrupted, is
// cancelled first.
func (o *Admin) Reinstate(ctx context.Context, a atelier.Account) (bool, error) {
	if !a.Suspended() {
		return false, nil
	}
	workflows, err := o.cancelEngine(ctx)
	if err != nil {
		return false, err
	}
	if _, err := cancelWork(ctx, o.Accounts, workflows, a); err != nil {
		return false, err
	}
	return o.Accounts.Reinstate(ctx, a)
}

// cancelEngine is the engine that ends workflows: the node's own, else one that
// can do nothing else, because it has neither a catalog nor media. The nodes
// learn of what that one does when they next look at the database.
func (o *Admin) cancelEngine(ctx context.Context) (*workflow.Engine, error) {
	if o.canceller != nil {
		return o.canceller, nil
	}
	nudges, err := bus.Open(ctx, "", nil)
	if err != nil {
		return nil, err
	}
	quiet := slog.New(slog.DiscardHandler)
	jobs := fleet.New(o.db, nudges, nil, o.Billing, fleet.Options{Now: o.now, Log: quiet})
	return workflow.New(o.db, nil, o.Billing, nil, jobs, journal.New(o.db, nudges), workflow.Options{Now: o.now, Log: quiet}), nil
}

// cancelWork ends everything that a suspended account has under way. Nothing
// can be added meanwhile, so that one pass finds all of it.
func cancelWork(ctx context.Context, accounts *account.Engine, workflows *workflow.Engine, a atelier.Account) (int, error) {
	n, err := workflows.CancelAll(ctx, a.Wallet, "account_suspended")
	if err != nil {
		return n, err
	}
	return n, accounts.Cancelled(ctx, a)
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
		ended, failed := cancelWork(ctx, n.Accounts, n.workflows, a)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		n.log.Info("cancelled work of suspended account", "wallet", a.Wallet, "workflows", ended)
	}
	return err
}
