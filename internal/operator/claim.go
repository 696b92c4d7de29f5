package operator

import (
	"context"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/cursor"

	"github.com/atelier-project/atelier/internal/store"
)

// Claims lists the claims of earnings that wait for an operator, the oldest first.
func (o Operator) Claims(ctx context.Context, page apitype.Page) (apitype.Claims, error) {
	p, err := newPart("claims", page, 2)
	if err != nil {
		return apitype.Claims{}, err
	}
	at, err := p.Time(0)
	if err != nil {
		return apitype.Claims{}, err
	}
	list, err := o.billing.Waiting(ctx, at, p.Text(1), p.limit+1)
	if err != nil {
		return apitype.Claims{}, err
	}
	list, next := cut(p, list, func(c billing.Claimed) []string { return []string{cursor.Time(c.At), c.ID} })
	out := apitype.Claims{Claims: []apitype.Claim{}, NextCursor: next}
	for _, c := range list {
		shown, err := o.newClaim(ctx, c)
		if err != nil {
			return out, err
		}
		out.Claims = append(out.Claims, shown)
	}
	return out, nil
}

// Claim claims what the workers of an account have earned, for its owner. Approved, it is
// paid although it is large or odd. It is nil when there is nothing to claim.
func (o Operator) Claim(ctx context.Context, name string, approved bool, reason string) (*apitype.Claim, error) {
	if err := checkReason("reason", reason); err != nil {
		return nil, err
	}
	who, err := o.accounts.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	action := "claim earnings"
	if approved {
		action = "claim and approve earnings"
	}
	c, err := o.billing.Claim(ctx, who.Wallet, approved, o.recordClaim(action, reason))
	if err != nil || c.ID == "" {
		return nil, err
	}
	shown, err := o.newClaim(ctx, c)
	return &shown, err
}

// DecideClaim pays or refuses a claim that waits. What is refused is never paid.
func (o Operator) DecideClaim(ctx context.Context, id string, pay bool, reason string) (apitype.Claim, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.Claim{}, err
	}
	action := "refuse claim"
	if pay {
		action = "pay claim"
	}
	c, err := o.billing.DecideClaim(ctx, id, pay, reason, o.recordClaim(action, reason))
	if err != nil {
		return apitype.Claim{}, err
	}
	return o.newClaim(ctx, c)
}

// recordClaim records what an operator did with a claim.
func (o Operator) recordClaim(action, reason string) func(*store.Tx, store.EarningClaim) error {
	return func(tx *store.Tx, c store.EarningClaim) error {
		detail := c.USD.String() + " USD, " + c.Svc.String() + " svc"
		return o.record(store.Action{Action: action, Wallet: c.Wallet, Target: c.ID, Detail: detail, Reason: reason})(tx)
	}
}

// newClaim describes a claim, with the names of accounts.
func (o Operator) newClaim(ctx context.Context, c billing.Claimed) (apitype.Claim, error) {
	out := apitype.Claim{
		ClaimID: c.ID, WalletAddress: c.Wallet, Status: string(c.State), Months: c.Months, USD: c.USD, Svc: c.Svc,
		Reasons: append([]string{}, c.Reasons...), ClaimedAt: c.At, DecidedAt: optional(c.DecidedAt), Decision: c.Decision,
	}
	c.Facts.Requesters = c.Facts.Requesters[:min(len(c.Facts.Requesters), mostRequesters)]
	wallets := []atelier.Wallet{c.Wallet}
	for _, r := range c.Facts.Requesters {
		wallets = append(wallets, r.Wallet)
	}
	names, err := o.usernames(ctx, wallets)
	out.Username = names[c.Wallet]
	out.WorkerFacts = newFacts(c.Facts, names)
	return out, err
}

// mostRequesters is how many of the requesters of a claim are listed.
const mostRequesters = 20

func newFacts(f billing.WorkerFacts, names map[atelier.Wallet]string) apitype.WorkerFacts {
	out := apitype.WorkerFacts{Requesters: []apitype.Requester{}, Models: []apitype.ModelPace{}, SpotChecks: apitype.SpotCheckCount(f.SpotChecks)}
	for _, r := range f.Requesters {
		out.Requesters = append(out.Requesters, apitype.Requester{
			WalletAddress: r.Wallet, Username: names[r.Wallet], Jobs: r.Jobs, USD: r.USD, Svc: r.Svc, SharePct: r.Share,
		})
	}
	for _, m := range f.Models {
		usual := optional(m.Usual.Seconds())
		out.Models = append(out.Models, apitype.ModelPace{ModelID: m.ModelID, Jobs: m.Jobs, Spark: m.Spark, SecondsPerSpark: m.Pace.Seconds(), UsualSecondsPerSpark: usual})
	}
	return out
}

// usernames reads the names of accounts.
func (o Operator) usernames(ctx context.Context, wallets []atelier.Wallet) (names map[atelier.Wallet]string, err error) {
	err = o.db.Read(ctx, func(tx *store.Tx) (err error) {
		names, err = tx.Usernames(wallets)
		return err
	})
	return names, err
}
