package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// mediaReference is a piece of media that a request brings. Clients say more
// about it than is needed; it is kept.
type mediaReference struct {
	Kind  string              `wire:"kind,required,enum=image|video|audio|model" doc:"What it is."`
	URL   string              `wire:"url,required,maxlen=8192" doc:"Where it is: an http or https URL."`
	Extra map[string]wire.Raw `wire:",extra,maxbytes=4096"`
}

// check refuses what carries media inside itself.
func (m mediaReference) check(at string) error {
	for _, name := range []string{"dataUri", "data_uri"} {
		if _, there := m.Extra[name]; there {
			return atelier.Refuse(at+name, "is not taken: upload the media and send its url.")
		}
	}
	if scheme, _, _ := strings.Cut(strings.ToLower(m.URL), ":"); scheme != "http" && scheme != "https" {
		return atelier.Refuse(at+"url", "must be an http or https URL.")
	}
	return nil
}

// references reads the media that a request brings.
func references(list []mediaReference) ([]atelier.MediaReference, error) {
	var out []atelier.MediaReference
	for i, m := range list {
		at := fmt.Sprintf("media_references[%d].", i)
		if err := m.check(at); err != nil {
			return nil, err
		}
		r, err := m.reference(at)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// reference keeps whatever a client has said about a piece of media.
func (m mediaReference) reference(at string) (atelier.MediaReference, error) {
	said := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(m.Extra)) { // the same mistake gets the same answer
		var v any
		if err := wire.Unmarshal(m.Extra[name], &v); err != nil { // it is JSON, as was seen a moment ago
			return atelier.MediaReference{}, atelier.Refuse(at+name, "holds a number that is too large.")
		}
		said[name] = v
	}
	said["kind"], said["url"] = m.Kind, m.URL
	return atelier.MediaReference{Kind: m.Kind, URL: m.URL, Said: said}, nil
}
