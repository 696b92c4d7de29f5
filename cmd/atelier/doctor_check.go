package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	neturl "net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store"
)

// checks are made side by side, and printed in this order.
var checks = []check{
	{"database", checkDatabase},
	{"storage", checkStorage},
	{"NATS", checkBus},
	{"servers", checkConnections},
	{"clock", checkClock},
	{"disk", checkDisk},
}

// notYet says what creates what is missing before the first start.
const notYet = "atelier serve creates it; if there should be one, check --data and --config"

func checkDatabase(ctx context.Context, c *config.Config) []finding {
	kind := "PostgreSQL"
	if c.DatabaseURL == "" {
		kind = c.DatabaseFile()
		if _, err := os.Stat(kind); errors.Is(err, os.ErrNotExist) {
			return []finding{warning(notYet, "there is no database at %s yet", kind)}
		}
	}
	n, err := node.PendingMigrations(ctx, c)
	switch {
	case err != nil && c.DatabaseURL == "":
		return []finding{failed("restore the file from a backup, or see who may read it", "%s", oneLine(err))}
	case isMissingTable(err) && ctx.Err() == nil:
		return []finding{warning(notYet, "the database has no tables of the service yet")}
	case err != nil:
		return []finding{failed("check database_url, and that the server is running and lets this machine in", "%s", oneLine(err))}
	case n > 0:
		return []finding{warning("make a backup first", "%s answers; the next start of this program upgrades its tables (%d migrations)", kind, n)}
	}
	return []finding{fine("%s answers", kind)}
}

// hasNoDatabase reports whether an error says that the service has not run on this database yet.
func hasNoDatabase(err error, c *config.Config) bool {
	return errors.Is(err, store.ErrNoDatabase) && (c.DatabaseURL == "" || isMissingTable(err))
}

// isMissingTable tells a database without tables from one that does not answer.
func isMissingTable(err error) bool {
	var state interface{ SQLState() string }
	return errors.As(err, &state) && state.SQLState() == "42P01" // undefined_table
}

func checkStorage(ctx context.Context, c *config.Config) []finding {
	if c.StorageURL != "" {
		switch err := node.PingStorage(ctx, c); {
		case errors.Is(err, blob.ErrNoBucket):
			return []finding{warning("atelier serve creates it; if there should be one, check storage_url", "%s", oneLine(err))}
		case err != nil:
			return []finding{failed("check storage_url and the credentials", "%s", oneLine(err))}
		}
		return []finding{fine("the bucket can be written to")}
	}
	dir := c.MediaDir()
	f, err := os.CreateTemp(dir, ".doctor-*")
	switch {
	case errors.Is(err, os.ErrNotExist):
		return []finding{warning(notYet, "there is no media directory at %s yet", dir)}
	case err != nil:
		return []finding{failed("let the user of the service write there", "%s", oneLine(err))}
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return []finding{failed("let the user of the service write there", "%s", oneLine(err))}
	}
	return []finding{fine("%s can be written to", dir)}
}

func checkBus(ctx context.Context, c *config.Config) []finding {
	switch {
	case c.NATSURL == "" && c.DatabaseURL != "":
		return []finding{fine("not used: nodes notify each other through PostgreSQL")}
	case c.NATSURL == "":
		return []finding{fine("not used: one node needs none")}
	}
	if err := node.PingBus(ctx, c); err != nil {
		return []finding{failed("check nats_url, and that a server of it is running", "%s", oneLine(err))}
	}
	return []finding{fine("a server answers")}
}

// kindName is what people call the servers of a kind.
var kindName = map[apitype.ConnectionKind]string{
	apitype.ConnectionLLM: "model server", apitype.ConnectionComfyUI: "ComfyUI", apitype.ConnectionImages: "image server",
	apitype.ConnectionVendor: "vendor", apitype.ConnectionLoraSource: "LoRA site",
}

// checkConnections asks every server that is connected.
func checkConnections(ctx context.Context, c *config.Config) []finding {
	list, err := node.AskConnections(ctx, c)
	unknown := errors.Is(err, node.ErrStoredUnknown) && !hasNoDatabase(err, c)
	if err != nil && !errors.Is(err, node.ErrStoredUnknown) {
		return []finding{failed("atelier connect list shows them", "%s", oneLine(err))}
	}
	var out []finding
	has := map[apitype.ConnectionKind]bool{}
	for _, one := range list.Connections {
		if one.From == apitype.ConnectionFromDefault { // what the operator has not chosen is not asked
			continue
		}
		has[one.Kind] = true
		f := connectionFinding(one)
		f.Check = kindName[one.Kind] + " " + one.Name
		out = append(out, f)
	}
	for _, none := range []struct {
		kind apitype.ConnectionKind
		text string
	}{
		{apitype.ConnectionLLM, "none is connected: the built-in model answers"},
		{apitype.ConnectionComfyUI, "none is connected: workers and the CPU render"},
		{apitype.ConnectionVendor, "none is connected"},
	} {
		if has[none.kind] {
			continue
		}
		f := fine("%s", none.text)
		switch {
		case unknown:
			f = warning("see the database", "the configuration has none; those that were connected later are in the database, and not known now")
		case none.kind == apitype.ConnectionLLM && !c.LLM.Builtin:
			f = warning("connect one with atelier connect llm URL", "none is connected, and llm.builtin is false: chats have no model")
		}
		f.Check = kindName[none.kind]
		out = append(out, f)
	}
	return out
}

