package store

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// The counters are sums of work records by a key that ends in a day. The records
// that are not counted yet are added when the counters are read (see CountWork).

// UsageKey identifies what an account used on a day.
type UsageKey struct {
	Wallet atelier.Wallet
	Day    string
}

// PartKey identifies a part of what an account used, by application, network and
// model. The network is empty for work that is not a render.
type PartKey struct {
	Wallet  atelier.Wallet
	Day     string
	App     string
	Network atelier.Network
	ModelID string
}

// PartSums are sums of a part.
type PartSums struct {
	Usage
	Spark atelier.Money // what the work cost, by balance or by plan
}

// KeyDay identifies what was used with an API key on a day.
type KeyDay struct {
	Wallet atelier.Wallet
	Day    string
	KeyID  string
}

// KeySums are sums of what was used with a key.
type KeySums struct {
	Usage
	Spark atelier.Money // what the work was worth, by balance or by plan
	USD   atelier.Money
}

func (s KeySums) sums() []int64 { return append(s.numbers(), int64(s.Spark), int64(s.USD)) }

// Add adds other sums.
func (s *KeySums) Add(o KeySums) {
	s.Usage.Add(o.Usage)
	s.Spark += o.Spark
	s.USD += o.USD
}

// WorkerKey identifies counters of workers. The empty wallet is the whole network.
type WorkerKey struct {
	Wallet  atelier.Wallet
	Day     string
	Network atelier.Network
	NFT     string
}

// Compare orders keys as the rows are written.
func (k WorkerKey) Compare(o WorkerKey) int {
	return cmp.Or(cmp.Compare(k.Wallet, o.Wallet), cmp.Compare(k.Day, o.Day), cmp.Compare(k.Network, o.Network), cmp.Compare(k.NFT, o.NFT))
}

// WorkerSums are counters of workers.
type WorkerSums struct {
	Jobs, Errors                             int64
	Connected, Work, Render, Switch, Priming time.Duration
	Spark, USD                               atelier.Money // what the renders cost
	PlanSpark                                atelier.Money // the part of Spark that plans covered
}

func (s *WorkerSums) numbers() []int64 {
	return []int64{
		s.Jobs, s.Errors, s.Connected.Milliseconds(), s.Work.Milliseconds(), s.Render.Milliseconds(), s.Switch.Milliseconds(), s.Priming.Milliseconds(),
		int64(s.Spark), int64(s.USD), int64(s.PlanSpark),
	}
}

func (s *WorkerSums) set(n []int64) {
	*s = WorkerSums{
		Jobs: n[0], Errors: n[1], Connected: duration(n[2]), Work: duration(n[3]), Render: duration(n[4]), Switch: duration(n[5]), Priming: duration(n[6]),
		Spark: atelier.Money(n[7]), USD: atelier.Money(n[8]), PlanSpark: atelier.Money(n[9]),
	}
}

// Add adds other sums.
func (s *WorkerSums) Add(o WorkerSums) { s.set(plus(s.numbers(), o.numbers())) }

