package api

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/wire"
)

// mediaReference is a piece of media that a request brings. Further fields of clients are
// kept.
type mediaReference struct {
	Kind  string              `wire:"kind,required,enum=image|video|audio|model" doc:"What it is."`
	URL   string              `wire:"url,required,maxlen=8192" doc:"Where it is: an http or https URL."`
	Extra map[string]wire.Raw `wire:",extra,maxbytes=4096"`
}

// check refuses inline media.
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

// reference keeps all fields of a media reference.
func (m mediaReference) reference(at string) (atelier.MediaReference, error) {
	return openai.NewReference(at, m.Kind, m.URL, m.Extra)
}
