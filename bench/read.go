package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// read is a request whose rate is measured against a bare handler.
type read struct {
	name      string
	path      string
	account   bool    // with an API key: on every database
	unchanged bool    // with the ETag of the answer, so that the answer is 304
	aim       float64 // of the ratio; 0 for none
}

var readTable = []read{
	{name: "account read", path: "/v2/account/me", account: true, aim: 0.6},
	{name: "balance read", path: "/v4/account/balance", account: true},
	{name: "plans", path: "/v1/subscriptions/plans"},
	{name: "model catalog", path: "/v1/model-catalog", aim: 0.8},
	{name: "model catalog, unchanged (304)", path: "/v1/model-catalog", unchanged: true, aim: 0.8},
}

// turns is how often the service and the bare handler take turns.
const turns = 7

// reads measures every read of the table.
func (b *bench) reads(ctx context.Context) error {
	b.out.part(fmt.Sprintf("Read: requests/s as a ratio to a bare net/http handler that answers the same bytes (%d connections)", connections))
	if err := b.readsOn(ctx, "SQLite", "", func(read) bool { return true }); err != nil {
		return err
	}
	server := os.Getenv("ATELIER_TEST_POSTGRES_URL")
	if server == "" {
		b.out.skip("PostgreSQL", "ATELIER_TEST_POSTGRES_URL is not set")
		return nil
	}
	database, drop, err := newDatabase(ctx, server)
	if err != nil {
		b.out.skip("PostgreSQL", err.Error())
		return nil
	}
	defer drop()
	return b.readsOn(ctx, "PostgreSQL", database, func(r read) bool { return r.account })
}

func (b *bench) readsOn(ctx context.Context, engine, database string, picked func(read) bool) error {
	s := service{program: b.program, data: filepath.Join(b.dir, "read-"+engine), database: database}
	key, err := s.account(ctx)
	if err != nil {
		return err
	}
	server, err := s.serve(ctx)
	if err != nil {
		return err
	}
	defer server.stop()
	for _, r := range readTable {
		if !picked(r) {
			continue
		}
		name := r.name
		if r.account {
			name += ", " + engine
		}
		if err := b.compare(ctx, name, r, key, server); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// compare measures one read: the service and the bare handler in turns.
func (b *bench) compare(ctx context.Context, name string, r read, key string, server *process) error {
	headers := map[string]string{}
	if r.account {
		headers["Authorization"] = "Bearer " + key
	}
	a, err := ask(ctx, server.url+r.path, headers)
	if err == nil && r.unchanged && a.Status == http.StatusOK {
		headers["If-None-Match"] = a.ETag
		a, err = ask(ctx, server.url+r.path, headers)
	}
	switch {
	case err != nil:
		return err
	case a.Status == http.StatusNotFound:
		b.out.skip(name, "the service has no "+r.path)
		return nil
	case a.Status != http.StatusOK && !r.unchanged, a.Status != http.StatusNotModified && r.unchanged:
		return fmt.Errorf("%s answered %d: %s", r.path, a.Status, a.Body)
	}
	baseline, err := startBaseline(ctx, a)
	if err != nil {
		return err
	}
	defer baseline.stop()

	req := request(r.path, headers)
	sides := [2]side{{process: server}, {process: baseline}}
	for i := range sides {
		if err := sides[i].open(ctx, req, a.Status); err != nil {
			return err
		}
		defer sides[i].load.close()
	}
	var ratios []float64
	for range turns {
		for i := range sides {
			if err := sides[i].turn(ctx, b.time/2); err != nil {
				return err
			}
		}
		ratios = append(ratios, sides[0].last()/sides[1].last())
	}
	ratio := math.Floor(median(ratios)*100) / 100 // as it is printed, and never rounded up to its aim
	more := fmt.Sprintf("%s of %s/s, %d bytes", count(median(sides[0].rates)), count(median(sides[1].rates)), len(a.Body))
	if own, baseline := sides[0].cost(), sides[1].cost(); own > 0 && baseline > 0 {
		more += fmt.Sprintf(", CPU %.1f of %.1f µs", own, baseline)
	}
	b.out.row(name, fmt.Sprintf("%.2f", ratio), atLeast(r.aim), ratio >= r.aim, more)
	return nil
}

// side is one of two servers that take turns.
type side struct {
	process *process
	load    *load
	rates   []float64     // answers a second, a turn each
	answers float64       // in all turns
	cpu     time.Duration // what the server used for them
}

// open connects and warms up.
func (s *side) open(ctx context.Context, req []byte, status int) (err error) {
	if s.load, err = connect(s.process.url, req, status); err != nil {
		return err
	}
	_, err = s.load.run(ctx, 200*time.Millisecond)
	return err
}

func (s *side) turn(ctx context.Context, d time.Duration) error {
	before, _ := s.process.cpu()
	rate, err := s.load.run(ctx, d)
	after, _ := s.process.cpu()
	s.rates = append(s.rates, rate)
	s.answers += rate * d.Seconds()
	s.cpu += after - before
	return err
}

func (s *side) last() float64 { return s.rates[len(s.rates)-1] }

// cost is the server's processor time for one answer, in microseconds.
func (s *side) cost() float64 { return float64(s.cpu.Microseconds()) / s.answers }

// ask reads an answer once, to have it repeated.
func ask(ctx context.Context, url string, headers map[string]string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return answer{}, err
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	response, err := (&http.Transport{DisableKeepAlives: true, DisableCompression: true}).RoundTrip(req)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header.Get("Content-Type"), response.Header.Get("ETag"), body}, err
}
