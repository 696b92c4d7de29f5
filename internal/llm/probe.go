package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/wire"
)

// Offered is a model that a server lists.
type Offered struct {
	ID            string
	ContextLength int // 0 when it is not known
	Vision        bool
	Reasoning     bool
}

// The bounds of a probe.
const (
	maxOffered  = 200 // models that are listed
	maxDetailed = 50  // models that are asked about one by one
)

// Probe asks a server of a kind which models it has, and returns the base URL at which it answers: an
// address without a path is tried with /v1 first. The error is for an operator.
func Probe(ctx context.Context, kind, baseURL, key string) (list []Offered, at string, err error) {
	baseURL = strings.TrimRight(baseURL, "/")
	tries := []string{baseURL}
	if u, err := url.Parse(baseURL); err == nil && u.Path == "" {
		tries = []string{baseURL + "/v1", baseURL}
	}
	for i, try := range tries {
		u := NewUpstream(UpstreamOptions{Kind: kind, BaseURL: try, APIKey: key})
		list, err = u.offered(ctx)
		u.Close()
		var unlike *unlikeError
		if err == nil || i == len(tries)-1 || !errors.As(err, &unlike) {
			return list, try, err
		}
	}
	return list, baseURL, err
}

// Ping asks a server whether it answers, as Probe would ask for its models.
func Ping(ctx context.Context, kind, baseURL, key string) error {
	u := NewUpstream(UpstreamOptions{Kind: kind, BaseURL: baseURL, APIKey: key})
	defer u.Close()
	_, err := u.offeredIDs(ctx)
	return err
}

// unlikeError says that something answers that does not speak OpenAI's API at this address.
type unlikeError struct{ message string }

func (e *unlikeError) Error() string { return e.message }

// offered lists the models of the server, with what it says about them.
func (u *Upstream) offered(ctx context.Context) ([]Offered, error) {
	list, err := u.offeredIDs(ctx)
	if err != nil {
		return nil, err
	}
	return u.details(ctx, list), nil
}

// offeredIDs lists the models of the server.
func (u *Upstream) offeredIDs(ctx context.Context) (list []Offered, err error) {
	at := u.opts.BaseURL + "/models"
	var answer struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	status, err := u.ask(ctx, at, nil, &answer)
	switch {
	case err != nil:
		return nil, unreachable(u.opts.BaseURL, err)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		if u.opts.APIKey == "" {
			return nil, fmt.Errorf("the server wants an API key (it answers %d)", status)
		}
		return nil, fmt.Errorf("the server refuses the API key (it answers %d)", status)
	case status >= 300 && status < 400:
		return nil, fmt.Errorf("the server redirects to another address (it answers %d): give that address", status)
	case status == http.StatusOK && answer.Data != nil:
	case status == 0 || status == http.StatusOK:
		return nil, &unlikeError{fmt.Sprintf("%s is not a list of models: the server does not speak OpenAI's API there, or answers with more than %d bytes", at, maxFacts)}
	default:
		return nil, &unlikeError{fmt.Sprintf("there is no list of models at %s (it answers %d): the address usually ends in /v1", at, status)}
	}
	for _, m := range answer.Data {
		if len(list) < maxOffered && m.ID != "" && len(m.ID) <= 200 && wire.IsText(m.ID) && isConversational(m.ID) {
			list = append(list, Offered{ID: m.ID})
		}
	}
	return list, nil
}

// isConversational reports whether a model can talk, as far as its name says.
func isConversational(id string) bool {
	id = strings.ToLower(id)
	return !strings.Contains(id, "embed") && !strings.Contains(id, "rerank")
}

// unreachable says that a server could not be asked.
func unreachable(base string, err error) error {
	var why *url.Error
	if errors.As(err, &why) {
		err = why.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the server at %s does not answer in time", base)
	}
	return fmt.Errorf("no server answers at %s: %w", base, err)
}

// details asks the server what its models can do. What it does not say stays unknown, and a model
// that Ollama knows to be no conversational one is left out.
func (u *Upstream) details(ctx context.Context, list []Offered) []Offered {
	u.opts.IDs = map[string]string{}
	for _, m := range list[:min(len(list), maxDetailed)] {
		u.opts.IDs[m.ID] = ""
	}
	_ = u.readContexts(ctx, rereadNow)
	for i := range list {
		list[i].ContextLength = u.ContextLength(list[i].ID)
	}
	kept := list[:0:0]
	for i, m := range list {
		var model struct {
			Capabilities []string `json:"capabilities"`
		}
		if i < maxDetailed && u.isOllama() {
			_, _ = u.ask(ctx, u.root()+"/api/show", map[string]string{"model": m.ID}, &model)
		}
		m.Vision, m.Reasoning = slices.Contains(model.Capabilities, "vision"), slices.Contains(model.Capabilities, "thinking")
		if model.Capabilities == nil || slices.Contains(model.Capabilities, "completion") {
			kept = append(kept, m)
		}
	}
	return kept
}

// isOllama reports whether the server has said about a model what only Ollama says.
func (u *Upstream) isOllama() bool {
	for _, s := range *u.served.Load() {
		if strings.HasPrefix(s.option, "OLLAMA") {
			return true
		}
	}
	return false
}