func duration(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

func plus(a, b []int64) []int64 {
	for i := range a {
		a[i] += b[i]
	}
	return a
}

// UseKey identifies completed renders of a model. The empty wallet is the whole
// network.
type UseKey struct {
	WorkerKey
	ModelID string
}

// UseSums are completed renders, what they cost and how long workers had them.
type UseSums struct {
	Jobs  int64
	Spark atelier.Money
	Work  time.Duration
}

func (u UseSums) numbers() []int64 { return []int64{u.Jobs, int64(u.Spark), u.Work.Milliseconds()} }

// Add adds other sums.
func (u *UseSums) Add(o UseSums) { *u = UseSums{u.Jobs + o.Jobs, u.Spark + o.Spark, u.Work + o.Work} }

// sums are the counters that some records add up to.
type sums struct {
	usage   map[UsageKey]Usage
	parts   map[PartKey]PartSums
	keys    map[KeyDay]KeySums
	workers map[WorkerKey]WorkerSums
	uses    map[UseKey]UseSums
	pays    map[PayKey]PaySums

	closed map[string]bool // months, which take no more pay
}

// newSums makes empty sums, for records of which those of closed months are paid later.
func newSums(closed map[string]bool) *sums {
	return &sums{map[UsageKey]Usage{}, map[PartKey]PartSums{}, map[KeyDay]KeySums{}, map[WorkerKey]WorkerSums{}, map[UseKey]UseSums{}, map[PayKey]PaySums{}, closed}
}

// add adds a record. It never fails: it has the form in which records are listed.
func (s *sums) add(w Work) error {
	day := Day(w.At)
	if !w.Failed {
		s.addUsage(w, day)
	}
	if !w.Network.HasWorkers() {
		return nil
	}
	s.addPay(w)
	for _, day := range []string{day, Lifetime} {
		s.addWorker(w, WorkerKey{Day: day, Network: w.Network})
		if w.Worker != "" {
			s.addWorker(w, WorkerKey{Wallet: w.Worker, Day: day, Network: w.Network, NFT: w.NFT})
		}
	}
	return nil
}

// usage is what a record adds to the usage of its account.
func (w Work) usage() Usage {
	u := Usage{Jobs: 1, SparkSpent: w.SparkSpent, PaidSparkSpent: w.PaidSparkSpent, SvcSpent: w.SvcSpent}
	if w.ByPlan {
		u.PlanJobs, u.PlanSpark, u.PlanUSD = 1, w.Spark, w.USD
	}
	return u
}

func (s *sums) addUsage(w Work, day string) {
	k := UsageKey{w.Wallet, day}
	u := s.usage[k]
	u.Add(w.usage())
	s.usage[k] = u
	for _, day := range []string{day, Lifetime} {
		k := PartKey{w.Wallet, day, w.App, w.Network, w.ModelID}
		p := s.parts[k]
		p.Usage.Add(w.usage())
		p.Spark += w.Spark
		s.parts[k] = p
		if w.KeyID == "" {
			continue
		}
		sum := s.keys[KeyDay{w.Wallet, day, w.KeyID}]
		sum.Add(KeySums{w.usage(), w.Spark, w.USD})
		s.keys[KeyDay{w.Wallet, day, w.KeyID}] = sum
	}
}

func (s *sums) addWorker(w Work, k WorkerKey) {
	if !w.Failed {
		u := s.uses[UseKey{k, w.ModelID}]
		u.Add(UseSums{1, w.Spark, w.Held})
		s.uses[UseKey{k, w.ModelID}] = u
	}
	c := s.workers[k]
	c.Add(w.worker())
	s.workers[k] = c
}

// worker is what a record adds to the counters of its worker.
func (w Work) worker() WorkerSums {
	if w.Failed {
		return WorkerSums{Errors: 1, Work: w.Held}
	}
	c := WorkerSums{
		Jobs: 1, Work: w.Held, Render: w.Render, Switch: w.Switch, Priming: w.Priming,
		Spark: w.Spark, USD: w.USD,
	}
	if w.ByPlan {
		c.PlanSpark = w.Spark
	}
	return c
}

// row is a row to be written: its key, or all its values, and its sums.
type row struct {
	keys []any
	sums []int64
}

const (
	usageSums  = `jobs, plan_jobs, plan_spark, plan_usd, spark_spent, paid_spark_spent, svc_spent`
	keyDays    = `wallet, day, key_id`
	partKeys   = `wallet, day, app, network, model_id`
	workerKeys = `wallet, day, network, nft`
	workerSums = `jobs, errors, connected_ms, work_ms, render_ms, switch_ms, priming_ms, spark, usd, plan_spark`
	useKeys    = `wallet, day, network, nft, model_id`
	useSums    = `jobs, spark, work_ms`
	payKeys    = `worker, month, network, nft, wallet`
	paySums    = `jobs, plan_spark, usd, svc`
)

// addSums adds to the counters. Rows are written in the order of their keys, so
// that two transactions do not wait for each other.
func (tx *Tx) addSums(s *sums) error {
	for _, t := range []struct {
		table, keys, sums string
		rows              []row
	}{
		{"usage_day", "wallet, day", usageSums, sortedRows(s.usage, UsageKey.values, func(u Usage) []int64 { return u.numbers() })},
		{"usage_part", partKeys, usageSums + ", spark", sortedRows(s.parts, PartKey.values, func(p PartSums) []int64 { return append(p.numbers(), int64(p.Spark)) })},
		{"usage_key", keyDays, usageSums + ", spark, usd", sortedRows(s.keys, KeyDay.values, KeySums.sums)},
		{"worker_count", workerKeys, workerSums, sortedRows(s.workers, WorkerKey.values, func(c WorkerSums) []int64 { return c.numbers() })},
		{"worker_use", useKeys, useSums, sortedRows(s.uses, UseKey.values, UseSums.numbers)},
		{"worker_pay", payKeys, paySums, sortedRows(s.pays, PayKey.values, PaySums.numbers)},
	} {
		if err := tx.addRows(t.table, t.keys, t.sums, t.rows); err != nil {
			return err
		}
	}
	return nil
}

func (k UsageKey) values() []any { return []any{string(k.Wallet), k.Day} }
func (k PartKey) values() []any {
	return []any{string(k.Wallet), k.Day, k.App, string(k.Network), k.ModelID}
}
func (k WorkerKey) values() []any {
	return []any{string(k.Wallet), k.Day, string(k.Network), k.NFT}
}
func (k KeyDay) values() []any { return []any{string(k.Wallet), k.Day, k.KeyID} }
func (k UseKey) values() []any { return append(k.WorkerKey.values(), k.ModelID) }

// sortedRows makes rows of sums, in the order of their keys.
func sortedRows[K comparable, S any](m map[K]S, keys func(K) []any, numbers func(S) []int64) []row {
	rows := make([]row, 0, len(m))
	for k := range maps.Keys(m) {
		rows = append(rows, row{keys(k), numbers(m[k])})
	}
	slices.SortFunc(rows, func(a, b row) int {
		for i := range a.keys {
			if c := strings.Compare(a.keys[i].(string), b.keys[i].(string)); c != 0 {
				return c
			}
		}
		return 0
	})
	return rows
}

// addRows adds sums to the rows of a table. A sum at the largest integer stays
// there: a change must not fail because of it.
func (tx *Tx) addRows(table, keys, sums string, rows []row) error {
	set := ""
	for i, c := range strings.Split(sums, ", ") {
		if i > 0 {
			set += ", "
		}
		set += c + " = CASE WHEN " + table + "." + c + " > 9223372036854775807 - excluded." + c + " THEN 9223372036854775807 ELSE " + table + "." + c + " + excluded." + c + " END"
	}
	return tx.insertRows(`INSERT INTO `+table+` (`+keys+`, `+sums+`) VALUES `, ` ON CONFLICT (`+keys+`) DO UPDATE SET `+set, rows)
}

// insertSizes are how many rows one statement writes. There are few sizes, because
// each is a prepared statement.
var insertSizes = []int{32, 8, 1}

// insertRows writes rows of the same width.
func (tx *Tx) insertRows(head, tail string, rows []row) error {
	for len(rows) > 0 {
		n := 1
		for _, size := range insertSizes {
			if size <= len(rows) {
				n = size
				break
			}
		}
		var (
			text strings.Builder
			args []any
		)
		text.WriteString(head)
		for i, r := range rows[:n] {
			if i > 0 {
				text.WriteString(", ")
			}
			text.WriteString("(" + database.Marks(len(args)+1, len(r.keys)+len(r.sums)) + ")")
			args = append(args, r.keys...)
			for _, s := range r.sums {
				args = append(args, s)
			}
		}
		text.WriteString(tail)
		if _, err := tx.Exec(text.String(), args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// AddConnected adds connected time of workers to their counters and to those of the
// network, on the given days and over the lifetime.
func (tx *Tx) AddConnected(times map[WorkerKey]time.Duration) error {
	s := newSums(nil)
	for k, d := range times {
		for _, key := range []WorkerKey{
			k, {Wallet: k.Wallet, Network: k.Network, NFT: k.NFT},
			{Day: k.Day, Network: k.Network}, {Network: k.Network},
		} {
			c := s.workers[key]
			c.Connected += d
			s.workers[key] = c
		}
	}
	return tx.addSums(s)
}
