package node

import (
	"context"
	"net/url"
	"os"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/modeldir"
	"github.com/atelier-project/atelier/internal/pull"
)

// openPulls makes the engine that fetches files of models.
func (n *Node) openPulls() *pull.Engine {
	return pull.New(n.DB, n.bus, n.Connections, pull.Options{
		Needs: n.modelNeeds, Sites: n.weightSites, Now: n.now, Log: n.log,
		Arrived: func(ctx context.Context, connectionID string) {
			_, _ = n.Connections.Test(ctx, connectionID) // what it has now; a later check finds it too
		},
	})
}

// modelNeeds lists the files of a model of the catalog.
func (n *Node) modelNeeds(model string) ([]modeldir.Need, error) {
	m, ok := n.catalog.Model(model)
	if !ok {
		return nil, atelier.Missing("name", model, "model")
	}
	needs, err := n.attached.graphs.Load().Needs(n.catalog, m)
	if err != nil {
		return nil, atelier.Errorf(atelier.CodeWrongState, "Nothing can be fetched: %v.", err)
	}
	return needs, nil
}

// weightSites says how files of models are fetched: from a mirror that is connected for their site,
// else from the site itself with the key of its connection, or the token of the environment.
func (n *Node) weightSites(ctx context.Context) (modeldir.Options, error) {
	used, _, err := n.Connections.Used(ctx)
	return sitesOf(used), err
}

// sitesOf is weightSites for the connections that are used.
func sitesOf(used []connection.Entry) modeldir.Options {
	o := modeldir.Options{Mirrors: map[string]string{}, Tokens: map[string]string{}}
	for host, name := range modeldir.TokenNames() {
		if token := strings.TrimSpace(os.Getenv(name)); token != "" {
			o.Tokens[host] = token
		}
	}
	for _, e := range used {
		if e.Kind != apitype.ConnectionLoraSource {
			continue
		}
		host := strings.ToLower(e.Settings.LoraSource.Host)
		base, err := url.Parse(e.BaseURL())
		switch {
		case err != nil || base.User != nil || base.RawQuery != "":
		case base.Scheme == "https" && strings.EqualFold(base.Host, host) && strings.Trim(base.Path, "/") == "":
			if e.Key != "" {
				o.Tokens[host] = e.Key
			}
		default:
			o.Mirrors[host] = e.BaseURL()
		}
	}
	return o
}
