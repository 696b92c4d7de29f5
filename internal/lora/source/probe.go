package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/wire"
)

// Probe asks a site whether it answers as one of its kind, and accepts its token if it has one.
// The error is for an operator.
func (s *Sources) Probe(ctx context.Context, host string) error {
	at := s.sites[host]
	if at == nil {
		return fmt.Errorf("%s is not a configured site", host)
	}
	path := "/api/models?limit=1"
	switch {
	case at.Kind == Civitai:
		path = "/api/v1/models?limit=1"
	case at.Key != "":
		path = "/api/whoami-v2"
	}
	a, err := at.api.Open(ctx, fetch.Request{URL: at.at(path), Bearer: at.Key})
	if err != nil {
		return fmt.Errorf("the site at %s cannot be read: %w", at.BaseURL, err)
	}
	defer a.Close()
	switch {
	case a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden:
		if at.Key == "" {
			return fmt.Errorf("the site wants an API key (it answers %d)", a.Status)
		}
		return fmt.Errorf("the site refuses the API key (it answers %d)", a.Status)
	case a.Status != http.StatusOK:
		return fmt.Errorf("the site answers %d at %s", a.Status, at.at(path))
	}
	// A small site lists everything: what counts is that JSON begins.
	text := make([]byte, 1<<10)
	n, _ := a.Read(text)
	if d := wire.NewDecoder(bytes.NewReader(text[:n])); d.PeekKind() != '{' && d.PeekKind() != '[' {
		return errors.New("the site does not answer as one of its kind: is this its address?")
	}
	return nil
}
