package manifest

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// Mapping says how to name the assets in a prompt for a model.
type Mapping struct {
	ModelID string    `json:"model_id"`
	Assets  []Mention `json:"assets"`
	Issues  []string  `json:"issues"`
}

// Mention is one asset as a prompt for the model names it.
type Mention struct {
	AssetID   string `json:"asset_id"`
	UserLabel string `json:"user_label"`
	Reference string `json:"reference"` // what to write in the prompt
	Index     int    `json:"index"`     // index among the media of its type that is sent: -1 is the first
	Usable    bool   `json:"usable"`    // whether the model takes it
}

// mapped lists the assets in their order, as far as the model takes them.
func (m Manifest) mapped(c *catalog.Catalog, modelID string) (Mapping, error) {
	model, ok := c.Model(modelID)
	if !ok {
		return Mapping{}, fmt.Errorf("there is no model %q", modelID)
	}
	out := Mapping{ModelID: modelID, Assets: []Mention{}, Issues: []string{}}
	seen := map[string]int{}
	for _, a := range m.Assets {
		seen[a.Type]++
		n := seen[a.Type]
		most := limit(model, a.Type)
		mention := Mention{a.AssetID, a.UserLabel, fmt.Sprintf("%s %d", a.Type, n), -n, n <= most}
		if !mention.Usable {
			out.Issues = append(out.Issues, fmt.Sprintf("%s takes at most %d of the type %s: remove %q.", modelID, most, a.Type, a.UserLabel))
		}
		out.Assets = append(out.Assets, mention)
	}
	return out, nil
}

// limit is how many assets of a type a model takes.
func limit(m *catalog.Model, kind string) int {
	switch catalog.Kind(kind) {
	case catalog.Image:
		return m.Takes.Images.Max
	case catalog.Video:
		return m.Takes.Videos.Max
	case catalog.Audio:
		return m.Takes.Audio.Max
	}
	return 0
}

// Validation says whether a prompt names assets in a way that a model understands.
type Validation struct {
	Valid      bool     `json:"valid"`
	Referenced []string `json:"referenced"` // ids of the assets that the prompt names
	Unused     []string `json:"unused"`
	Issues     []string `json:"issues"`
}

// number finds references such as "image 2" or "@image2".
var number = regexp.MustCompile(`(?i)\b(image|video|audio)\s?(\d{1,3})\b`)

// validated checks a prompt against the list.
func (m Manifest) validated(c *catalog.Catalog, modelID, prompt string) (Validation, error) {
	mapping, err := m.mapped(c, modelID)
	if err != nil {
		return Validation{}, err
	}
	v := Validation{Referenced: []string{}, Unused: []string{}, Issues: mapping.Issues}
	lower := strings.ToLower(prompt)
	known := map[string]bool{}
	for _, a := range mapping.Assets {
		known[a.Reference] = true
		named := strings.Contains(lower, a.Reference) || strings.Contains(lower, strings.ReplaceAll(a.Reference, " ", "")) ||
			strings.Contains(lower, strings.ToLower(a.UserLabel))
		if named {
			v.Referenced = append(v.Referenced, a.AssetID)
		} else {
			v.Unused = append(v.Unused, a.AssetID)
		}
	}
	for _, match := range number.FindAllStringSubmatch(lower, -1) {
		if reference := match[1] + " " + strings.TrimLeft(match[2], "0"); !known[reference] {
			v.Issues = append(v.Issues, fmt.Sprintf("The prompt names %s, which is not in the manifest.", reference))
		}
	}
	v.Valid = len(v.Issues) == 0
	return v, nil
}
