package connection

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// List lists all connections, those of the configuration first. With check their servers are
// asked now.
func (e *Engine) List(ctx context.Context, check bool) (apitype.Connections, error) {
	list, err := e.entries(ctx)
	if err != nil {
		return apitype.Connections{}, err
	}
	if check { // what the program itself names is asked only by a test: many a machine has no network
		asked := slices.DeleteFunc(slices.Clone(list), func(o Entry) bool { return o.From == apitype.ConnectionFromDefault })
		each(asked, func(o Entry) { e.check(ctx, o) })
	}
	out := apitype.Connections{Connections: []apitype.Connection{}}
	for _, entry := range list {
		out.Connections = append(out.Connections, e.show(entry))
	}
	return out, nil
}

// Read reads a connection. With check its server is asked now.
func (e *Engine) Read(ctx context.Context, id string, check bool) (apitype.Connection, error) {
	entry, err := e.find(ctx, id)
	if err != nil {
		return apitype.Connection{}, err
	}
	if check {
		e.check(ctx, entry)
	}
	return e.show(entry), nil
}

// show is a connection as operators see it: without its key.
func (e *Engine) show(entry Entry) apitype.Connection {
	c := apitype.Connection{
		ConnectionID: entry.ID, Kind: entry.Kind, Name: entry.Name, From: entry.From, HasKey: entry.hasKey, ConnectionSettings: withoutPassword(entry.Settings),
	}
	if entry.Problem != "" {
		c.Problem = &entry.Problem
	}
	if entry.From == apitype.ConnectionFromStore {
		c.CreatedAt, c.UpdatedAt = &entry.createdAt, &entry.updatedAt
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if h, ok := e.health[entry.healthKey()]; ok && entry.Problem == "" {
		c.Health = &h
	}
	return c
}

func (entry Entry) healthKey() healthKey { return healthKey{entry.ID, entry.Revision} }

// The bounds of checks.
const (
	probeTimeout = 10 * time.Second
	probesAtOnce = 8
)

// isOwn reports whether a server is the operator's own, as far as its kind says: it may be asked
// at intervals. Vendors and hosting sites are asked only when an operator wants to know.
func (entry Entry) isOwn() bool {
	return entry.Kind != apitype.ConnectionVendor && entry.Kind != apitype.ConnectionLoraSource
}

// Watch asks the operator's own servers that are used whether they answer; what those have that
// answered before is asked only with whole. It forgets connections that are gone.
func (e *Engine) Watch(ctx context.Context, whole bool) error {
	list, err := e.entries(ctx)
	if err != nil {
		return err
	}
	e.mu.Lock()
	for key := range e.health {
		if !slices.ContainsFunc(list, func(o Entry) bool { return o.healthKey() == key }) {
			delete(e.health, key)
		}
	}
	e.mu.Unlock()
	check := e.check
	if !whole {
		check = e.ping
	}
	each(slices.DeleteFunc(list, func(o Entry) bool { return !o.isOwn() }), func(o Entry) { check(ctx, o) })
	return nil
}

// each calls a function for all connections, some at a time.
func each(list []Entry, do func(Entry)) {
	var running sync.WaitGroup
	places := make(chan struct{}, probesAtOnce)
	for _, entry := range list {
		running.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			do(entry)
		})
	}
	running.Wait()
}