func connectionFinding(one apitype.Connection) finding {
	remedy := fmt.Sprintf("see that it runs at %s and accepts the API key", address(one))
	switch {
	case one.Problem != nil:
		return failed("change or remove it with atelier connect", "%s", *one.Problem)
	case one.Health == nil:
		return failed(remedy, "no answer within %s", checkWithin)
	case one.Health.State == apitype.ConnectionFailing:
		return failed(remedy, "%s", one.Health.Message)
	}
	return fine("%s", one.Health.Message)
}

// The differences to the clocks of other servers from which tokens and signatures suffer.
const (
	oddClock   = 30 * time.Second
	wrongClock = 5 * time.Minute
)

// checkClock compares the clock with the servers that the configuration names, as far as they tell the
// time: signatures of S3 and session tokens of other nodes depend on it.
func checkClock(ctx context.Context, c *config.Config) []finding {
	const remedy = "set the clock, with NTP for example"
	now := time.Now()
	if now.Year() < 2025 {
		return []finding{failed(remedy, "it is %s", now.UTC().Format(time.RFC3339))}
	}
	var (
		mu      sync.Mutex
		asking  sync.WaitGroup
		worst   time.Duration
		who     string
		answers int
	)
	for _, address := range timekeepers(c) {
		asking.Go(func() {
			off, ok := clockOffset(ctx, address)
			mu.Lock()
			defer mu.Unlock()
			if ok {
				answers++
			}
			if ok && off.Abs() >= worst.Abs() {
				worst, who = off, address
			}
		})
	}
	asking.Wait()
	switch {
	case answers == 0:
		return []finding{fine("%s; no server of the configuration tells the time to compare it with", now.UTC().Format(time.RFC3339))}
	case worst.Abs() >= wrongClock:
		return []finding{failed(remedy, "it differs by %s from that of %s", worst.Round(time.Second), who)}
	case worst.Abs() >= oddClock:
		return []finding{warning(remedy, "it differs by %s from that of %s", worst.Round(time.Second), who)}
	}
	return []finding{fine("it agrees with that of %s", who)}
}

// timekeepers are servers of the configuration that speak HTTP.
func timekeepers(c *config.Config) (list []string) {
	if u, err := neturl.Parse(c.StorageURL); err == nil && u.Query().Get("endpoint") != "" {
		list = append(list, u.Query().Get("endpoint"))
	}
	for _, u := range c.LLM.Upstreams {
		list = append(list, u.BaseURL)
	}
	for _, v := range c.Vendors {
		list = append(list, v.BaseURL)
	}
	for i, address := range list {
		if u, err := neturl.Parse(address); err == nil {
			list[i] = u.Scheme + "://" + u.Host // without a password
		}
	}
	return list
}

// clockOffset is how far this clock is ahead of that of a server.
func clockOffset(ctx context.Context, address string) (time.Duration, bool) {
	ctx, cancel := context.WithTimeout(ctx, checkWithin/2)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return 0, false
	}
	begun := time.Now()
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0, false
	}
	defer resp.Body.Close()
	told, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return 0, false
	}
	middle := begun.Add(time.Since(begun) / 2)
	return middle.Sub(told.Add(time.Second / 2)), true // a date is cut to whole seconds
}

// checkDisk compares the free space with what the service needs to store something new.
func checkDisk(_ context.Context, c *config.Config) []finding {
	if c.DatabaseURL != "" && c.StorageURL != "" {
		return []finding{fine("not used: the database and the media are elsewhere")}
	}
	dir := c.DataDir
	for { // the directory may be missing before the first start
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	free, err := node.FreeSpace(dir)
	least := c.Limits.FreeSpaceBytes
	switch {
	case err != nil:
		return []finding{failed("see that the disk is mounted", "%s", oneLine(err))}
	case free < least:
		return []finding{failed("make space, or lower limits.free_space_bytes", "%s is free at %s, less than the %s below which nothing new is stored", size(free), dir, size(least))}
	case free < 4*least:
		return []finding{warning("make space", "%s is free at %s; below %s nothing new is stored", size(free), dir, size(least))}
	}
	return []finding{fine("%s is free at %s", size(free), dir)}
}
