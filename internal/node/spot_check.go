package node

import (
	"context"
	"fmt"

	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/spotcheck"
	"github.com/atelier-project/atelier/internal/telemetry"
)

// openSpotChecks makes the engine of spot checks, with the accounts that are trusted.
func (n *Node) openSpotChecks(ctx context.Context, m *telemetry.Metrics) (*spotcheck.Engine, error) {
	c := n.config.Workers
	o := spotcheck.Options{
		Percent: c.SpotCheckPercent, Drain: c.SpotCheckAction == config.SpotCheckDrain, Payer: embeddedWallet, Earns: n.Billing.Earns, Now: n.now, Log: n.log, Metrics: m,
	}
	for _, name := range c.SpotCheckBy {
		a, err := n.Accounts.Find(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("workers.spot_check_by: %w", err)
		}
		o.By = append(o.By, a.Wallet)
	}
	return spotcheck.New(n.DB, n.bus, n.Fleet, n.blobs, n.media, o), nil
}
