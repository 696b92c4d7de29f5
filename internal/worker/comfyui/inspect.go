package comfyui

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Inspection is what one ComfyUI has.
type Inspection struct {
	Version string
	Device  string
	Models  []string // that it has the nodes and files for
	// Missing is what it lacks for each other model.
	Missing map[string][]string
}

// Inspect surveys a ComfyUI once. Redirects are not followed. The error is for an operator.
func Inspect(ctx context.Context, address string, l *Library) (Inspection, error) {
	a, done, err := newInspected(address)
	if err != nil {
		return Inspection{}, err
	}
	defer done()
	s, err := newSurvey(ctx, a, l)
	if err != nil {
		return Inspection{}, err
	}
	models := map[string]bool{}
	for p := range s.ready {
		models[p.model] = true
	}
	missing := map[string][]string{}
	for p, lacks := range s.missing {
		if !models[p.model] {
			missing[p.model] = append(missing[p.model], lacks...)
		}
	}
	return Inspection{Version: s.version, Device: s.device, Models: slices.Sorted(maps.Keys(models)), Missing: missing}, nil
}

// ObjectInfo reads the list of nodes of a ComfyUI, as it answers. The error is for an operator.
func ObjectInfo(ctx context.Context, address string) ([]byte, error) {
	a, done, err := newInspected(address)
	if err != nil {
		return nil, err
	}
	defer done()
	var text json.RawMessage
	err = a.call(ctx, http.MethodGet, "/object_info", nil, &text)
	return text, err
}

// Ping asks whether a ComfyUI answers.
func Ping(ctx context.Context, address string) error {
	a, done, err := newInspected(address)
	if err != nil {
		return err
	}
	defer done()
	_, err = a.stats(ctx)
	return err
}

// newInspected is a client for a few requests.
func newInspected(address string) (a *api, done func(), err error) {
	base, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || base.Host == "" {
		return nil, nil, errors.New("the address is not that of a ComfyUI server, such as http://127.0.0.1:8188")
	}
	plain := transport(nil)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &api{base: base, http: &http.Client{Transport: plain, CheckRedirect: stay}}, plain.CloseIdleConnections, nil
}
