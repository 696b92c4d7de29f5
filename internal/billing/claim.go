package billing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// Review says which claims wait for an operator: those above an amount, those of workers that a
// spot check has found at fault and, from another amount on, those whose renders were nearly all
// asked for by one account or ended much sooner than is usual. Zero is no limit.
type Review struct {
	Above            atelier.Money // in dollars
	OddFrom          atelier.Money
	RequesterPercent float64
	Speed            float64 // how many times quicker than usual

	SvcUSD atelier.Money // what one svc is worth
}

// SetReview sets which claims wait for an operator. It is called while the service is wired.
func (e *Engine) SetReview(r Review) { e.review = r }

// Claimed is a claim, what it is about and what an operator should know of it.
type Claimed struct {
	store.EarningClaim // the id is empty when there was nothing to claim

	Months []string
	Facts  WorkerFacts
}

// WorkerFacts are what tells work that was done from work that was pretended.
type WorkerFacts struct {
	Requesters []Requester // the largest first
	Models     []ModelPace // those with the largest price first
	SpotChecks store.SpotCheckCount
}

// Requester is who asked for renders that a worker is paid for.
type Requester struct {
	Wallet atelier.Wallet
	Jobs   int64
	USD    atelier.Money // what the renders earn at most
	Svc    atelier.Money
	Share  float64 // of all in percent, by value
}

// ModelPace is how long a worker had the renders of a model, for one Spark of their price, and
// how long the other workers have them.
type ModelPace struct {
	ModelID string
	Jobs    int64
	Spark   atelier.Money
	Pace    time.Duration
	Usual   time.Duration // zero if no other worker renders it
}

// Claim claims all unclaimed earnings of closed months of an account. One that an operator has
// approved, or that needs no review, is paid: svc goes into the purse of the account, dollars are
// recorded in the ledger as paid. Another waits. When there is nothing to claim, the claim is
// empty. also is written in the same transaction, and may be nil.
func (e *Engine) Claim(ctx context.Context, w atelier.Wallet, approved bool, also func(*store.Tx, store.EarningClaim) error) (c Claimed, err error) {
	now, id := e.now(), mint.UUID()
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		c = Claimed{Months: []string{}}
		if err := tx.LockAccount(w); err != nil {
			return err
		}
		earnings, err := tx.ClaimEarnings(w, id, now)
		if err != nil || len(earnings) == 0 {
			return err
		}
		c.EarningClaim = store.EarningClaim{ID: id, Wallet: w, At: now, State: atelier.ClaimPaid, Reasons: []string{}}
		for _, one := range earnings {
			c.USD += one.USD
			c.Svc += one.Svc
		}
		if c.USD == 0 && c.Svc == 0 {
			return errNothing
		}
		if err := e.describe(tx, &c, earnings, networkUses{}); err != nil {
			return err
		}
		c.Reasons = e.review.reasons(c)
		if len(c.Reasons) > 0 && !approved {
			c.State = atelier.ClaimWaiting
		} else {
			c.DecidedAt = now
		}
		if err := tx.InsertClaim(c.EarningClaim); err != nil {
			return err
		}
		if c.State == atelier.ClaimPaid {
			if err := e.bookClaim(tx, c.EarningClaim, now); err != nil {
				return err
			}
		}
		if also == nil {
			return nil
		}
		return also(tx, c.EarningClaim)
	})
	if errors.Is(err, errNothing) {
		return Claimed{Months: []string{}}, nil
	}
	return c, err
}

// errNothing means that months were closed, but nothing was earned in them.
var errNothing = errors.New("billing: there is nothing to claim")

