package api

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/wire"
)

// chatReference is a piece of media of a chat request: by its address, or with
// its bytes in a data URI.
type chatReference struct {
	Kind    string              `wire:"kind,required,enum=image|video|audio|model"`
	URL     string              `wire:"url,maxlen=28000000"`
	Value   string              `wire:"value,maxlen=28000000"`
	DataURI string              `wire:"data_uri,maxlen=28000000"`
	Extra   map[string]wire.Raw `wire:",extra,maxbytes=4096"`
}

// chatReferences reads the media of a chat request.
func chatReferences(list []chatReference) ([]atelier.MediaReference, error) {
	var out []atelier.MediaReference
	for i, m := range list {
		at, link := fmt.Sprintf("media_references[%d].", i), ""
		for _, given := range []struct{ name, link string }{{"url", m.URL}, {"value", m.Value}, {"data_uri", m.DataURI}} {
			if given.link == "" {
				continue
			}
			if link != "" {
				return nil, atelier.Refuse(at+given.name, "says the same as another: give one of url, value and data_uri.")
			}
			at, link = at+given.name, given.link
		}
		if link == "" {
			return nil, atelier.Refuse(at+"url", "is required.")
		}
		if strings.HasPrefix(link, "data:") {
			if err := chat.CheckMedia(m.Kind, link); err != nil {
				return nil, atelier.Refuse(at, "%s.", err)
			}
			out = append(out, atelier.MediaReference{Kind: m.Kind, URL: link, Said: map[string]any{"kind": m.Kind}})
			continue
		}
		plain := mediaReference{Kind: m.Kind, URL: link, Extra: m.Extra}
		if plain.check("") != nil {
			return nil, atelier.Refuse(at, "must be an http or https URL.")
		}
		r, err := plain.reference(fmt.Sprintf("media_references[%d].", i))
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}
