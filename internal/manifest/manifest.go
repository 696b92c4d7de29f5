package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/wire"
)

// Manifest is the list of assets.
type Manifest struct {
	Assets []Asset `json:"assets"`
}

// Asset is one entry of the list.
type Asset struct {
	AssetID      string   `json:"asset_id"`
	UserLabel    string   `json:"user_label"`
	Type         string   `json:"type"` // image, video or audio
	Description  string   `json:"description,omitempty"`
	URL          string   `json:"url,omitempty"`
	MustPreserve []string `json:"must_preserve,omitempty"`
	Avoid        []string `json:"avoid,omitempty"`
}

// Of decodes a stored manifest; nil is an empty one.
func Of(kept any) (Manifest, error) {
	var m Manifest
	if kept == nil {
		return m, nil
	}
	text, err := wire.Marshal(kept)
	if err == nil {
		err = wire.Unmarshal(text, &m)
	}
	return m, err
}

// ErrNoAsset means that an asset is not in the manifest.
var ErrNoAsset = errors.New("there is no such asset in the manifest")

// Call runs one of the manifest tools. It returns the result of the tool and the manifest
// to store.
func Call(c *catalog.Catalog, m Manifest, tool string, args map[string]any) (answer any, after Manifest, err error) {
	switch tool {
	case "create_asset_manifest":
		after, err = create(args)
		return after, after, err
	case "inspect_asset":
		a, err := m.findAsset(textArgument(args, "asset_id"), textArgument(args, "user_label"))
		return a, m, err
	case "label_asset":
		return m.label(args)
	case "map_assets_for_model":
		answer, err = m.mapped(c, textArgument(args, "model_id"))
		return answer, m, err
	case "validate_asset_references":
		answer, err = m.validated(c, textArgument(args, "model_id"), textArgument(args, "prompt"))
		return answer, m, err
	}
	return nil, m, fmt.Errorf("%s does not keep assets", tool)
}

func textArgument(args map[string]any, name string) string {
	s, _ := args[name].(string)
	return s
}

// create makes a new list. Assets without an id get one; two assets cannot share an id or
// a name.
func create(args map[string]any) (Manifest, error) {
	m, err := Of(map[string]any{"assets": args["assets"]})
	if err != nil {
		return m, err
	}
	for i := range m.Assets {
		if a := &m.Assets[i]; a.AssetID == "" {
			a.AssetID = "asset_" + mint.UUID()
		}
	}
	return m, m.check()
}

// check refuses a list in which two assets have the same id or name.
func (m Manifest) check() error {
	for i, a := range m.Assets {
		for _, b := range m.Assets[:i] {
			if b.AssetID == a.AssetID || strings.EqualFold(b.UserLabel, a.UserLabel) {
				return fmt.Errorf("two assets are called %q or have the id %s", a.UserLabel, a.AssetID)
			}
		}
	}
	return nil
}

func (m Manifest) findAsset(id, label string) (*Asset, error) {
	for i := range m.Assets {
		if a := &m.Assets[i]; (id != "" && a.AssetID == id) || (id == "" && label != "" && strings.EqualFold(a.UserLabel, label)) {
			return a, nil
		}
	}
	return nil, ErrNoAsset
}

// label changes an entry: given values replace the old ones.
func (m Manifest) label(args map[string]any) (any, Manifest, error) {
	after := Manifest{Assets: slices.Clone(m.Assets)}
	a, err := after.findAsset(textArgument(args, "asset_id"), "")
	if err != nil {
		return nil, m, err
	}
	change := *a
	given, err := wire.Marshal(args)
	if err == nil {
		err = wire.Unmarshal(given, &change)
	}
	if err != nil {
		return nil, m, err
	}
	change.Type = a.Type
	*a = change
	if err := after.check(); err != nil {
		return nil, m, err
	}
	return change, after, nil
}
