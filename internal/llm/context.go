package llm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"time"
)

// How often a server is asked for its context lengths. It may be restarted with
// others at any time.
const (
	contextInterval   = 10 * time.Minute
	contextFirstRetry = 5 * time.Second // after a failure; doubles up to the interval
	contextTimeout    = 30 * time.Second
)

// served is the context that a server gives a model.
type served struct {
	tokens int
	guess  bool   // the server reports it once it has loaded the model
	option string // that sets it on that kind of server
}

// ContextLength is how many tokens a prompt and its answer may have on this server:
// what is configured, or what the server reports where that is less or nothing is
// configured. It is 0 when neither is known.
func (u *Upstream) ContextLength(id string) int {
	configured := u.opts.Contexts[id]
	if reported := (*u.served.Load())[id].tokens; reported > 0 && (configured == 0 || reported < configured) {
		return reported
	}
	return configured
}

// ContextLength is the shortest of the servers of a model, since any of them may be
// asked; 0 when none is known.
func (r *Router) ContextLength(id string) (shortest int) {
	for _, s := range r.servers {
		u, ok := s.(*Upstream)
		if !ok {
			continue
		}
		if n := u.ContextLength(id); n > 0 && (shortest == 0 || n < shortest) {
			shortest = n
		}
	}
	return shortest
}

// Run reads the context lengths of the server's models until ctx ends: now, at
// intervals, after an outage, and after a model was loaded whose context was not
// known before. Requests never wait for it.
func (u *Upstream) Run(ctx context.Context) {
	var retry time.Duration
	for cause := rereadNow; ; {
		wait := contextInterval
		if err := u.readContexts(ctx, cause); err != nil {
			retry = min(max(2*retry, contextFirstRetry), contextInterval)
			wait = retry
			u.opts.Log.Debug("cannot read context lengths from a model server", "upstream", u.opts.Name, "error", err)
		} else {
			retry = 0
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case cause = <-u.reread:
			timer.Stop()
		case <-timer.C:
			cause = rereadNow
		}
	}
}

// reread is why the contexts are read again.
type reread int

const (
	rereadNow    reread = iota // the interval has passed, or the server has recovered
	rereadLoaded               // a model was loaded
)

// wake makes Run read the contexts now.
func (u *Upstream) wake(cause reread) {
	select {
	case u.reread <- cause:
	default: // it is about to
	}
}

// readContexts reads the contexts of all models once. Those that it cannot read
// stay as they were.
func (u *Upstream) readContexts(ctx context.Context, cause reread) error {
	ctx, cancel := context.WithTimeout(ctx, contextTimeout)
	defer cancel()
	before := *u.served.Load()
	now, unloaded, err := u.askContexts(ctx, before)
	if err != nil {
		for id := range u.unreported(now) {
			now[id] = before[id]
		}
	}
	u.served.Store(&now)
	// A request makes the server load its model. Run reads again after that only once
	// in each interval: otherwise a server that never reports would be asked after
	// each request.
	u.unloaded.Store(unloaded && cause != rereadLoaded)
	for id := range u.opts.IDs {
		u.logContext(id, before[id], now[id])
	}
	return err
}

// logContext logs a context length that has changed.
func (u *Upstream) logContext(id string, before, now served) {
	configured := u.opts.Contexts[id]
	switch {
	case now == before:
	case now.tokens == 0:
		u.opts.Log.Info("model server no longer reports a context length", "upstream", u.opts.Name, "model", id, "context_length", configured)
	case configured > now.tokens:
		u.opts.Log.Warn("configured context_length is larger than what the model server serves; using the server's",
			"upstream", u.opts.Name, "model", id, "configured", configured, "served", now.tokens,
			"remedy", fmt.Sprintf("set context_length to %d or less, or raise %s on the server", now.tokens, now.option))
	case now.guess:
		u.opts.Log.Info("model server reports no context length before the model is loaded", "upstream", u.opts.Name, "model", id,
			"context_length", now.tokens)
	default:
		u.opts.Log.Info("read context length from model server", "upstream", u.opts.Name, "model", id,
			"served", now.tokens, "context_length", cmp.Or(configured, now.tokens))
	}
}

// askContexts asks the server in the ways of known servers: the list of models of
// vLLM and SGLang, llama.cpp's properties, Ollama's own API. unloaded reports that
// the context of a model is known only after it is loaded.
func (u *Upstream) askContexts(ctx context.Context, before map[string]served) (reported map[string]served, unloaded bool, err error) {
	reported = map[string]served{}
	if err = u.askModelList(ctx, reported); err == nil && len(reported) < len(u.opts.IDs) {
		err = u.askProps(ctx, reported)
	}
	if err == nil && len(reported) < len(u.opts.IDs) {
		unloaded, err = u.askOllama(ctx, reported, before)
	}
	return reported, unloaded, err
}

// unreported maps the ids of the models without a reported context to the server's
// own ids.
func (u *Upstream) unreported(reported map[string]served) map[string]string {
	ids := map[string]string{}
	for id, own := range u.opts.IDs {
		ids[id] = cmp.Or(own, id)
	}
	maps.DeleteFunc(ids, func(id, _ string) bool { return reported[id].tokens > 0 })
	return ids
}
