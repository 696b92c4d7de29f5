package node

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/kit"
	"github.com/atelier-project/atelier/internal/llm"
)

// defaultContext is the context of an upstream model about which neither the
// configuration nor its server nor the catalog says more.
const defaultContext = 32768

// language has the language models that a node offers, and the servers behind them.
type language struct {
	config  config.LLM
	known   *catalog.Catalog
	builtin *kit.Completer
	created time.Time
	observe func(ctx context.Context, server string, x llm.Exchange)
	log     *slog.Logger
	models  *llm.Models

	mu      sync.Mutex
	servers []languageServer
	running sync.WaitGroup
}

// languageServer is a server in use.
type languageServer struct {
	*llm.Upstream
	config config.Upstream
	stop   context.CancelFunc // ends the reading of its contexts
}

// newLanguage offers the built-in model.
func newLanguage(c config.LLM, known *catalog.Catalog, builtin *kit.Completer, observe func(context.Context, string, llm.Exchange), log *slog.Logger) (*language, error) {
	created, err := time.Parse(time.RFC3339, known.UpdatedAt())
	if err != nil {
		return nil, fmt.Errorf("catalog: updatedAt: %w", err)
	}
	l := &language{config: c, known: known, builtin: builtin, created: created, observe: observe, log: log}
	l.models, err = llm.NewModels(l.list(nil), "")
	return l, err
}

// use offers the models of some servers. A server whose settings are the same is kept, with
// what is known about it; the requests to one that is left out go on. The error says that
// default_model names no model of these: then the first is the default.
func (l *language) use(upstreams []config.Upstream) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var next []languageServer
	for _, u := range upstreams {
		i := slices.IndexFunc(l.servers, func(s languageServer) bool { return reflect.DeepEqual(s.config, u) })
		if i >= 0 {
			next = append(next, l.servers[i])
			l.servers = slices.Delete(l.servers, i, i+1)
			continue
		}
		next = append(next, l.start(u))
	}
	err := l.models.Replace(l.list(next), l.config.DefaultModel)
	if err != nil {
		err = fmt.Errorf("llm.default_model: %w", err)
		if first := l.models.Replace(l.list(next), ""); first != nil {
			err = first
		}
	}
	for _, s := range l.servers {
		s.stop()
		s.Close()
	}
	l.servers = next
	return err
}

func (l *language) start(u config.Upstream) languageServer {
	ids, contexts := map[string]string{}, map[string]int{}
	for _, m := range u.Models {
		ids[m.ID], contexts[m.ID] = m.UpstreamID, m.ContextLength
	}
	s := languageServer{config: u, Upstream: llm.NewUpstream(llm.UpstreamOptions{
		Name: u.Name, Kind: u.Kind, BaseURL: u.BaseURL, APIKey: u.APIKey, IDs: ids, Contexts: contexts, Extra: u.ExtraParams, Log: l.log,
		Observe: func(ctx context.Context, x llm.Exchange) { l.observe(ctx, u.Name, x) },
	})}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	l.running.Go(func() { s.Run(ctx) })
	return s
}

// close ends the use of all servers.
func (l *language) close() {
	l.mu.Lock()
	for _, s := range l.servers {
		s.stop()
		s.Close()
	}
	l.mu.Unlock()
	l.running.Wait()
}

// list lists the models of some servers and the built-in one. What the settings leave out
// about a model that the catalog knows comes from there.
func (l *language) list(from []languageServer) (list []llm.Model) {
	servers := map[string][]llm.Completer{} // several may serve one model
	for _, s := range from {
		for _, m := range s.config.Models {
			servers[m.ID] = append(servers[m.ID], s.Upstream)
			if len(servers[m.ID]) > 1 {
				if i := slices.IndexFunc(list, func(o llm.Model) bool { return o.ID == m.ID }); !s.config.Covers(m) {
					list[i].NoPlan = true // one of its servers may cost money
				}
				continue
			}
			list = append(list, l.model(s.config, m))
		}
	}
	for i := range list {
		list[i].Completer = llm.NewRouter(servers[list[i].ID]...)
	}
	if l.config.Builtin {
		model := llm.Builtin(l.created)
		model.Completer = l.builtin
		list = append(list, model)
	}
	return list
}

func (l *language) model(u config.Upstream, m config.UpstreamModel) llm.Model {
	model := llm.Model{
		ID: m.ID, OwnedBy: u.Name, Created: l.created, ContextLength: m.ContextLength,
		Reasoning: m.Reasoning, Vision: m.Vision, Replaces: m.Replaces, PriceIn: m.PricePerMInput, PriceOut: m.PricePerMOut, NoPlan: !u.Covers(m),
		Tools: llm.ToolDetail(m.Tools),
	}
	if facts, ok := l.known.LLM(m.ID); ok {
		model.Replaces = append(slices.Clip(model.Replaces), facts.Replaces...)
		if model.ContextLength == 0 {
			model.ContextLength = facts.ContextLength
		}
	}
	if model.ContextLength == 0 {
		model.ContextLength = defaultContext
	}
	return model
}