// check asks a server, and remembers the outcome.
func (e *Engine) check(ctx context.Context, entry Entry) {
	if entry.Problem != "" {
		return
	}
	h := e.probe(ctx, entry)
	if ctx.Err() != nil {
		return // it says nothing about the server
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.health[entry.healthKey()] = h
}

// ping asks a server that answered at its last check whether it still does. Others are checked.
func (e *Engine) ping(ctx context.Context, entry Entry) {
	e.mu.Lock()
	h, known := e.health[entry.healthKey()]
	e.mu.Unlock()
	if !known || h.State != apitype.ConnectionHealthy || entry.Problem != "" {
		e.check(ctx, entry)
		return
	}
	bounded, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	if e.opts.Ping(bounded, entry) != nil {
		e.check(ctx, entry) // it says why
		return
	}
	h.CheckedAt = e.opts.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.health[entry.healthKey()] = h
}

// ask asks a server, within bounds.
func (e *Engine) ask(ctx context.Context, entry Entry) (Found, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	found, err := e.opts.Probe(ctx, entry)
	switch {
	case err == nil:
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = errors.New("the server did not answer in time")
	default:
		err = unreachable(err)
	}
	return found, err
}

// probe asks a server and describes the outcome.
func (e *Engine) probe(ctx context.Context, entry Entry) apitype.ConnectionHealth {
	found, err := e.ask(ctx, entry)
	h := apitype.ConnectionHealth{State: apitype.ConnectionHealthy, Message: found.Message, CheckedAt: e.opts.Now(), BaseURL: redacted(entry.BaseURL()), Models: found.Models}
	if found.BaseURL != "" {
		h.BaseURL = redacted(found.BaseURL)
	}
	if err != nil {
		h.State, h.Message = apitype.ConnectionFailing, capital(sentence(err.Error()))
	}
	if h.Models == nil {
		h.Models = []apitype.FoundModel{}
	}
	return h
}

// unreachable leaves the words of the network out of an error, and says what they mean.
func unreachable(err error) error {
	what, _, isNetwork := strings.Cut(err.Error(), ": dial ")
	var lookup *net.DNSError
	switch {
	case !isNetwork:
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%s. Is it running?", what)
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return fmt.Errorf("%s: the network does not lead there", what)
	case errors.As(err, &lookup):
		return fmt.Errorf("%s: the host %s was not found", what, lookup.Name)
	}
	return err
}

// capital begins a text with a capital letter.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// Test asks the server of a connection now.
func (e *Engine) Test(ctx context.Context, id string) (apitype.ConnectionTest, error) {
	entry, err := e.find(ctx, id)
	if err != nil {
		return apitype.ConnectionTest{}, err
	}
	if entry.Problem != "" {
		return apitype.ConnectionTest{}, atelier.Errorf(atelier.CodeWrongState, "%s", entry.Problem)
	}
	e.check(ctx, entry)
	e.mu.Lock()
	defer e.mu.Unlock()
	h, ok := e.health[entry.healthKey()]
	if !ok {
		return apitype.ConnectionTest{}, ctx.Err()
	}
	return apitype.ConnectionTest{Health: h}, nil
}

// TestDraft asks a server that is not connected yet, or would be changed. A stored key is used
// for the server that it was given for.
func (e *Engine) TestDraft(ctx context.Context, d apitype.ConnectionDraft) (apitype.ConnectionTest, error) {
	kind, err := kindOf(d.ConnectionSettings)
	if err != nil {
		return apitype.ConnectionTest{}, err
	}
	entry := Entry{ID: "draft", Kind: kind, Name: "draft", From: apitype.ConnectionFromStore, Key: d.APIKey, Settings: d.ConnectionSettings}
	if kind == apitype.ConnectionLoraSource {
		entry.Name = ""
	}
	if d.ConnectionID != "" && d.APIKey == "" {
		before, err := e.find(ctx, d.ConnectionID)
		if err != nil {
			return apitype.ConnectionTest{}, err
		}
		if before.Kind == kind && sameServer(before.BaseURL(), entry.BaseURL()) {
			entry.Key = before.Key
		}
	}
	if err := entry.check(); err != nil {
		return apitype.ConnectionTest{}, err
	}
	if err := entry.refusal(e.opts.Check(entry)); err != nil {
		return apitype.ConnectionTest{}, err
	}
	if err := e.checkFolder(entry); err != nil {
		return apitype.ConnectionTest{}, err
	}
	return apitype.ConnectionTest{Health: e.probe(ctx, entry)}, nil
}
