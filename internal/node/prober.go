package node

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/lora/source"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// prober checks connections against the catalog, and asks their servers what they have.
type prober struct {
	config  *config.Config
	catalog func() (*catalog.Catalog, error)
	graphs  func() (*comfyui.Library, error)
}

// check says what is wrong with a connection. The error begins with the key.
func (p prober) check(e connection.Entry) error {
	switch e.Kind {
	case apitype.ConnectionLLM:
		return p.checkLanguage(e)
	case apitype.ConnectionLoraSource:
		if _, err := source.New([]source.Site{site(e)}, source.Options{}); err != nil {
			return fmt.Errorf("host: cannot be used: %w", err)
		}
		return nil
	}
	known, err := p.catalog()
	if err != nil {
		return err
	}
	switch e.Kind {
	case apitype.ConnectionVendor:
		_, err = openVendor(p.config, e.Vendor(), e.Key, known, slog.New(slog.DiscardHandler))
	case apitype.ConnectionImages:
		_, err = openImages(e, known, 0, slog.New(slog.DiscardHandler))
	case apitype.ConnectionComfyUI:
		for i, id := range e.Settings.ComfyUI.Models {
			if !slices.Contains(ownModels(known), id) {
				return fmt.Errorf("models[%d]: %q is not a model of the catalog that ComfyUI renders", i, id)
			}
		}
	}
	return err
}

// ownModels are the models and tools of the catalog that need no vendor.
func ownModels(known *catalog.Catalog) []string {
	return append(known.NativeModels(), known.WorkerTools()...)
}

// checkLanguage refuses the id of the built-in model, which CheckModels does not see.
func (p prober) checkLanguage(e connection.Entry) error {
	for i, m := range e.Settings.LLM.Models {
		if p.config.LLM.Builtin && (m.ID == llm.BuiltinID || slices.Contains(m.Replaces, llm.BuiltinID)) {
			return fmt.Errorf("models[%d].id: %s is the built-in model; give the model another id, and its own as upstream_id", i, llm.BuiltinID)
		}
	}
	return nil
}

// site is a hosting site as package source takes it.
func site(e connection.Entry) source.Site {
	s := e.Source()
	return source.Site{Kind: s.Kind, Host: s.Host, BaseURL: s.BaseURL, Key: e.Key}
}

// probe asks the server of a connection what it has.
func (p prober) probe(ctx context.Context, e connection.Entry) (connection.Found, error) {
	switch e.Kind {
	case apitype.ConnectionLLM:
		return probeLanguage(ctx, e)
	case apitype.ConnectionComfyUI:
		return p.probeComfyUI(ctx, e)
	case apitype.ConnectionLoraSource:
		s, err := source.New([]source.Site{site(e)}, source.Options{})
		if err == nil {
			err = s.Probe(ctx, strings.ToLower(e.Settings.LoraSource.Host))
		}
		message := "The site answers."
		if e.Key != "" {
			message = "The site answers and accepts the API key."
		}
		return connection.Found{Message: message}, err
	}
	return p.probeImages(ctx, e)
}

// ping asks the server of a connection whether it answers.
func (p prober) ping(ctx context.Context, e connection.Entry) error {
	switch e.Kind {
	case apitype.ConnectionLLM:
		return llm.Ping(ctx, e.Upstream().Kind, e.BaseURL(), e.Key)
	case apitype.ConnectionComfyUI:
		return comfyui.Ping(ctx, e.BaseURL())
	}
	_, err := p.probe(ctx, e)
	return err
}

// probeLanguage lists the models of a server, and says which of the connection's it does not have.
func probeLanguage(ctx context.Context, e connection.Entry) (connection.Found, error) {
	list, at, err := llm.Probe(ctx, e.Upstream().Kind, e.BaseURL(), e.Key)
	if err != nil {
		return connection.Found{}, err
	}
	found := connection.Found{Message: fmt.Sprintf("The server lists %s.", count(len(list), "model"))}
	if at != e.BaseURL() {
		found.BaseURL = at
	}
	if len(list) == 0 {
		found.Message = "The server answers and lists no model yet."
	}
	has := map[string]bool{}
	for _, m := range list {
		has[m.ID] = true
		one := apitype.FoundModel{ID: m.ID, Vision: m.Vision, Reasoning: m.Reasoning}
		if m.ContextLength > 0 {
			one.ContextLength = &m.ContextLength
		}
		found.Models = append(found.Models, one)
	}
	var lacks []string
	for _, m := range e.Upstream().Models {
		id := m.UpstreamID
		if id == "" {
			id = m.ID
		}
		if !has[id] && !has[id+":latest"] {
			lacks = append(lacks, id)
		}
	}
	if len(lacks) > 0 {
		found.Message += " It does not list " + strings.Join(lacks, ", ") + "."
	}
	return found, nil
}

// count writes a number of things.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// probeComfyUI lists the models that a ComfyUI has the nodes and files for.
func (p prober) probeComfyUI(ctx context.Context, e connection.Entry) (connection.Found, error) {
	library, err := p.graphs()
	if err != nil {
		return connection.Found{}, err
	}
	has, err := comfyui.Inspect(ctx, e.BaseURL(), library)
	if err != nil {
		return connection.Found{}, err
	}
	known, err := p.catalog()
	if err != nil {
		return connection.Found{}, err
	}
	what := "ComfyUI " + has.Version
	if has.Device != "" {
		what += " on " + has.Device
	}
	var found connection.Found
	for _, id := range has.Models {
		wanted := e.Settings.ComfyUI.Models
		if slices.Contains(ownModels(known), id) && (len(wanted) == 0 || slices.Contains(wanted, id)) {
			found.Models = append(found.Models, apitype.FoundModel{ID: id})
		}
	}
	found.Message = fmt.Sprintf("%s has the nodes and files for %s.", what, count(len(found.Models), "model"))
	if len(found.Models) == 0 {
		found.Message += " Add the files of a model: the guide on your own GPU lists them."
	}
	return found, nil
}

// probeImages asks a vendor or an image server.
func (p prober) probeImages(ctx context.Context, e connection.Entry) (connection.Found, error) {
	known, err := p.catalog()
	if err != nil {
		return connection.Found{}, err
	}
	var w renderServer
	if e.Kind == apitype.ConnectionVendor {
		w, err = openVendor(p.config, e.Vendor(), e.Key, known, slog.New(slog.DiscardHandler))
	} else {
		w, err = openImages(e, known, 0, slog.New(slog.DiscardHandler))
	}
	if err != nil {
		return connection.Found{}, err
	}
	names, checked, err := w.renderer.Probe(ctx)
	if err != nil {
		return connection.Found{}, err
	}
	found := connection.Found{Message: "The server answers. Its protocol has no request that checks the API key."}
	if checked {
		found.Message = fmt.Sprintf("The server answers with %s.", count(len(names), "model"))
	}
	for _, name := range names {
		found.Models = append(found.Models, apitype.FoundModel{ID: name})
	}
	return found, nil
}