// DecideClaim pays or refuses a claim that waits. What is refused is never paid.
// also is written in the same transaction, and may be nil.
func (e *Engine) DecideClaim(ctx context.Context, id string, approve bool, reason string, also func(*store.Tx, store.EarningClaim) error) (c Claimed, err error) {
	now := e.now()
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		found, err := tx.FindClaim(id)
		if errors.Is(err, store.ErrNotFound) {
			return atelier.Missing("claimId", id, "claim")
		}
		if err != nil {
			return err
		}
		if err := tx.LockAccount(found.Wallet); err != nil {
			return err
		}
		if found, err = tx.FindClaim(id); err != nil { // as it is now
			return err
		}
		if found.State != atelier.ClaimWaiting {
			return atelier.Errorf(atelier.CodeWrongState, "The claim is %s already.", found.State)
		}
		found.State, found.Decision, found.DecidedAt = atelier.ClaimRefused, reason, now
		if approve {
			found.State = atelier.ClaimPaid
		}
		if err := tx.DecideClaim(id, found.State, reason, now); err != nil {
			return err
		}
		if approve {
			if err := e.bookClaim(tx, found, now); err != nil {
				return err
			}
		}
		if also != nil {
			if err := also(tx, found); err != nil {
				return err
			}
		}
		c, err = e.claimed(tx, found, networkUses{})
		return err
	})
	return c, err
}

// Waiting lists the claims that wait for an operator after one of a time and id, the oldest
// first.
func (e *Engine) Waiting(ctx context.Context, at time.Time, id string, limit int) (list []Claimed, err error) {
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		list = []Claimed{}
		claims, err := tx.WaitingClaims(at, id, limit)
		all := networkUses{}
		for _, c := range claims {
			if err == nil {
				var one Claimed
				one, err = e.claimed(tx, c, all)
				list = append(list, one)
			}
		}
		return err
	})
	return list, err
}

// claimed describes a stored claim.
func (e *Engine) claimed(tx *store.Tx, c store.EarningClaim, all networkUses) (Claimed, error) {
	out := Claimed{EarningClaim: c}
	earnings, err := tx.EarningsOfClaim(c)
	if err != nil {
		return out, err
	}
	return out, e.describe(tx, &out, earnings, all)
}

func (e *Engine) describe(tx *store.Tx, c *Claimed, earnings []store.Earning, all networkUses) (err error) {
	c.Months = []string{}
	for _, one := range earnings {
		c.Months = append(c.Months, one.Month)
	}
	slices.Sort(c.Months)
	c.Months = slices.Compact(c.Months)
	c.Facts, err = e.facts(tx, c.Wallet, c.Months, all)
	return err
}

// facts reads what an operator should know of the work of an account's workers in some months.
func (e *Engine) facts(tx *store.Tx, w atelier.Wallet, months []string, all networkUses) (f WorkerFacts, err error) {
	f = WorkerFacts{Requesters: []Requester{}, Models: []ModelPace{}}
	if len(months) == 0 {
		return f, nil
	}
	if f.Requesters, err = e.requesters(tx, w, months); err != nil {
		return f, err
	}
	start, _ := store.Month(months[0])
	_, end := store.Month(months[len(months)-1])
	days := store.Between{From: store.Day(start), To: store.Day(end.AddDate(0, 0, -1))}
	if f.Models, err = paces(tx, w, days, all); err != nil {
		return f, err
	}
	f.SpotChecks, err = tx.CountSpotChecks(w, start)
	return f, err
}

func (e *Engine) requesters(tx *store.Tx, w atelier.Wallet, months []string) ([]Requester, error) {
	pays, err := tx.Pays(w, months[0])
	if err != nil {
		return nil, err
	}
	sums, all := map[atelier.Wallet]Requester{}, atelier.Money(0)
	for k, s := range pays {
		if !slices.Contains(months, k.Month) {
			continue
		}
		r := sums[k.Wallet]
		sums[k.Wallet] = Requester{Wallet: k.Wallet, Jobs: r.Jobs + s.Jobs, USD: r.USD + s.USD, Svc: r.Svc + s.Svc}
		all += e.review.value(s.USD, s.Svc)
	}
	list := []Requester{}
	for _, r := range sums {
		if all > 0 {
			r.Share = 100 * float64(e.review.value(r.USD, r.Svc)) / float64(all)
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b Requester) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.Wallet, b.Wallet))
	})
	return list, nil
}

// networkUses are the renders of all workers by model, in spans of days that were asked for.
type networkUses map[store.Between]map[string]store.UseSums

