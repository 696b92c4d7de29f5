package analytics

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Limits of charts, in days.
const (
	MaxEventDays = 120
	MaxModelDays = 90
	defaultDays  = 7
)

// Span is which days a chart shows: so many from a day on, or, without one, up to today.
// Without a number, a span from a day on runs through today.
type Span struct {
	Start string
	Count int
}

// days lists the days of a span, as midnights UTC.
func (s Span) days(now time.Time, most int) ([]time.Time, error) {
	today := now.UTC().Truncate(24 * time.Hour)
	if s.Count < 0 || s.Count > most {
		return nil, atelier.Refuse("count", "must be from 1 to %d, not %d.", most, s.Count)
	}
	count := s.Count
	first := today.AddDate(0, 0, 1-max(count, 1))
	if s.Start == "" && count == 0 {
		count = defaultDays
		first = today.AddDate(0, 0, 1-count)
	}
	if s.Start != "" {
		var err error
		if first, err = parseDay("startDate", s.Start); err != nil {
			return nil, err
		}
		if count == 0 {
			count = int(today.Sub(first)/(24*time.Hour)) + 1
			switch {
			case count < 1:
				return nil, atelier.Refuse("startDate", "is in the future: send an earlier one, or count.")
			case count > most:
				return nil, atelier.Refuse("startDate", "is more than %d days ago: send a later one, or count.", most)
			}
		}
	}
	out := make([]time.Time, count)
	for i := range out {
		out[i] = first.AddDate(0, 0, i)
	}
	return out, nil
}

func between(days []time.Time) store.Between {
	return store.Between{From: store.Day(days[0]), To: store.Day(days[len(days)-1])}
}

// EventChart is values of events by day.
type EventChart struct {
	Fields []string
	Days   []EventDay
}

// EventDay is the values of a day, in the order of the fields.
type EventDay struct {
	At     time.Time // midnight UTC
	Values []string
}

// Events reads a chart of events. When one of them is a counter of the whole network,
// the subject is ignored for all.
func (e *Engine) Events(ctx context.Context, names []string, s Subject, span Span) (c EventChart, err error) {
	if len(names) == 0 {
		return c, atelier.Refuse("query", "must name at least one counter. supportedOptions lists them.").With("supportedOptions", EventNames())
	}
	for _, name := range names {
		if !slices.Contains(EventNames(), name) {
			return c, unknownEvent("query", name)
		}
		if isNetworkEvent(name) {
			s = Subject{}
		}
	}
	if err := s.checkCounters(); err != nil {
		return c, err
	}
	days, err := span.days(e.now(), MaxEventDays)
	if err != nil {
		return c, err
	}
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		f, err := s.filter(tx, between(days))
		if err != nil {
			return err
		}
		sums, err := workerDays(tx, f)
		if err != nil {
			return err
		}
		c = EventChart{Fields: names}
		for _, day := range days {
			c.Days = append(c.Days, EventDay{At: day})
		}
		for _, name := range names {
			if err := c.fill(tx, name, sums, f.Between); err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}

// fill adds the values of an event to the days of a chart.
func (c *EventChart) fill(tx *store.Tx, name string, sums map[string]store.WorkerSums, b store.Between) error {
	for _, e := range networkEvents {
		if e.name != name {
			continue
		}
		values, err := e.read(tx, b)
		for i, day := range c.Days {
			c.Days[i].Values = append(day.Values, whole(values[store.Day(day.At)]))
		}
		return err
	}
	for _, e := range events {
		if e.name != name {
			continue
		}
		for i, day := range c.Days {
			c.Days[i].Values = append(day.Values, e.value(sums[store.Day(day.At)]))
		}
	}
	return nil
}

func isNetworkEvent(name string) bool {
	for _, e := range networkEvents {
		if e.name == name {
			return true
		}
	}
	return false
}

// workerDays adds up counters by day.
func workerDays(tx *store.Tx, f store.WorkerFilter) (map[string]store.WorkerSums, error) {
	counts, err := tx.WorkerCounts(f)
	out := map[string]store.WorkerSums{}
	for k, c := range counts {
		s := out[k.Day]
		s.Add(c)
		out[k.Day] = s
	}
	return out, err
}

// Role is what an account has to do with a render.
type Role string

// The roles.
const (
	RoleWorker Role = "worker" // its workers rendered it
	RoleArtist Role = "artist" // it asked for it
)

// ModelUse is renders of models, and what they cost.
type ModelUse struct {
	Jobs  map[string]int64 // by model
	Spark map[string]atelier.Money
}

func newModelUse() ModelUse { return ModelUse{map[string]int64{}, map[string]atelier.Money{}} }

func (u ModelUse) add(model string, jobs int64, spark atelier.Money) {
	u.Jobs[model] += jobs
	u.Spark[model] += spark
}

// Models lists the models, the most used first.
func (u ModelUse) Models() []string {
	list := slices.Sorted(maps.Keys(u.Jobs))
	slices.SortStableFunc(list, func(a, b string) int { return int(min(1, max(-1, u.Jobs[b]-u.Jobs[a]))) })
	return list
}

// ModelDay is the renders of a day.
type ModelDay struct {
	At time.Time // midnight UTC
	ModelUse
}

// ModelChart reads the renders of models by day. The models are all when the list is
// empty.
func (e *Engine) ModelChart(ctx context.Context, s Subject, r Role, models []string, span Span) (out []ModelDay, err error) {
	days, err := span.days(e.now(), MaxModelDays)
	if err != nil {
		return nil, err
	}
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		uses, err := modelUses(tx, s, r, between(days))
		out = nil
		for _, day := range days {
			d := ModelDay{At: day, ModelUse: newModelUse()}
			for model, jobs := range uses[store.Day(day)].Jobs {
				if len(models) == 0 || slices.Contains(models, model) {
					d.add(model, jobs, uses[store.Day(day)].Spark[model])
				}
			}
			out = append(out, d)
		}
		return err
	})
	return out, err
}

