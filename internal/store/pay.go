package store

import (
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// PayKey identifies what workers earn in a month, by who asked for the renders. Without a
// worker it is a total: of a network, or of all renders that an account asked for.
type PayKey struct {
	Worker  atelier.Wallet
	Month   string // YYYY-MM
	Network atelier.Network
	NFT     string
	Wallet  atelier.Wallet // who asked
}

// PaySums are what renders earn.
type PaySums struct {
	Jobs      int64
	PlanSpark atelier.Money // of renders that plans covered
	USD       atelier.Money // what those earn at most: the pool of the plan may have less
	Svc       atelier.Money // what the others earn
}

func (k PayKey) values() []any {
	return []any{string(k.Worker), k.Month, string(k.Network), k.NFT, string(k.Wallet)}
}

func (s PaySums) numbers() []int64 {
	return []int64{s.Jobs, int64(s.PlanSpark), int64(s.USD), int64(s.Svc)}
}

// Add adds other sums.
func (s *PaySums) Add(o PaySums) {
	*s = PaySums{s.Jobs + o.Jobs, s.PlanSpark + o.PlanSpark, s.USD + o.USD, s.Svc + o.Svc}
}

// MonthForm is how months are written.
const MonthForm = "2006-01"

// Month is the first moment of a month, and that of the next.
func Month(month string) (start, end time.Time) {
	start, _ = time.Parse(MonthForm, month)
	return start, start.AddDate(0, 1, 0)
}

// payMonth is the month that pays for work that ended at a time: its own or, if that is
// closed, the next open one.
func (s *sums) payMonth(at time.Time) string {
	month := at.UTC().Format(MonthForm)
	for s.closed[month] {
		_, next := Month(month)
		month = next.Format(MonthForm)
	}
	return month
}

// addPay adds what a record earns.
func (s *sums) addPay(w Work) {
	if w.Failed || w.Worker == "" {
		return
	}
	month, pay := s.payMonth(w.At), PaySums{Jobs: 1, USD: w.PayUSD, Svc: w.PaySvc}
	if w.ByPlan {
		pay.PlanSpark = w.Spark
	}
	keys := []PayKey{{w.Worker, month, w.Network, w.NFT, w.Wallet}, {Month: month, Network: w.Network}}
	if w.PayUSD > 0 {
		keys = append(keys, PayKey{Month: month, Wallet: w.Wallet})
	}
	for _, k := range keys {
		sum := s.pays[k]
		sum.Add(pay)
		s.pays[k] = sum
	}
}

// closedSet is the months that are closed.
func (tx *Tx) closedSet() (map[string]bool, error) {
	months, err := tx.ClosedMonths("")
	set := make(map[string]bool, len(months))
	for _, m := range months {
		set[m] = true
	}
	return set, err
}

// Pays reads what the workers of an account earn from a month on, or the totals of the
// networks if the account is empty, including what is not counted yet. The caller reads a
// snapshot.
func (tx *Tx) Pays(worker atelier.Wallet, from string) (map[PayKey]PaySums, error) {
	return tx.pays(func(k PayKey) bool { return k.Worker == worker && k.Month >= from && (worker != "" || k.Wallet == "") },
		`worker = $1 AND month >= $2 AND ($1 <> '' OR wallet = '')`, string(worker), from)
}

// PaysOfMonth reads what all workers earn in a month, without the totals.
func (tx *Tx) PaysOfMonth(month string) (map[PayKey]PaySums, error) {
	return tx.pays(func(k PayKey) bool { return k.Worker != "" && k.Month == month }, `month = $1 AND worker <> ''`, month)
}

// PayTotals reads what all renders that accounts asked for earn at most in a month: of some
// accounts, or of all if the list is nil.
func (tx *Tx) PayTotals(month string, of []atelier.Wallet) (map[atelier.Wallet]atelier.Money, error) {
	out := map[atelier.Wallet]atelier.Money{}
	err := eachPart(of, func(more string, args ...any) error {
		return tx.Rows(func(scan func(...any) error) error {
			var (
				w   atelier.Wallet
				due atelier.Money
			)
			err := scan(&w, &due)
			out[w] = due
			return err
		}, `SELECT wallet, usd FROM worker_pay WHERE worker = '' AND month = $1 AND network = '' AND nft = '' AND wallet <> ''`+more, append([]any{month}, args...)...)
	})
	if err != nil {
		return nil, err
	}
	pending, err := tx.pendingSums("")
	if err != nil {
		return nil, err
	}
	for k, s := range pending.pays {
		if _, asked := out[k.Wallet]; k.Worker == "" && k.Wallet != "" && k.Month == month && (asked || of == nil || slices.Contains(of, k.Wallet)) {
			out[k.Wallet] += s.USD
		}
	}
	return out, nil
}

// texts are values as strings.
func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

func (tx *Tx) pays(match func(PayKey) bool, where string, args ...any) (map[PayKey]PaySums, error) {
	out := map[PayKey]PaySums{}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			k PayKey
			s PaySums
		)
		err := scan(&k.Worker, &k.Month, &k.Network, &k.NFT, &k.Wallet, &s.Jobs, &s.PlanSpark, &s.USD, &s.Svc)
		out[k] = s
		return err
	}, `SELECT `+payKeys+`, `+paySums+` FROM worker_pay WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	pending, err := tx.pendingSums("")
	if err != nil {
		return nil, err
	}
	for k, s := range pending.pays {
		if match(k) {
			sum := out[k]
			sum.Add(s)
			out[k] = sum
		}
	}
	return out, nil
}

// PlanPool is what the plan of an account has paid for a month, and what of it its workers
// share.
type PlanPool struct {
	Income atelier.Money
	Pool   atelier.Money
	Due    atelier.Money // what the renders earn at most
}

// PutPools stores the pools of a month that is being closed.
func (tx *Tx) PutPools(month string, pools map[atelier.Wallet]PlanPool) error {
	rows := sortedRows(pools, func(w atelier.Wallet) []any { return []any{month, string(w)} },
		func(p PlanPool) []int64 { return []int64{int64(p.Income), int64(p.Pool), int64(p.Due)} })
	return tx.insertRows(`INSERT INTO plan_pool (month, wallet, income, pool, due) VALUES `, ``, rows)
}

// Pools reads the pools of plans for a closed month: of some accounts, or of all if the list
// is nil.
func (tx *Tx) Pools(month string, of []atelier.Wallet) (map[atelier.Wallet]PlanPool, error) {
	out := map[atelier.Wallet]PlanPool{}
	return out, eachPart(of, func(more string, args ...any) error {
		return tx.Rows(func(scan func(...any) error) error {
			var (
				w atelier.Wallet
				p PlanPool
			)
			err := scan(&w, &p.Income, &p.Pool, &p.Due)
			out[w] = p
			return err
		}, `SELECT wallet, income, pool, due FROM plan_pool WHERE month = $1`+more, append([]any{month}, args...)...)
	})
}

// eachPart reads rows of some accounts, some at a time, or of all if the list is nil. read gets
// a further condition and its parameters, from the second on.
func eachPart(of []atelier.Wallet, read func(more string, args ...any) error) error {
	if of == nil {
		return read("")
	}
	for part := range slices.Chunk(of, 256) {
		list := padded(texts(part))
		if err := read(` AND wallet IN (`+database.Marks(2, len(list))+`)`, list...); err != nil {
			return err
		}
	}
	return nil
}

// SubscriptionChange is what was set about a plan at a time.
type SubscriptionChange struct {
	At time.Time
	atelier.Subscription
}

// SubscriptionChanges lists what was set about the plans of accounts, the earliest first.
func (tx *Tx) SubscriptionChanges(of []atelier.Wallet) (map[atelier.Wallet][]SubscriptionChange, error) {
	out := map[atelier.Wallet][]SubscriptionChange{}
	for part := range slices.Chunk(of, 256) {
		list := padded(texts(part))
		err := tx.Rows(func(scan func(...any) error) error {
			var (
				w                     atelier.Wallet
				c                     SubscriptionChange
				at, since, start, end int64
			)
			err := scan(&w, &at, &c.Tier, &c.Term, &c.Provider, &c.Status, &since, &start, &end, &c.Renews, &c.Canceled)
			c.At, c.Since, c.PeriodStart, c.PeriodEnd = database.FromMillis(at), database.FromMillis(since), database.FromMillis(start), database.FromMillis(end)
			out[w] = append(out[w], c)
			return err
		}, `SELECT wallet, at, tier, term, provider, status, since, period_start, period_end, renews, canceled
			FROM subscription_change WHERE wallet IN (`+database.Marks(1, len(list))+`) ORDER BY wallet, at`, list...)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
