package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier/bench/flood"
	"github.com/atelier-project/atelier/bench/gateway"
	"github.com/atelier-project/atelier/bench/load"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
	"github.com/atelier-project/atelier/bench/work"
)

// floodConns is how many connections send of each kind: ten times as many as keep the service busy.
const floodConns = 160

const (
	floodTurns = 5
	floodSpan  = 4  // turns' lengths: p99 needs hundreds of requests
	floodDrain = 10 // in which a flood uses up what its limits let through at once: a minute's worth
)

// limited is what the figures with limits are called.
const limited = "limited"

// politeLimits are those that docs/scale.md recommends for an account with many people behind it.
var politeLimits = []string{
	"ATELIER_WORKERS_EMBEDDED=false", "ATELIER_WORKERS_LEASE=2m", "ATELIER_LIMITS_ACTIVE_WORKFLOWS=200", "ATELIER_LIMITS_WORKFLOW_STARTS_PER_MINUTE=600",
	"ATELIER_LIMITS_LLM_REQUESTS_PER_MINUTE=3000", "ATELIER_LIMITS_ACCOUNT_READS_PER_MINUTE=6000", "ATELIER_LIMITS_COMPLETIONS_PER_ACCOUNT=400",
}

// withoutRates are the same without a limit of requests a minute: only turns and shares are between two accounts.
var withoutRates = append(slices.Clone(politeLimits), "ATELIER_LIMITS_WORKFLOW_STARTS_PER_MINUTE="+server.Enough,
	"ATELIER_LIMITS_LLM_REQUESTS_PER_MINUTE="+server.Enough, "ATELIER_LIMITS_ACCOUNT_READS_PER_MINUTE="+server.Enough)

// polites are what the polite account does, and how often: half of what its limits allow.
var polites = []struct {
	name  string
	every time.Duration
	do    func(*polite, context.Context) error
}{
	{"list", 25 * time.Millisecond, (*polite).list},
	{"chat", 40 * time.Millisecond, (*polite).chat},
	{"stream opened", 100 * time.Millisecond, (*polite).stream},
	{"workflow, start to end", 200 * time.Millisecond, (*polite).workflow},
}

// polite is an account that works at a steady pace.
type polite struct {
	service *work.Service
	conns   map[string]*load.Conn

	mu     sync.Mutex
	took   map[string][]float64
	failed int
	fault  error // the first
}

// floods measures a polite account beside one that sends as much as it can, to what its requests take alone: with the
// limits that are recommended, where the flood is of all kinds, and without limits of rates, beside each kind.
func (b *bench) floods(ctx context.Context) error {
	b.out.Begin("Flood", fmt.Sprintf("p99 of an account that works at a steady pace beside one with %d connections of a kind that ask again at once, to what it is alone; SQLite", floodConns))
	model, err := startModel(ctx)
	if err != nil {
		return err
	}
	defer model.Stop()
	if err := b.flood(ctx, limited, politeLimits, model, []flooding{{"all", flood.Kinds}}); err != nil {
		return err
	}
	var each []flooding
	for _, kind := range flood.Kinds {
		each = append(each, flooding{kind, []string{kind}})
	}
	return b.flood(ctx, "no rates", withoutRates, model, each)
}

// flooding is what a flood sends.
type flooding struct {
	name  string
	kinds []string
}

// flood measures a service with some limits, beside some floods.
func (b *bench) flood(ctx context.Context, name string, limits []string, model *gateway.Gateway, list []flooding) error {
	file := filepath.Join(b.dir, "flood.yaml")
	text, err := json.Marshal(gateway.Models(model.Process.URL)) // JSON is YAML
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		return err
	}
	config := b.service("flood "+name, append([]string{"ATELIER_CONFIG=" + file}, limits...)...)
	s, err := work.OpenLimited(ctx, config, 2)
	if err != nil {
		return err
	}
	defer s.Stop()
	for _, f := range list {
		if err := b.beside(ctx, s, name, f); err != nil {
			return fmt.Errorf("%s beside %s: %w", name, f.name, err)
		}
	}
	return nil
}

