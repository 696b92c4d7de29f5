package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// Catalog is everything the service offers. It is safe for concurrent use: what its methods
// return is shared and must not be changed. Only Use changes it.
type Catalog struct {
	now atomic.Pointer[contents]
}

// contents are what a catalog holds at one time. They are immutable.
type contents struct {
	updatedAt string
	sparkUSD  atelier.Money
	weights   map[string]int

	models    []*Model
	modelByID map[string]*Model

	weightFiles map[string]*WeightFile // by their folder and name

	tools      []*Tool
	toolByName map[string]*Tool

	families []*Family
	loras    []*Lora
	loraByID map[string]*Lora

	llms      []*LLM
	llmByID   map[string]*LLM
	plans     []*Plan
	freeSpark FreeSpark
	workerPay map[string]WorkerPay
	planPool  PlanPool
	releases  []*Release
	images    []*WorkerImage
	samples   []*Sample
	gallery   fs.FS

	version func() string
	from    origin
}

func (c *Catalog) read() *contents { return c.now.Load() }

func newCatalog(in *contents) *Catalog {
	c := new(Catalog)
	c.now.Store(in)
	return c
}

// Clone is another catalog that holds the same, and keeps it when this one changes.
func (c *Catalog) Clone() *Catalog { return newCatalog(c.read()) }

// Use has the catalog hold what another one does, from now on: who has the catalog need not be told.
// Two calls of a method may have a change between them.
func (c *Catalog) Use(other *Catalog) { c.now.Store(other.read()) }

// Derive returns a function that returns what was made of a catalog. It is made at the first call, and
// again after the catalog has changed.
func Derive[T any](c *Catalog, make func() T) func() T {
	type made struct {
		of    *contents
		value T
	}
	var (
		mu   sync.Mutex
		last made
	)
	return func() T {
		mu.Lock()
		defer mu.Unlock()
		if now := c.read(); last.of != now {
			last = made{now, make()}
		}
		return last.value
	}
}

// UpdatedAt is the date of the data, in the form of the wire. It is written in
// the data itself, so that two nodes of one build agree.
func (c *Catalog) UpdatedAt() string { return c.read().updatedAt }

// Version is a digest, 64 hexadecimal digits, of everything that feeds the
// public model catalog. It changes exactly when a reader would see a change.
func (c *Catalog) Version() string { return c.read().version() }

func (c *contents) digest() func() string {
	return sync.OnceValue(func() string {
		h := sha256.New()
		for _, m := range c.models {
			// An entry is made of plain values; encoding it cannot fail.
			text, _ := wire.MarshalV1(m.Entry)
			h.Write(append(text, '\n'))
		}
		return hex.EncodeToString(h.Sum(nil))
	})
}

// Models lists every generation model in the order of the data.
func (c *Catalog) Models() []*Model { return c.read().models }

// NativeModels lists the ids of the models that need no vendor.
func (c *Catalog) NativeModels() (ids []string) {
	for _, m := range c.read().models {
		if m.Vendor == "" {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// MediaTypes are the values of Entry.MediaType, in the order of the
// specification.
func MediaTypes() []string { return []string{"image", "video", "audio", "text", "model"} }

// Model finds a generation model by catalog id.
func (c *Catalog) Model(id string) (*Model, bool) {
	m, ok := c.read().modelByID[id]
	return m, ok
}

// ModelsNamed lists the models that a caller can mean by a name, in any letter case: the one
// with this id, and those that have it as a selector of any tool, or had it before.
func (c *Catalog) ModelsNamed(name string) (list []*Model) {
	is := func(other string) bool { return strings.EqualFold(other, name) }
	chosen := func(selectors map[string][]string) bool {
		for _, names := range selectors {
			if slices.ContainsFunc(names, is) {
				return true
			}
		}
		return false
	}
	for _, m := range c.read().models {
		if is(m.ID) || chosen(m.Selectors) || chosen(m.Legacy) {
			list = append(list, m)
		}
	}
	return list
}

// Tools lists every tool in the order of the data.
func (c *Catalog) Tools() []*Tool { return c.read().tools }

// Tool finds a tool by name.
func (c *Catalog) Tool(name string) (*Tool, bool) {
	t, ok := c.read().toolByName[name]
	return t, ok
}

// WorkerTools lists the tools that workers do without any model. A worker
// offers them by their names, beside its models.
func (c *Catalog) WorkerTools() (names []string) {
	for _, t := range c.read().tools {
		if t.Durable() && !t.Pure() && (len(t.serving) == 0 || t.Models.Unless != "") {
			names = append(names, t.Name)
		}
	}
	return names
}

// FreeTool reports whether a tool never costs money, whatever it is used with.
// One that is not known is not free.
func (c *Catalog) FreeTool(name string) bool {
	t, ok := c.Tool(name)
	return ok && t.Free()
}

// The tool families of chat completions. CreativeAgent contains CreativeTools.
const (
	CreativeTools = "creative-tools"
	CreativeAgent = "creative-agent"
)

// ToolFamily lists the tools of a family; an unknown family has none.
func (c *Catalog) ToolFamily(family string) []*Tool {
	var list []*Tool
	for _, t := range c.read().tools {
		if t.Family == family || family == CreativeAgent {
			list = append(list, t)
		}
	}
	return list
}
