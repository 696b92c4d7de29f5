package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/atelier-project/atelier/internal/yamldoc"
)

// build fills the catalog from the documents and resolves every name in it.
func (l *loader) build(c *contents) error {
	l.bases = make(map[string]yamldoc.Raw)
	c.weights = make(map[string]int)
	c.workerPay = make(map[string]WorkerPay)
	for _, d := range l.docs {
		maps.Copy(l.bases, d.Bases)
		maps.Copy(c.weights, d.CapacityWeights)
		maps.Copy(c.workerPay, d.WorkerPay)
		c.updatedAt = cmp.Or(d.UpdatedAt, c.updatedAt)
		c.sparkUSD = cmp.Or(d.SparkUSD, c.sparkUSD)
		c.freeSpark = cmp.Or(d.FreeSpark, c.freeSpark)
		if d.PlanPool != nil {
			c.planPool = *d.PlanPool
		}
	}
	for _, part := range []func(*contents) error{
		l.models, l.weightSources, l.tools, l.serving, l.loras, l.others, l.samples, l.checkAll,
	} {
		if err := part(c); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) models(c *contents) (err error) {
	if c.families, err = gather[Family](l, "id", func(d *document) []yamldoc.Raw { return d.Families }); err != nil {
		return err
	}
	if c.models, err = gather[Model](l, "id", func(d *document) []yamldoc.Raw { return d.Models }); err != nil {
		return err
	}
	c.modelByID = make(map[string]*Model, len(c.models))
	for _, m := range c.models {
		c.modelByID[m.ID] = m
		if m.Duration != nil {
			d := *m.Duration // bases are shared
			d.finish()
			m.Duration = &d
		}
		if m.Tags == nil {
			m.Tags = []string{}
		}
		m.Parameters = m.parameters(c.sparkUSD)
		if m.LoraFamily == "" {
			continue
		}
		i := slices.IndexFunc(c.families, func(f *Family) bool { return f.ID == m.LoraFamily })
		if i < 0 {
			return l.fail(m, "loraFamily", "%s is not a LoRA family", m.LoraFamily)
		}
		c.families[i].ModelIDs = append(c.families[i].ModelIDs, m.ID)
	}
	return nil
}

func (l *loader) tools(c *contents) (err error) {
	list, err := gather[Argument](l, "name", func(d *document) []yamldoc.Raw { return d.Shared })
	if err != nil {
		return err
	}
	shared := make(map[string]*Argument)
	for _, a := range list {
		shared[a.Name] = a
	}
	if c.tools, err = gather[Tool](l, "name", func(d *document) []yamldoc.Raw { return d.Tools }); err != nil {
		return err
	}
	c.toolByName = make(map[string]*Tool, len(c.tools))
	for _, t := range c.tools {
		if len(t.Name) > 64 || !toolName.MatchString(t.Name) {
			return l.fail(t, "name", "must be words of small letters and digits, joined by _, of at most 64 characters in all, not %q", t.Name)
		}
		c.toolByName[t.Name] = t
		t.byName = make(map[string]*Argument, len(t.Arguments))
		for i, a := range t.Arguments {
			if a.Use != "" {
				from, ok := shared[a.Use]
				if !ok {
					return l.fail(t, fmt.Sprintf("arguments[%d].use", i), "%s is not a shared argument", a.Use)
				}
				a.inherit(from)
			}
			if t.byName[a.Name] != nil || a.Name == "" {
				return l.fail(t, fmt.Sprintf("arguments[%d].name", i), "must be a unique name, not %q", a.Name)
			}
			t.byName[a.Name] = a
		}
		t.prepare()
	}
	return nil
}

// toolName is what tools are called. Language models take no other names, and schemas are named after tools.
var toolName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// serving links every tool to its models.
func (l *loader) serving(c *contents) error {
	for _, t := range c.tools {
		t.selectors = make(map[string][]*Model)
		t.serving = make(map[string]*Model)
	}
	for _, m := range c.models {
		for _, name := range slices.Sorted(maps.Keys(m.Selectors)) {
			t, ok := c.toolByName[name]
			if !ok {
				return l.fail(m, "selectors", "%s is not a tool", name)
			}
			t.serving[m.ID] = m
			for _, s := range m.Selectors[name] {
				if t.selectors[s] == nil {
					t.published = append(t.published, s)
					if !m.Niche {
						t.offered = append(t.offered, s)
					}
				}
				t.selectors[s] = append(t.selectors[s], m)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(m.Legacy)) {
			t, ok := c.toolByName[name]
			if !ok {
				return l.fail(m, "legacy", "%s is not a tool", name)
			}
			for _, s := range m.Legacy[name] {
				t.selectors[s] = append(t.selectors[s], m)
			}
		}
	}
	return nil
}

func (l *loader) loras(c *contents) (err error) {
	if c.loras, err = gather[Lora](l, "loraId", func(d *document) []yamldoc.Raw { return d.Loras }); err != nil {
		return err
	}
	for _, row := range c.loras {
		ids := slices.Clone(row.ModelIDs)
		for _, name := range row.Families {
			i := slices.IndexFunc(c.families, func(f *Family) bool { return f.ID == name })
			if i < 0 {
				return l.fail(row, "families", "%s is not a LoRA family", name)
			}
			ids = append(ids, c.families[i].ModelIDs...)
		}
		row.ModelIDs, row.CompatibleModels = []string{}, []LoraModel{}
		for _, list := range []*[]string{&row.RelatedLoraIDs, &row.UI.Examples, &row.UI.ExampleGroups} {
			if *list == nil {
				*list = []string{}
			}
		}
		for _, id := range ids {
			m, ok := c.modelByID[id]
			if !ok && l.removed[id] {
				continue
			}
			if !ok {
				return l.fail(row, "modelIds", "%s is not a model", id)
			}
			if slices.Contains(row.RestrictedModelIDs, id) || slices.Contains(row.ModelIDs, id) {
				continue
			}
			row.ModelIDs = append(row.ModelIDs, id)
			row.CompatibleModels = append(row.CompatibleModels, LoraModel{ModelID: id, Name: m.Name})
		}
		if len(row.ModelIDs) == 0 && len(ids) > 0 {
			l.removed[row.LoraID] = true // with the last model that loads it
		}
	}
	c.loras = slices.DeleteFunc(c.loras, func(row *Lora) bool { return l.removed[row.LoraID] })
	c.loraByID = make(map[string]*Lora, len(c.loras))
	for _, row := range c.loras {
		row.RelatedLoraIDs = slices.DeleteFunc(row.RelatedLoraIDs, func(id string) bool { return l.removed[id] })
		c.loraByID[row.LoraID] = row
	}
	return nil
}

func (l *loader) others(c *contents) (err error) {
	if c.llms, err = gather[LLM](l, "id", func(d *document) []yamldoc.Raw { return d.LLMs }); err != nil {
		return err
	}
	c.llmByID = make(map[string]*LLM)
	for _, m := range c.llms {
		c.llmByID[m.ID] = m
	}
	for _, m := range c.llms {
		for _, id := range m.Replaces {
			if c.llmByID[id] != nil {
				return l.fail(m, "replaces", "%s is a model itself or replaced twice", id)
			}
			c.llmByID[id] = m
		}
	}
	if c.plans, err = gather[Plan](l, "key", func(d *document) []yamldoc.Raw { return d.Plans }); err != nil {
		return err
	}
	if c.releases, err = gather[Release](l, "channel", func(d *document) []yamldoc.Raw { return d.Releases }); err != nil {
		return err
	}
	c.images, err = gather[WorkerImage](l, "key", func(d *document) []yamldoc.Raw { return d.Images })
	return err
}

// samples keeps the gallery entries whose files exist. The program's own list may have
// entries without files; what an operator adds may not.
func (l *loader) samples(c *contents) error {
	list, err := gather[Sample](l, "file", func(d *document) []yamldoc.Raw { return d.Samples })
	if err != nil {
		return err
	}
	overlaid := make(map[string]bool)
	for _, d := range l.docs[l.checked:] {
		for _, raw := range d.Samples {
			overlaid[raw.Text("file")] = true
		}
	}
	for _, s := range list {
		if _, ok := c.modelByID[s.ModelID]; !ok {
			if l.removed[s.ModelID] {
				continue
			}
			return l.fail(s, "modelId", "%q is not a model", s.ModelID)
		}
		switch {
		case !exists(c.gallery, s.File):
			if overlaid[s.File] {
				return l.fail(s, "file", "is not a file below gallery/")
			}
		case s.VideoFile != "" && !exists(c.gallery, s.VideoFile):
			if overlaid[s.File] {
				return l.fail(s, "videoFile", "%s is not a file below gallery/", s.VideoFile)
			}
		default:
			c.samples = append(c.samples, s)
		}
	}
	return nil
}
