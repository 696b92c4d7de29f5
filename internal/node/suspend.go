package node

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/operator"
	"github.com/atelier-project/atelier/internal/pull"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/workflow"
)

// canceller ends the work of an account.
type canceller struct {
	workflows *workflow.Engine
	runs      *run.Engine
	accounts  *account.Engine
}

// operateAlone lets operators work on the database where no node runs, with engines that
// can end work and publish templates and nothing else, because they have no media. The nodes
// learn of what those do when they next look at the database.
func (o *Admin) operateAlone(ctx context.Context, c *config.Config) error {
	nudges, err := bus.Open(ctx, bus.Options{})
	if err != nil {
		return err
	}
	quiet := slog.New(slog.DiscardHandler)
	logs := journal.New(o.DB, nudges)
	jobs := fleet.New(o.DB, nudges, nil, o.Billing, fleet.Options{Lease: c.Workers.Lease, Now: o.now, Log: quiet})
	workflows := workflow.New(o.DB, nil, o.Billing, nil, jobs, logs, workflow.Options{Now: o.now, Log: quiet})
	runs := run.New(o.DB, nudges, nil, o.Billing, nil, workflows, nil, logs, run.Options{Now: o.now, Log: quiet})
	o.operate(jobs, canceller{workflows, runs, o.Accounts}, func() (*template.Engine, error) {
		known, err := catalog.Load(c.CatalogDir) // few commands need it
		if err != nil {
			return nil, err
		}
		return o.newTemplates(known, c, ""), nil
	}, nil, nil)
	return nil
}

// operate lets operators work with the given engines.
func (o *Admin) operate(jobs *fleet.Engine, c canceller, templates func() (*template.Engine, error), freeSpace func() (int64, error), pulls *pull.Engine) {
	o.Operators = operator.New(o.DB, o.Accounts, o.Billing, jobs, operator.Options{
		CancelWork: c.cancelAll, Connections: o.Connections, Graphs: o.Graphs, Pulls: pulls, Service: embeddedWallet, Templates: templates,
		FreeSpace: freeSpace, Now: o.now,
	})
}

// cancelAll ends everything that a suspended account has under way, and returns how
// many workflows and chat runs that were. Nothing can be added meanwhile, so that one
// pass finds all of it.
func (c canceller) cancelAll(ctx context.Context, a atelier.Account) (int, error) {
	const reason = "account_suspended"
	runs, err := c.runs.CancelAll(ctx, a.Wallet, reason)
	workflows, err2 := c.workflows.CancelAll(ctx, a.Wallet, reason)
	if err := errors.Join(err, err2); err != nil {
		return runs + workflows, err
	}
	return runs + workflows, c.accounts.Cancelled(ctx, a)
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
		ended, failed := n.canceller.cancelAll(ctx, a)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		n.log.Info("cancelled work of suspended account", "wallet", a.Wallet, "ended", ended)
	}
	return err
}
