package openai

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/wire"
)

// maxInline bounds one piece of media that comes inside a body.
const maxInline = 20 << 20

// mediaReference is a piece of media of a chat request: by its address, or inline
// in a data URI.
type mediaReference struct {
	Kind    string              `wire:"kind,required,enum=image|video|audio|model"`
	URL     link                `wire:"url,maxlen=28000000,maxbytes=28000000"`
	Value   link                `wire:"value,maxlen=28000000,maxbytes=28000000"`
	DataURI link                `wire:"data_uri,maxlen=28000000,maxbytes=28000000"`
	Extra   map[string]wire.Raw `wire:",extra,maxbytes=4096"`
}

// link is an address or a data URI. It refers to the body: a data URI is long, and
// is decoded without being copied.
type link struct{ text []byte }

// ReadWire implements wire.Reader.
func (l *link) ReadWire(raw wire.Raw) (err error) {
	if raw[0] != '"' {
		return atelier.Refuse("", "must be a string.")
	}
	l.text, err = stringBytes(raw)
	return err
}

// WireSchema implements wire.Described.
func (link) WireSchema() wire.Schema { return wire.Schema{"type": "string"} }

// readMedia reads the media of a chat request.
func readMedia(list []mediaReference) ([]chat.Media, error) {
	var out []chat.Media
	for i := range list {
		m, err := list[i].read(fmt.Sprintf("media_references[%d].", i))
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// read reads one reference. at is its path, with a dot behind it.
func (m *mediaReference) read(at string) (chat.Media, error) {
	var (
		name string
		text []byte
	)
	for _, given := range []struct {
		name string
		link link
	}{{"url", m.URL}, {"value", m.Value}, {"data_uri", m.DataURI}} {
		if len(given.link.text) == 0 {
			continue
		}
		if name != "" {
			return chat.Media{}, atelier.Refuse(at+given.name, "conflicts with another field: send only one of url, value and data_uri.")
		}
		name, text = given.name, given.link.text
	}
	if name == "" {
		return chat.Media{}, atelier.Refuse(at+"url", "is required.")
	}
	if bytes.HasPrefix(text, []byte("data:")) {
		data, contentType, err := decodeInline(m.Kind, text)
		if err != nil {
			return chat.Media{}, atelier.Refuse(at+name, "%s.", err)
		}
		reference := atelier.MediaReference{Kind: m.Kind, Original: map[string]any{"kind": m.Kind}}
		return chat.Media{MediaReference: reference, ContentType: contentType, Data: data}, nil
	}
	url := string(text)
	_, inline := m.Extra["dataUri"]
	if scheme, _, _ := strings.Cut(strings.ToLower(url), ":"); inline || scheme != "http" && scheme != "https" {
		return chat.Media{}, atelier.Refuse(at+name, "must be an http or https URL.")
	}
	reference, err := NewReference(at, m.Kind, url, m.Extra)
	return chat.Media{MediaReference: reference}, err
}

// NewReference is a reference to media, with the other fields that its client has
// sent. at is its path, with a dot behind it.
func NewReference(at, kind, url string, extra map[string]wire.Raw) (atelier.MediaReference, error) {
	said := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(extra)) { // in order, so that the same mistake gets the same answer
		var v any
		if err := wire.Unmarshal(extra[name], &v); err != nil { // valid JSON, but not every number fits
			return atelier.MediaReference{}, atelier.Refuse(at+name, "holds a number that is too large.")
		}
		said[name] = v
	}
	said["kind"], said["url"] = kind, url
	return atelier.MediaReference{Kind: kind, URL: url, Original: said}, nil
}

// decodeInline decodes a data URI, and checks that it holds media of its kind and
// of the type that it declares. The error says what is wrong.
func decodeInline(kind string, uri []byte) (data []byte, contentType string, err error) {
	declared, text, ok := filetype.SplitDataURI(uri)
	switch {
	case !ok || len(declared) > 100:
		return nil, "", errors.New("must be a data URI such as data:image/png;base64,…")
	case base64.StdEncoding.DecodedLen(len(text)) > maxInline+3:
		return nil, "", fmt.Errorf("must be at most %d MB; upload it and send its url", maxInline>>20)
	}
	if data, err = filetype.DecodeBase64(text); err != nil {
		return nil, "", errors.New("is not valid base64")
	}
	declared = filetype.Canonical(declared)
	detected := filetype.Detect(data[:min(len(data), filetype.HeadSize)])
	switch {
	case detected == "":
		return nil, "", errors.New("holds no media of a known type")
	case !filetype.Fits(declared, detected):
		return nil, "", fmt.Errorf("says %s, but its content is %s", declared, detected)
	case filetype.Kind(declared) != kind:
		return nil, "", fmt.Errorf("is of the kind %s, but its content is %s", kind, declared)
	}
	return data, declared, nil
}
