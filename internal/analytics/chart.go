package analytics

import (
	"cmp"
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

// Span is which days a chart shows: a number of days from a day on, or, without one, up to today.
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
	Fields []string // each once
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
	if err := checkNames("query", names, chartNames()); err != nil {
		return c, err
	}
	names = unique(names)
	if slices.ContainsFunc(names, isNetworkEvent) {
		s = Subject{}
	}
	if err := s.checkCounters(); err != nil {
		return c, err
	}
	days, err := span.days(e.now(), MaxEventDays)
	if err != nil {
		return c, err
	}
	err = e.db.SnapshotBehind(ctx, func(tx *store.Tx) error {
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
			if err := c.fill(tx, name, sums, f.Between, store.Day(e.now())); err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}

// fill adds the values of an event to the days of a chart.
func (c *EventChart) fill(tx *store.Tx, name string, sums map[string]store.WorkerSums, b store.Between, today string) error {
	for _, e := range networkEvents {
		if e.name != name {
			continue
		}
		values, err := e.read(tx, b, today)
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

// unique drops repeated names.
func unique(names []string) (out []string) {
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func isNetworkEvent(name string) bool { return !slices.Contains(counterNames(), name) }

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

// ModelChart is renders of models by day.
type ModelChart struct {
	Role   Role
	Models []string // that it may show: those that were asked for, or all that were used, by name
	Days   []ModelDay
}

// ModelDay is the renders of a day.
type ModelDay struct {
	At time.Time // midnight UTC
	ModelUse
}

// checkModels checks of whom renders of models can be read: of an account in a role, or of
// NFTs, whose workers are on the fast network.
func (s Subject) checkModels(r Role) error {
	switch {
	case s.NFTs != nil && r == RoleArtist:
		return atelier.Refuse("role", "must be worker with an NFT.")
	case s.NFTs != nil && s.Network != atelier.NetworkFast:
		return atelier.Refuse("network", "must be fast with an NFT.")
	case s.NFTs == nil && s.Address+s.Username == "":
		return atelier.Refuse("address", "is required, unless an NFT is named.")
	case s.NFTs == nil && r == "":
		return atelier.Refuse("role", "is required with an account: worker or artist.")
	}
	return nil
}

// ModelChart reads the renders of models by day. The models are all when the list is
// empty.
func (e *Engine) ModelChart(ctx context.Context, s Subject, r Role, models []string, span Span) (c ModelChart, err error) {
	days, err := span.days(e.now(), MaxModelDays)
	if err == nil {
		err = s.checkModels(r)
	}
	if err != nil {
		return c, err
	}
	err = e.db.SnapshotBehind(ctx, func(tx *store.Tx) error {
		uses, err := modelUses(tx, s, r, between(days))
		c = ModelChart{Role: cmp.Or(r, RoleWorker)}
		shown := map[string]bool{}
		for _, model := range models {
			shown[model] = true
		}
		for _, day := range days {
			d := ModelDay{At: day, ModelUse: newModelUse()}
			for model, jobs := range uses[store.Day(day)].Jobs {
				if len(models) == 0 {
					shown[model] = true
				}
				if shown[model] {
					d.add(model, jobs, uses[store.Day(day)].Spark[model])
				}
			}
			c.Days = append(c.Days, d)
		}
		c.Models = slices.AppendSeq([]string{}, maps.Keys(shown))
		slices.Sort(c.Models)
		return err
	})
	return c, err
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
	parts, err := tx.UsageParts(f.Wallet, b)
	for k, p := range parts {
		if k.Network.HasWorkers() && (f.Network == "" || f.Network == k.Network) {
			add(k.Day, k.ModelID, p.Jobs, p.Spark)
		}
	}
	return out, err
}

// LifetimeModels reads all renders of a network, or of both when it is empty, by model.
func (e *Engine) LifetimeModels(ctx context.Context, n atelier.Network) (u ModelUse, err error) {
	err = e.db.SnapshotBehind(ctx, func(tx *store.Tx) error {
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
	Rank    int // among accounts in the same role, or among NFTs, from 1; zero when it was not asked for
}

// StatsQuery selects the models of a subject.
type StatsQuery struct {
	Subject
	Role
	Daily bool   // of a day; otherwise over the lifetime
	Date  string // of the day; today when empty
	Page  int    // from 1
	Limit int    // of a page
	Rank  bool
}

// UserStats reads a page of the models of a subject, the most used first, and how many
// there are.
func (e *Engine) UserStats(ctx context.Context, q StatsQuery) (list []UserModel, total int, err error) {
	day := store.Lifetime
	switch {
	case q.Daily:
		day, err = e.day(q.Date)
	case q.Date != "":
		err = atelier.Refuse("date", "is taken with the period day only.")
	}
	if err == nil {
		err = q.checkModels(q.Role)
	}
	if err != nil {
		return nil, 0, err
	}
	err = e.db.SnapshotBehind(ctx, func(tx *store.Tx) error {
		uses, err := modelUses(tx, q.Subject, q.Role, store.Between{From: day, To: day})
		if err != nil {
			return err
		}
		u := uses[day]
		models := u.Models()
		total, list = len(models), nil
		first := min(total, (min(q.Page, total+1)-1)*q.Limit)
		ranked := map[string]int64{}
		for _, m := range models[first:min(total, first+q.Limit)] {
			list = append(list, UserModel{ModelID: m, Jobs: u.Jobs[m], Spark: u.Spark[m]})
			ranked[m] = u.Jobs[m]
		}
		if !q.Rank || len(list) == 0 {
			return nil
		}
		ranks, err := tx.RankUses(q.among(), q.Network, day, ranked)
		for i := range list {
			list[i].Rank = ranks[list[i].ModelID]
		}
		return err
	})
	return list, total, err
}

// among is with whom a subject is compared.
func (q StatsQuery) among() store.Ranked {
	switch {
	case q.NFTs != nil:
		return store.RankedNFTs
	case q.Role == RoleArtist:
		return store.RankedArtists
	}
	return store.RankedWorkers
}