// modelUses reads the renders of a subject by day and model.
func modelUses(tx *store.Tx, s Subject, r Role, b store.Between) (map[string]ModelUse, error) {
	f, err := s.filter(tx, b)
	if err != nil {
		return nil, err
	}
	out := map[string]ModelUse{}
	add := func(day, model string, jobs int64, spark atelier.Money) {
		if out[day].Jobs == nil {
			out[day] = newModelUse()
		}
		out[day].add(model, jobs, spark)
	}
	if r != RoleArtist {
		uses, err := tx.WorkerUses(f)
		for k, u := range uses {
			add(k.Day, k.ModelID, u.Jobs, u.Spark)
		}
		return out, err
	}
	if f.Wallet == "" {
		return nil, atelier.Refuse("address", "is required with the role artist.")
	}
	parts, err := tx.UsageParts(f.Wallet, b)
	for k, p := range parts {
		if k.Network != "" && (f.Network == "" || f.Network == k.Network) {
			add(k.Day, k.ModelID, p.Jobs, p.Spark)
		}
	}
	return out, err
}

// LifetimeModels reads all renders of a network, or of both when it is empty, by model.
func (e *Engine) LifetimeModels(ctx context.Context, n atelier.Network) (u ModelUse, err error) {
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		uses, err := modelUses(tx, Subject{Network: n}, RoleWorker, store.Between{})
		u = newModelUse()
		if found, isUsed := uses[store.Lifetime]; isUsed {
			u = found
		}
		return err
	})
	return u, err
}

// UserModel is the use of a model by an account.
type UserModel struct {
	ModelID string
	Jobs    int64
	Spark   atelier.Money
	Rank    int // among the accounts in the same role, from 1; zero when it was not asked for
}

// UserStats reads the models of a subject by use, the most used first, on a day or,
// when the day is empty, over its lifetime: a page of them, from 1, and how many there
// are. The rank is that of an account, not of an NFT.
func (e *Engine) UserStats(ctx context.Context, s Subject, r Role, day string, page, limit int, rank bool) (list []UserModel, total int, err error) {
	if day != "" {
		if _, err := parseDay("date", day); err != nil {
			return nil, 0, err
		}
	}
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		uses, err := modelUses(tx, s, r, store.Between{From: day, To: day})
		if err != nil {
			return err
		}
		u := uses[day]
		models := u.Models()
		total, list = len(models), nil
		first := min(total, (min(page, total+1)-1)*limit)
		models = models[first:min(total, first+limit)]
		for _, m := range models {
			list = append(list, UserModel{ModelID: m, Jobs: u.Jobs[m], Spark: u.Spark[m]})
		}
		if !rank || len(list) == 0 {
			return nil
		}
		others, err := tx.RankUses(r == RoleArtist, s.Network, day, models)
		for i := range list {
			list[i].Rank = 1
			for _, jobs := range others[list[i].ModelID] {
				if jobs > list[i].Jobs {
					list[i].Rank++
				}
			}
		}
		return err
	})
	return list, total, err
}
