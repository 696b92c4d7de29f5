package operator

import (
	"context"

	"github.com/atelier-project/atelier"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/cursor"
	"github.com/atelier-project/atelier/internal/store"
)

// SpotChecks lists the renders that trusted workers have made again, newest first.
func (o Operator) SpotChecks(ctx context.Context, page apitype.Page) (apitype.SpotChecks, error) {
	p, err := newPart("spot-checks", page, 2)
	if err != nil {
		return apitype.SpotChecks{}, err
	}
	at, err := p.Time(0)
	if err != nil {
		return apitype.SpotChecks{}, err
	}
	var rows []store.SpotCheck
	err = o.db.Read(ctx, func(tx *store.Tx) error {
		rows, err = tx.SpotChecksBefore(at, atelier.JobID(p.Text(1)), p.limit+1)
		return err
	})
	if err != nil {
		return apitype.SpotChecks{}, err
	}
	rows, next := cut(p, rows, func(c store.SpotCheck) []string { return []string{cursor.Time(c.CreatedAt), string(c.ID)} })
	var wallets []atelier.Wallet
	for _, c := range rows {
		wallets = append(wallets, c.Wallet)
		for _, r := range c.Renders {
			wallets = append(wallets, r.Wallet)
		}
	}
	names, err := o.usernames(ctx, wallets)
	return apitype.SpotChecks{SpotChecks: convert(rows, func(c store.SpotCheck) apitype.SpotCheck { return newSpotCheck(c, names) }), NextCursor: next}, err
}

func newSpotCheck(c store.SpotCheck, names map[atelier.Wallet]string) apitype.SpotCheck {
	return apitype.SpotCheck{
		JobID: c.ID, Wallet: c.Wallet, Username: names[c.Wallet], ModelID: c.ModelID, Network: c.Network, Status: c.State, AtFault: optional(c.AtFault), Reason: c.Reason,
		CreatedAt: c.CreatedAt, DecidedAt: optional(c.DecidedAt),
		Renders: convert(c.Renders, func(r store.SpotCheckRender) apitype.SpotCheckRender {
			return apitype.SpotCheckRender{WalletAddress: optional(r.Wallet), Username: names[r.Wallet], Worker: r.Worker}
		}),
	}
}
