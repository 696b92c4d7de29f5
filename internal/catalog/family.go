package catalog

// Family is a set of models that load each other's LoRAs. A personal LoRA is
// imported for one model and can be used with its whole family.
type Family struct {
	ID       string   `yaml:"id"`
	Name     string   `yaml:"name"`
	ModelIDs []string `yaml:"-"` // the models that name it, in the order of the data
}

// Families lists the LoRA families.
func (c *Catalog) Families() []*Family { return c.read().families }

// FamilyOf returns the LoRA family of a model.
func (c *Catalog) FamilyOf(modelID string) (*Family, bool) {
	m, ok := c.read().modelByID[modelID]
	if !ok {
		return nil, false
	}
	for _, f := range c.read().families {
		if f.ID == m.LoraFamily {
			return f, true
		}
	}
	return nil, false
}

// ImportableModels lists the models that personal LoRAs can be imported for.
func (c *Catalog) ImportableModels() []string {
	var ids []string
	for _, f := range c.read().families {
		ids = append(ids, f.ModelIDs...)
	}
	return ids
}
