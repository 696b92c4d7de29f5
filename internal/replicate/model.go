package replicate

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/seal"
	"github.com/atelier-project/atelier/internal/wire"
)

// Owner is the account that all models belong to.
const Owner = "atelier"

// Translator knows the models, and the addresses of what clients read. It is safe for concurrent use.
type Translator struct {
	base    string // the URL of the API
	catalog *catalog.Catalog
	models  *llm.Models
	media   func() []*Model
	links   seal.Sealer // of the addresses of streams
}

// New makes a Translator. Links seal the addresses at which the outputs of predictions can be read without a key.
func New(base string, c *catalog.Catalog, m *llm.Models, links seal.Sealer) *Translator {
	t := &Translator{base: base, catalog: c, models: m, links: links}
	t.media = catalog.Derive(c, t.mediaModels)
	return t
}

// Model is a model: a tool of the catalog with one of its models, or a language model.
type Model struct {
	URL            string  `json:"url"`
	Owner          string  `json:"owner"`
	Name           string  `json:"name"`
	Description    string  `json:"description"`
	Visibility     string  `json:"visibility"`
	GithubURL      *string `json:"github_url"`
	PaperURL       *string `json:"paper_url"`
	LicenseURL     *string `json:"license_url"`
	RunCount       int     `json:"run_count"`
	CoverImageURL  *string `json:"cover_image_url"`
	DefaultExample *string `json:"default_example"`
	LatestVersion  Version `json:"latest_version"`

	tool     *catalog.Tool // nil for a language model
	chooses  string        // the value of the tool's model argument; empty when the tool chooses
	language string        // the id of a language model
	inputs   []input
	isList   bool // its output is a list
}

// Version is the one version that a model has.
type Version struct {
	ID         string    `json:"id"` // a digest of the schema
	CreatedAt  time.Time `json:"created_at"`
	CogVersion string    `json:"cog_version"`
	Schema     Document  `json:"openapi_schema"`
}

// Page is a page of a list.
type Page[T any] struct {
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
	Results  []T     `json:"results"`
}

// Ref is the model as clients name it.
func (m *Model) Ref() string { return m.Owner + "/" + m.Name }

// IsLanguage reports whether the model is a language model.
func (m *Model) IsLanguage() bool { return m.tool == nil }

// Collection is the models of one tool.
type Collection struct {
	Name        string   `json:"name"`
	Slug        string   `json:"slug"`
	Description string   `json:"description"`
	Models      []*Model `json:"models,omitzero"`
}

// Models lists the models: those of the catalog in its order, then the language models.
func (t *Translator) Models() []*Model {
	list := slices.Clone(t.media())
	for _, l := range t.models.All() {
		m := t.newModel(slug(l.ID), "The language model "+l.ID+".", l.Created, languageInputs, Property{Type: "string", Title: "Output"})
		m.language = l.ID
		list = append(list, m)
	}
	return list
}

// slug is a text as the name of a model can have it.
func slug(text string) string { return strings.NewReplacer("/", "-", ":", "-", " ", "-").Replace(text) }

// dashed is the name of a tool as the name of a model has it.
func dashed(tool string) string { return strings.ReplaceAll(tool, "_", "-") }

// mediaModels makes the models of the catalog. A tool whose models its caller chooses has one for each of them. That of
// a catalog model's first tool that fits what the model needs has the id of the catalog model as its name.
func (t *Translator) mediaModels() (list []*Model) {
	for _, tool := range t.catalog.Tools() {
		if !tool.Durable() || tool.Pure() || tool.Produces == nil || !isMedia(tool.Produces.Kind) {
			continue
		}
		if tool.Models.Argument == "" {
			list = append(list, t.mediaModel(dashed(tool.Name), tool, nil))
			continue
		}
		for _, m := range t.catalog.Models() {
			if !m.Serves(tool.Name) {
				continue
			}
			name := slug(m.ID)
			if t.mainTool(m) != tool {
				name += "-" + dashed(tool.Name)
			}
			list = append(list, t.mediaModel(name, tool, m))
		}
	}
	return list
}

