package node

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/media"
)

// sweepInterval is how often a node removes what has expired.
const sweepInterval = 15 * time.Minute

// sweep removes expired uploads, idempotency keys, reservations, chats, console sessions, refusals of the content
// filter, samples, spot checks and deliveries beyond those that a webhook may have, and closes months of earnings,
// until ctx ends. First it labels the workflows of an earlier version. What operators keep for a time is removed by
// package retention.
func (n *Node) sweep(ctx context.Context) {
	if err := n.workflows.LabelOld(ctx); err != nil && ctx.Err() == nil {
		n.log.Warn("label workflows failed", "error", err)
	}
	for clock.Sleep(ctx, sweepInterval) {
		swept, mediaErr := n.media.Sweep(ctx, false)
		keys, keysErr := n.workflows.Sweep(ctx)
		loras, lorasErr := n.loras.Sweep(ctx)
		tabs, tabsErr := n.Billing.Sweep(ctx)
		_, chatsErr := n.chats.Sweep(ctx)
		_, sessionsErr := n.Accounts.SweepSessions(ctx)
		_, refusalsErr := n.Operators.Sweep(ctx, n.config.Retention.FilterRefusals)
		checksErr := n.checks.Sweep(ctx)
		_, webhooksErr := n.webhooks.Sweep(ctx)
		months, monthsErr := n.Billing.CloseMonths(ctx, false)
		for _, m := range months {
			n.log.Info("closed month", "month", m.Month, "accounts", m.Accounts)
		}
		if err := errors.Join(mediaErr, keysErr, lorasErr, tabsErr, chatsErr, sessionsErr, refusalsErr, checksErr, webhooksErr, monthsErr); err != nil && ctx.Err() == nil {
			n.log.Warn("sweep failed", "error", err)
		}
		if keys > 0 || tabs > 0 || loras > 0 {
			n.log.Info("swept", "keys", keys, "tabs", tabs, "loras", loras)
		}
		if swept.Any() {
			level := slog.LevelInfo
			if swept.Objects > 0 {
				level = slog.LevelWarn // objects without a row: an operator may miss them
			}
			n.log.Log(ctx, level, "swept media", "forms", swept.Forms, "assets", swept.Assets, "objects", swept.Objects, "trash", media.Trash,
				"previews", swept.Previews, "emptied", swept.Trash, "leavings", swept.Leavings)
		}
	}
}