// of adds up the renders of all workers.
func (u networkUses) of(tx *store.Tx, days store.Between) (map[string]store.UseSums, error) {
	if sums, known := u[days]; known {
		return sums, nil
	}
	all, err := tx.WorkerUses(store.WorkerFilter{Between: days})
	sums := map[string]store.UseSums{}
	for k, s := range all {
		sum := sums[k.ModelID]
		sum.Add(s)
		sums[k.ModelID] = sum
	}
	u[days] = sums
	return sums, err
}

// paces compares how long the workers of an account had renders with the other workers.
func paces(tx *store.Tx, w atelier.Wallet, days store.Between, network networkUses) ([]ModelPace, error) {
	own, err := tx.WorkerUses(store.WorkerFilter{Wallet: w, Between: days})
	if err != nil {
		return nil, err
	}
	all, err := network.of(tx, days)
	if err != nil {
		return nil, err
	}
	mine, others := map[string]store.UseSums{}, maps.Clone(all)
	for k, s := range own {
		sum, rest := mine[k.ModelID], others[k.ModelID]
		sum.Add(s)
		rest.Add(store.UseSums{Jobs: -s.Jobs, Spark: -s.Spark, Work: -s.Work})
		mine[k.ModelID], others[k.ModelID] = sum, rest
	}
	list := []ModelPace{}
	for id, s := range mine {
		list = append(list, ModelPace{id, s.Jobs, s.Spark, pace(s), pace(others[id])})
	}
	slices.SortFunc(list, func(a, b ModelPace) int {
		return cmp.Or(cmp.Compare(b.Spark, a.Spark), cmp.Compare(a.ModelID, b.ModelID))
	})
	return list, nil
}

// pace is the time for one Spark.
func pace(s store.UseSums) time.Duration {
	if s.Spark <= 0 {
		return 0
	}
	return time.Duration(float64(s.Work) * float64(atelier.MoneyUnit) / float64(s.Spark))
}

// value is what an amount is worth in dollars.
func (r Review) value(usd, svc atelier.Money) atelier.Money {
	return usd + svc*r.SvcUSD/atelier.MoneyUnit
}

// reasons are why a claim waits for an operator; none if it does not.
func (r Review) reasons(c Claimed) []string {
	out, worth := []string{}, r.value(c.USD, c.Svc)
	if r.Above > 0 && worth > r.Above {
		out = append(out, fmt.Sprintf("It is worth %s USD, more than %s.", worth.Short(), r.Above.Short()))
	}
	if n := c.Facts.SpotChecks; n.Wrong > 0 {
		out = append(out, fmt.Sprintf("%d of its %d renders that were checked were not what two trusted workers have made.", n.Wrong, n.Compared))
	}
	if worth < r.OddFrom {
		return out
	}
	if top := c.Facts.Requesters; r.RequesterPercent > 0 && len(top) > 0 && top[0].Share >= r.RequesterPercent {
		out = append(out, fmt.Sprintf("One account, %s, asked for %.0f %% of it.", top[0].Wallet, top[0].Share))
	}
	for _, m := range c.Facts.Models {
		if r.Speed > 0 && m.Usual > 0 && float64(m.Usual) >= r.Speed*float64(m.Pace) {
			out = append(out, fmt.Sprintf("Its renders with %s took %s for a Spark; %s is usual.", m.ModelID, m.Pace.Round(time.Millisecond), m.Usual.Round(time.Millisecond)))
		}
	}
	return out
}

func (e *Engine) bookClaim(tx *store.Tx, c store.EarningClaim, now time.Time) error {
	cause := "claim/" + c.ID
	if c.Svc > 0 {
		if err := tx.Grant(store.LedgerEntry{Wallet: c.Wallet, Token: atelier.TokenSvc, Kind: "grant", Amount: c.Svc, Cause: cause, At: now}); err != nil {
			return err
		}
	}
	if c.USD == 0 {
		return nil
	}
	return tx.BookPayout(store.LedgerEntry{Wallet: c.Wallet, Token: atelier.TokenUSD, Amount: c.USD, Cause: cause, At: now})
}
