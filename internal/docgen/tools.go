package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// toolsDirectory has a page for each tool, and an index.
const toolsDirectory = "tools"

// toolDocuments are the pages of the tools of the program's own catalog.
func toolDocuments(docs string) (map[string]string, error) {
	c, err := catalog.Load("")
	if err != nil {
		return nil, err
	}
	var index strings.Builder
	index.WriteString("# Tools\n\n" + generated + `
Every tool of the program's own catalog, with its arguments, models and prices. A service lists those that it has,
with the changes of its operator, at ` + "`GET /v1/tools`, and `atelier tools` prints them" + `. Prices are those
before plans and discounts, and money is held before the work: see [money.md](../money.md).
`)
	out := map[string]string{}
	for _, group := range toolGroups {
		fmt.Fprintf(&index, "\n## %s\n\n| tool | about |\n| --- | --- |\n", group.title)
		for _, e := range c.ToolEntries("") {
			if groupOf(e) != group.key {
				continue
			}
			fmt.Fprintf(&index, "| [%s](%s.md) | %s |\n", e.Name, e.Name, cell(e.Description))
			if out[filepath.Join(docs, toolsDirectory, e.Name+".md")], err = toolDocument(e); err != nil {
				return nil, err
			}
		}
	}
	out[filepath.Join(docs, toolsDirectory, "README.md")] = index.String()
	return out, nil
}

// toolGroups are the sections of the index.
var toolGroups = []struct{ key, title string }{
	{"image", "Pictures"}, {"video", "Video"}, {"audio", "Music and speech"}, {"model", "3D"},
	{"json", "Analysis"}, {"session", "The conversation and its assets"}, {"sync", "Words and plans, answered at once"},
}

func groupOf(e catalog.ToolEntry) string {
	if e.Runs == "session" || e.Runs == "sync" {
		return e.Runs
	}
	return string(e.Produces)
}

// runs says where a tool runs.
var runs = map[string]string{
	"worker":  "A worker renders it, as a step of a workflow.",
	"service": "The service does it, as a step of a workflow.",
	"session": "It reads or changes the session only, as a step of a workflow or a call of a language model.",
	"sync":    "It answers at once: `POST /v1/creative-agent/tools/execute`.",
}

func toolDocument(e catalog.ToolEntry) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n%s\n\n%s\n", e.Name, generated, wrap(e.Description), runs[e.Runs])
	if len(e.Needs) > 0 {
		b.WriteString("\nIt works on media that the request brings, or that an earlier step has made:\n\n")
		for _, n := range e.Needs {
			fmt.Fprintf(&b, "- %s, by %s\n", n.Kind, strings.Join(coded(n.Arguments), " or "))
		}
	}
	b.WriteString("\n## Example\n\n")
	if err := toolExample(&b, e); err != nil {
		return "", err
	}
	b.WriteString("\n## Arguments\n\n| argument | type | default | values | about |\n| --- | --- | --- | --- | --- |\n")
	argumentRows(&b, "", e.Arguments)
	b.WriteString("\n## Prices\n\n")
	if e.Price != nil {
		b.WriteString(priceText(*e.Price) + "\n")
	}
	if len(e.Models) > 0 {
		modelRows(&b, e)
	}
	return b.String(), nil
}

// toolExample writes a request that the service accepts.
func toolExample(b *strings.Builder, e catalog.ToolEntry) error {
	type call struct {
		ID        string         `json:"id,omitempty"`
		ToolName  string         `json:"toolName,omitempty"`
		Tool      string         `json:"tool,omitempty"`
		Arguments map[string]any `json:"arguments"`
	}
	type plan struct {
		Steps []call `json:"steps"`
	}
	var body any = plan{[]call{{ID: "one", ToolName: e.Name, Arguments: e.Example}}}
	what := "`input` of `POST /v1/creative-agent/workflows`"
	if e.Runs == "sync" {
		body, what = call{Tool: e.Name, Arguments: e.Example}, "The body of `POST /v1/creative-agent/tools/execute`"
	}
	text, err := json.MarshalIndent(body, "", "  ")
	fmt.Fprintf(b, "%s:\n\n```json\n%s\n```\n", what, text)
	if len(e.Needs) > 0 {
		b.WriteString("\n-1 is the first of its kind in `media_references`.\n")
	}
	return err
}

// argumentRows writes arguments, those with fields followed by these.
func argumentRows(b *strings.Builder, within string, list []*catalog.Argument) {
	for _, a := range list {
		kind := a.Kind()
		if a.Required {
			kind += ", required"
		}
		def := ""
		if a.Default != nil {
			def = fmt.Sprintf("`%v`", a.Default)
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s | %s | %s |\n", within, a.Name, kind, def, cell(a.Values()), cell(a.Text))
		switch {
		case a.Items != nil && len(a.Items.Fields) > 0:
			argumentRows(b, within+a.Name+"[].", a.Items.Fields)
		case len(a.Fields) > 0:
			argumentRows(b, within+a.Name+".", a.Fields)
		}
	}
}

func modelRows(b *strings.Builder, e catalog.ToolEntry) {
	choice := "The service chooses the model."
	if e.ModelArgument != "" {
		choice = fmt.Sprintf("`%s` chooses the model: by one of the names below, or by its id.", e.ModelArgument)
	}
	fmt.Fprintf(b, "%s\n\n| model | chosen by | price |\n| --- | --- | --- |\n", choice)
	for _, m := range e.Models {
		names := strings.Join(coded(m.Selectors), ", ")
		if e.DefaultModel != "" && slices.Contains(m.Selectors, e.DefaultModel) {
			names += " (default)"
		}
		fmt.Fprintf(b, "| %s (`%s`) | %s | %s |\n", cell(m.Name), m.ModelID, names, cell(priceText(m.Price)))
	}
}

// priceText is a price with what changes it.
func priceText(p catalog.ToolPrice) string {
	if p.Free {
		return "It is free."
	}
	text := fmt.Sprintf("%s ($%s)", p, p.USD.Short())
	for _, f := range p.Factors {
		var by []string
		for _, value := range slices.Sorted(maps.Keys(f.By)) {
			by = append(by, fmt.Sprintf("%s with %s", f.By[value].Short(), value))
		}
		text += fmt.Sprintf("; times, by %s, %s", f.Argument, strings.Join(by, ", "))
	}
	for _, s := range p.Surcharges {
		text += fmt.Sprintf("; %s Spark more a second with %s of the caller", s.Spark.Short(), s.Input)
		for _, name := range slices.Sorted(maps.Keys(s.When)) {
			text += fmt.Sprintf(" at %s %s", name, strings.Join(s.When[name], ", "))
		}
	}
	return text
}

func coded(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = "`" + name + "`"
	}
	return out
}

// cell is a text in a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(text)
}

// wrap breaks a paragraph into lines.
func wrap(text string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case width+1+len(word) > 118:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}
