package api

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// mediaReference is a piece of media that a request brings. Clients say more
// about it than is needed; it is kept.
type mediaReference struct {
	Kind  string              `wire:"kind,required,enum=image|video|audio|model" doc:"What it is."`
	URL   string              `wire:"url,required,maxlen=8192" doc:"Where it is: an http or https URL."`
	Extra map[string]wire.Raw `wire:",extra"`
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
		if err := m.check(fmt.Sprintf("media_references[%d].", i)); err != nil {
			return nil, err
		}
		said := map[string]any{}
		for name, raw := range m.Extra {
			var v any
			if err := wire.Unmarshal(raw, &v); err != nil { // it was valid JSON a moment ago
				panic(fmt.Sprintf("api: a media reference: %v", err))
			}
			said[name] = v
		}
		said["kind"], said["url"] = m.Kind, m.URL
		out = append(out, atelier.MediaReference{Kind: m.Kind, URL: m.URL, Said: said})
	}
	return out, nil
}
