package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/atelier-project/atelier/internal/wire"
)

// maxListed is how many models of a server a probe lists.
const maxListed = 200

// Probe asks the server whether it answers and accepts the key. Servers with the OpenAI images API
// are asked for their models, which some do not list. A vendor that queues renders has no
// request that costs nothing: it is only asked whether it answers, and checked is false.
func (r *Renderer) Probe(ctx context.Context) (models []string, checked bool, err error) {
	q := request{method: http.MethodGet, path: "/models"}
	if r.opts.Adapter != nil {
		q.path = ""
	}
	a, err := r.api.do(ctx, q)
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("the server does not answer: %w", err)
	case a.status >= 500:
		return nil, false, fmt.Errorf("the server answers with an error (%d)", a.status)
	case r.opts.Adapter != nil:
		return nil, false, nil
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		if r.opts.Key == "" {
			return nil, false, fmt.Errorf("the server wants an API key (it answers %d)", a.status)
		}
		return nil, false, fmt.Errorf("the server refuses the API key (it answers %d)", a.status)
	case a.status >= 300 && a.status < 400:
		return nil, false, fmt.Errorf("the server redirects to another address (it answers %d): give that address", a.status)
	case a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed:
		return nil, false, nil // it has no list
	case a.status != http.StatusOK:
		return nil, false, fmt.Errorf("the server answers %d", a.status)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if wire.UnmarshalLenient(a.body, &list) != nil || list.Data == nil {
		return nil, false, errors.New("the server does not answer with a list of models: is this the address of an API?")
	}
	for _, m := range list.Data {
		if len(models) < maxListed && m.ID != "" && len(m.ID) <= 200 && wire.IsText(m.ID) {
			models = append(models, m.ID)
		}
	}
	return models, true, nil
}