func isMedia(k catalog.Kind) bool {
	return k == catalog.Image || k == catalog.Video || k == catalog.Audio || k == catalog.Object
}

// mainTool is the first tool of a model that needs media if the model does, or the first of all.
func (t *Translator) mainTool(m *catalog.Model) (main *catalog.Tool) {
	needs := m.Takes.Images.Min+m.Takes.Videos.Min+m.Takes.Audio.Min > 0
	for _, tool := range t.catalog.Tools() {
		if tool.Models.Argument == "" || !m.Serves(tool.Name) {
			continue
		}
		if len(tool.Needs) > 0 == needs {
			return tool
		}
		if main == nil {
			main = tool
		}
	}
	return main
}

func (t *Translator) mediaModel(name string, tool *catalog.Tool, of *catalog.Model) *Model {
	output := Property{Type: "string", Format: "uri", Title: "Output"}
	isList := tool.Produces.Count != ""
	if isList {
		output = Property{Type: "array", Title: "Output", Items: &Property{Type: "string", Format: "uri"}}
	}
	description, since := tool.Description, t.since()
	if of != nil {
		description = of.Name + ". " + description
	}
	m := t.newModel(name, description, since, toolInputs(tool, of), output)
	m.tool, m.isList = tool, isList
	if of != nil {
		m.chooses = of.ID
		if a := of.Attribution; a != nil && a.LicenseURL != "" {
			m.LicenseURL = &a.LicenseURL
		}
	}
	return m
}

// since is when the models of the catalog were last changed.
func (t *Translator) since() time.Time {
	at, _ := time.Parse(time.RFC3339, t.catalog.UpdatedAt())
	return at
}

func (t *Translator) newModel(name, description string, since time.Time, inputs []input, output Property) *Model {
	m := &Model{URL: t.base + "/models/" + Owner + "/" + name, Owner: Owner, Name: name, Description: description, Visibility: "public", inputs: inputs}
	m.LatestVersion = Version{CreatedAt: since.UTC(), CogVersion: "0.9.0", Schema: newDocument(inputs, output)}
	h := sha256.New()
	for _, part := range []any{m.Ref(), m.LatestVersion.Schema} {
		text, _ := wire.MarshalV1(part) // plain values, with maps in order
		h.Write(append(text, '\n'))
	}
	m.LatestVersion.ID = hex.EncodeToString(h.Sum(nil))
	return m
}

// Find finds a model by its owner and name.
func (t *Translator) Find(owner, name string) (*Model, error) {
	for _, m := range t.Models() {
		if m.Owner == owner && m.Name == name {
			return m, nil
		}
	}
	if owner != Owner {
		return nil, atelier.Missing("owner", owner, "owner of models")
	}
	return nil, atelier.Missing("name", name, "model")
}

// FindVersion finds a model by what a client calls a version: its id, or the model with or without it.
func (t *Translator) FindVersion(text string) (*Model, error) {
	ref, version, _ := strings.Cut(text, ":")
	for _, m := range t.Models() {
		id := m.LatestVersion.ID
		if text == id || ref == m.Ref() && (version == "" || version == id) {
			return m, nil
		}
	}
	return nil, atelier.Refuse("version", "is no version of a model here: send owner/name, owner/name:version, or the id of a version.")
}

// Collections lists the tools as collections.
func (t *Translator) Collections() (list []Collection) {
	for _, m := range t.Models() {
		c := Collection{Name: "Language models", Slug: "language-models", Description: "Models that answer with a text."}
		if m.tool != nil {
			c = Collection{Name: strings.ReplaceAll(m.tool.Name, "_", " "), Slug: dashed(m.tool.Name), Description: m.tool.Description}
		}
		at := slices.IndexFunc(list, func(o Collection) bool { return o.Slug == c.Slug })
		if at < 0 {
			at, list = len(list), append(list, c)
		}
		list[at].Models = append(list[at].Models, m)
	}
	return list
}