// beside measures one kind of flood, in turns with none and with one by the polite account itself.
func (b *bench) beside(ctx context.Context, s *work.Service, name string, floods flooding) error {
	workers, err := s.Connect(ctx, 2, 4)
	if err != nil {
		return err
	}
	fault := make(chan error, 8)
	alone, beside := map[string]measure.Series{}, map[string]measure.Series{}
	own := map[string]measure.Series{}
	var sent flood.Sent
	failed, drain := 0, time.Duration(0)
	if name == limited {
		drain = floodDrain * b.turn
	}
	err = workers.Run(func() {}, fault, func() error {
		for range floodTurns {
			for _, turn := range []struct {
				into    map[string]measure.Series
				account int // that floods; none below 0
			}{{alone, -1}, {beside, 1}, {own, 0}} {
				if turn.account == 0 && name == limited {
					continue // its own flood would leave nothing of its limits
				}
				p, one, err := b.politely(ctx, s, floods.kinds, turn.account, drain)
				if err != nil {
					return err
				}
				for kind, took := range p.took {
					turn.into[kind] = append(turn.into[kind], measure.Percentile(took, 99))
				}
				if turn.account == 1 {
					failed += p.failed
					sent = one
				} else if p.failed > 0 && turn.account < 0 {
					return fmt.Errorf("alone: %w", p.fault)
				}
			}
			select {
			case err := <-fault:
				return err
			default:
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, kind := range polites {
		ms := func(side string, turns measure.Series) measure.Side {
			return measure.Side{Name: side, Unit: "ms", Turns: turns}
		}
		m := measure.Ratio(fmt.Sprintf("%s: %s beside %s", name, kind.name, floods.name), measure.Less, ms("beside", beside[kind.name]), ms("alone", alone[kind.name]))
		m.Note = fmt.Sprintf("%d failed; the flood had %d answers in its last turn, %.0f %% not refused", failed, sent.Total(), sent.Share())
		if turns := own[kind.name]; len(turns) > 0 {
			m.Note += fmt.Sprintf("; beside its own flood %s ms", measure.Number(turns.Median()))
		}
		b.out.Add(m)
	}
	return nil
}

// politely has the polite account work for a turn, beside a flood of the account with a number, or none, that has gone
// on for a time. What the flood has left is over before it returns.
func (b *bench) politely(ctx context.Context, s *work.Service, sends []string, account int, before time.Duration) (p *polite, sent flood.Sent, err error) {
	p = &polite{service: s, conns: map[string]*load.Conn{}, took: map[string][]float64{}}
	var f *flood.Flood
	if account >= 0 {
		if f, err = flood.Start(ctx, flood.Options{URL: s.URL, Headers: s.Clients[account], Model: gateway.Free, Kinds: sends, Conns: floodConns / len(sends)}); err != nil {
			return p, sent, err
		}
		if err := load.Sleep(ctx, before); err != nil {
			return p, sent, err
		}
	}
	for _, kind := range polites { // not earlier: the service closes a connection that asks for nothing
		c, err := load.Dial(ctx, s.URL, s.Clients[0])
		if err != nil {
			return p, sent, err
		}
		defer c.Close()
		p.conns[kind.name] = c
	}
	p.work(ctx, floodSpan*b.turn)
	if f != nil {
		if sent, err = f.Stop(); err != nil {
			return p, sent, err
		}
		err = load.Sleep(ctx, b.turn) // its last workflows end
	}
	return p, sent, err
}

// work works for a time.
func (p *polite) work(ctx context.Context, span time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, span)
	defer cancel()
	var wg sync.WaitGroup
	for _, kind := range polites {
		wg.Go(func() {
			for tick := time.NewTicker(kind.every); ; {
				select {
				case <-ctx.Done():
					tick.Stop()
					return
				case <-tick.C:
				}
				began := time.Now()
				err := kind.do(p, context.WithoutCancel(ctx))
				took := load.Milliseconds(time.Since(began))
				p.mu.Lock()
				if err != nil {
					p.failed++
					p.fault = cmp.Or(p.fault, err)
				} else {
					p.took[kind.name] = append(p.took[kind.name], took)
				}
				p.mu.Unlock()
			}
		})
	}
	wg.Wait()
}

func (p *polite) list(context.Context) error {
	_, err := p.conns["list"].Want(200, "GET", work.Path+"?limit=20", "", nil)
	return err
}

func (p *polite) chat(context.Context) error {
	_, err := p.conns["chat"].Want(200, "POST", flood.ChatPath, load.JSON, flood.ChatBody(gateway.Free))
	return err
}

func (p *polite) stream(ctx context.Context) error {
	c, err := load.DialStream(ctx, p.service.URL, p.service.Clients[0])
	if err != nil {
		return err
	}
	defer c.Close()
	return flood.OpenStream(c)
}

func (p *polite) workflow(context.Context) error {
	c := p.conns["workflow, start to end"]
	id, err := work.Start(c, work.Plan(1))
	if err == nil {
		err = work.Await(c, work.StreamPath(id), "workflow_completed", func() {})
	}
	return err
}
