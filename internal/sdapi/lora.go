package sdapi

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/lora"
)

// Lora is a LoRA that an account can use.
type Lora struct {
	Name     string       `json:"name"`  // its id, for tags in a prompt
	Alias    string       `json:"alias"` // its title, which tags may have too
	Path     string       `json:"path"`
	Metadata LoraMetadata `json:"metadata"`

	slug   string
	models []string
}

// LoraMetadata says what a LoRA is for.
type LoraMetadata struct {
	Models []string `json:"models"` // titles of checkpoints
}

// Loras are those of the catalog and those of an account.
func Loras(c *catalog.Catalog, own []lora.Row) []Lora {
	list := []Lora{}
	add := func(id, slug, name string, models []string) {
		l := Lora{Name: id, Alias: name, Path: id, Metadata: LoraMetadata{Models: []string{}}, slug: slug, models: models}
		for _, m := range models {
			l.Metadata.Models = append(l.Metadata.Models, titleOf(c, m))
		}
		list = append(list, l)
	}
	for _, l := range own {
		add(string(l.LoraID), l.Slug, l.Name, l.ModelIDs)
	}
	for _, l := range c.Loras() {
		add(l.LoraID, l.Slug, l.Name, l.ModelIDs)
	}
	return list
}

// loraTag is how a prompt names a LoRA: <lora:name:weight>.
var loraTag = regexp.MustCompile(`<lora:([^:<>]+)(?::([^:<>]*))?[^<>]*>`)

// NamesLoras reports whether the prompt names LoRAs.
func (s Settings) NamesLoras() bool { return loraTag.MatchString(s.Prompt) }

// loraUse is the LoRAs that a prompt names, as the arguments of a tool, and the rest of the prompt.
type loraUse struct {
	prompt    string
	ids       []any
	strengths []any
	ignored   []string
}

// useLoras finds the LoRAs that a prompt names and a model loads.
func useLoras(prompt string, m *catalog.Model, known []Lora) (use loraUse) {
	use.prompt = strings.TrimSpace(loraTag.ReplaceAllStringFunc(prompt, func(tag string) string {
		parts := loraTag.FindStringSubmatch(tag)
		strength, err := strconv.ParseFloat(strings.TrimSpace(parts[2]), 64)
		if parts[2] == "" {
			strength, err = 1, nil
		}
		i := slices.IndexFunc(known, func(l Lora) bool {
			return slices.Contains(l.models, m.ID) && (equalName(l.Name, parts[1]) || equalName(l.slug, parts[1]) || equalName(l.Alias, parts[1]))
		})
		if err == nil && i >= 0 && atelier.IsPersonalLora(known[i].Name) {
			strength = min(strength, 1) // no more is possible
			if strength <= 0 {
				i = -1
			}
		}
		if err != nil || i < 0 || !(math.Abs(strength) <= catalog.MaxLoraStrength) || len(use.ids) == catalog.MaxLoras || slices.Contains(use.ids, any(known[i].Name)) {
			use.ignored = append(use.ignored, strings.Trim(tag, "<>"))
			return ""
		}
		use.ids, use.strengths = append(use.ids, known[i].Name), append(use.strengths, strength)
		return ""
	}))
	return use
}
