package catalog

import (
	"slices"

	"github.com/atelier-project/atelier"
)

// The limits of LoRAs in one render.
const (
	MaxLoras        = 8
	MinLoraStrength = -100
	MaxLoraStrength = 100
)

// Lora is one row of the public LoRA catalog, spelled as on the wire.
type Lora struct {
	LoraID           string       `json:"loraId" yaml:"loraId"`
	Slug             string       `json:"slug" yaml:"slug"`
	Name             string       `json:"name" yaml:"name"`
	Description      string       `json:"description" yaml:"description"`
	RelatedLoraIDs   []string     `json:"relatedLoraIds" yaml:"relatedLoraIds"`
	UI               PublicLoraUI `json:"ui" yaml:"ui"`
	CompatibleModels []LoraModel  `json:"compatibleModels" yaml:"-"`
	ModelIDs         []string     `json:"modelIds" yaml:"modelIds"`
	// RestrictedModelIDs can load it but are not offered.
	RestrictedModelIDs []string `json:"restrictedModelIds,omitempty" yaml:"restrictedModelIds"`

	// SHA256 is the digest of the file, in lower-case hexadecimal; empty when unknown.
	SHA256 string `json:"-" yaml:"sha256"`
	// Families adds every model of these families to ModelIDs.
	Families []string `json:"-" yaml:"families"`
	Base     string   `json:"-" yaml:"base"`
	Removed  bool     `json:"-" yaml:"removed"`
}

// LoraModel is a model that a LoRA can be used with.
type LoraModel struct {
	ModelID string `json:"modelId"`
	Name    string `json:"name"`
}

// LoraUI is how an application shows a LoRA, public or personal.
type LoraUI struct {
	Category       string  `json:"category" yaml:"category"`
	Label          string  `json:"label" yaml:"label"`
	Min            float64 `json:"min" yaml:"min"`
	Max            float64 `json:"max" yaml:"max"`
	Default        float64 `json:"default" yaml:"default"`
	Step           float64 `json:"step" yaml:"step"`
	RecommendedMin float64 `json:"recommendedMin" yaml:"recommendedMin"`
	RecommendedMax float64 `json:"recommendedMax" yaml:"recommendedMax"`
	NSFW           bool    `json:"nsfw" yaml:"nsfw"`
	Sexual         bool    `json:"sexual" yaml:"sexual"`
	Creator        string  `json:"creator" yaml:"creator"`
	SourceURL      string  `json:"sourceUrl" yaml:"sourceUrl"`
}

// PublicLoraUI adds the fields of the public catalog. A licence is null where it is
// unknown.
type PublicLoraUI struct {
	LoraUI                `yaml:",inline"`
	RangeLabels           RangeLabels `json:"rangeLabels" yaml:"rangeLabels"`
	Section               Section     `json:"section" yaml:"section"`
	License               *string     `json:"license" yaml:"license"`
	LicenseURL            *string     `json:"licenseUrl" yaml:"licenseUrl"`
	Examples              []string    `json:"examples" yaml:"examples"`
	ExampleGroups         []string    `json:"exampleGroups" yaml:"exampleGroups"`
	ExamplePrompt         string      `json:"examplePrompt" yaml:"examplePrompt"`
	ExampleNegativePrompt string      `json:"exampleNegativePrompt" yaml:"exampleNegativePrompt"`
}

// RangeLabels names the two ends of a strength slider.
type RangeLabels struct {
	Min string `json:"min" yaml:"min"`
	Max string `json:"max" yaml:"max"`
}

// Section is the group of a picker that a LoRA is shown in.
type Section struct {
	ID    string `json:"id" yaml:"id"`
	Label string `json:"label" yaml:"label"`
	Order int    `json:"order" yaml:"order"`
}

// Loras lists the public LoRAs in the order of the data.
func (c *Catalog) Loras() []*Lora { return c.read().loras }

// LorasFor lists the public LoRAs that a model can be used with; an unknown
// model has none.
func (c *Catalog) LorasFor(modelID string) []*Lora {
	var list []*Lora
	for _, l := range c.read().loras {
		if slices.Contains(l.ModelIDs, modelID) {
			list = append(list, l)
		}
	}
	return list
}

// Lora finds a public LoRA by id.
func (c *Catalog) Lora(id string) (*Lora, bool) {
	l, ok := c.read().loraByID[id]
	return l, ok
}

// LoraModels lists the id of every model that can load LoRAs.
func (c *Catalog) LoraModels() []string {
	var ids []string
	for _, m := range c.read().models {
		if m.LoadsLoras() {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// PublicLora finds the LoRA of the public catalog for a model that is the same file as
// another: with the same digest, or from one of the links.
func (c *Catalog) PublicLora(modelID, sha256 string, links ...string) (*Lora, bool) {
	for _, l := range c.read().loras {
		same := l.UI.SourceURL != "" && slices.Contains(links, l.UI.SourceURL) || sha256 != "" && l.SHA256 == sha256
		if same && slices.Contains(l.ModelIDs, modelID) {
			return l, true
		}
	}
	return nil, false
}

// LoraUse is a LoRA and the strength it is used at.
type LoraUse struct {
	ID       string
	Strength float64
}

// LoraPlan is the result for the LoRAs that a render names.
type LoraPlan struct {
	Public   []LoraUse // loaded
	Personal []LoraUse // to be checked as personal LoRAs
	Dropped  []string  // public ids that the model cannot load
}

// PlanLoras sorts the LoRAs that a render names. Public ones that the model cannot load
// are dropped: a caller that changes models keeps its list. An omitted strength is the
// LoRA's default, or 1 for a personal LoRA.
func (c *Catalog) PlanLoras(m *Model, ids []string, strengths []float64) (LoraPlan, error) {
	var p LoraPlan
	if len(ids) > MaxLoras {
		return p, atelier.Refuse("arguments.loras", "must have at most %d items, not %d", MaxLoras, len(ids))
	}
	if len(strengths) > 0 && len(strengths) != len(ids) {
		return p, atelier.Refuse("arguments.loraStrengths", "must have one entry for each of loras")
	}
	for i, id := range ids {
		row, public := c.read().loraByID[id]
		personal := !public && atelier.IsPersonalLora(id)
		if !public && !personal {
			return p, atelier.Refuse("arguments."+index("loras", i), "is %.80q, which no LoRA has as its id; GET /v1/loras/comfy lists the public ones", id)
		}
		if slices.Contains(ids[:i], id) {
			return p, atelier.Refuse("arguments."+index("loras", i), "names %.80q a second time", id)
		}
		use := LoraUse{ID: id, Strength: 1}
		if public {
			use.Strength = row.UI.Default
		}
		if len(strengths) > 0 {
			use.Strength = strengths[i]
		}
		field := "arguments." + index("loraStrengths", i)
		switch {
		case use.Strength < MinLoraStrength || use.Strength > MaxLoraStrength:
			return p, atelier.Refuse(field, "must be between %d and %d", MinLoraStrength, MaxLoraStrength)
		case personal && (use.Strength <= 0 || use.Strength > 1):
			return p, atelier.Refuse(field, "must be above 0 and at most 1 for a personal LoRA")
		case personal:
			p.Personal = append(p.Personal, use)
		case m != nil && slices.Contains(row.ModelIDs, m.ID):
			p.Public = append(p.Public, use)
		default:
			p.Dropped = append(p.Dropped, id)
		}
	}
	return p, nil
}
