package comfyui

import (
	"context"
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
	Lacking int      // models that it could render with other nodes and files
}

// Inspect surveys a ComfyUI once. Redirects are not followed. The error is for an operator.
func Inspect(ctx context.Context, address string, l *Library) (Inspection, error) {
	base, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || base.Host == "" {
		return Inspection{}, errors.New("the address is not that of a ComfyUI server, such as http://127.0.0.1:8188")
	}
	plain := transport(nil)
	defer plain.CloseIdleConnections()
	client := &http.Client{Transport: plain, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	s, err := newSurvey(ctx, &api{base: base, http: client}, l)
	if err != nil {
		return Inspection{}, err
	}
	ready, lacking := map[string]bool{}, map[string]bool{}
	for p := range s.ready {
		ready[p.model] = true
	}
	for p := range s.missing {
		lacking[p.model] = lacking[p.model] || !ready[p.model]
	}
	maps.DeleteFunc(lacking, func(_ string, is bool) bool { return !is })
	return Inspection{Version: s.version, Device: s.device, Models: slices.Sorted(maps.Keys(ready)), Lacking: len(lacking)}, nil
}
