package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	neturl "net/url"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/catalog"
)

// modelsCommand groups the commands about models.
type modelsCommand struct {
	List modelsList `cmd:"" default:"withargs" help:"List the models, or show one with its parameters. The word list may be left out."`
	Pull modelsPull `cmd:"" help:"Fetch the files that models need into the folders of a ComfyUI on this machine."`
}

// modelsList lists what generates. It needs no API key, except for language models.
type modelsList struct {
	service
	Model   text    `arg:"" optional:"" help:"Show this model with its parameters, by its id."`
	Type    *string `help:"Only models of this type: ${enum}; llm lists language models." enum:"image,video,audio,text,model,llm" placeholder:"TYPE"`
	Network *string `help:"Only models that a connected worker of this network offers: ${enum}." enum:"fast,relaxed" placeholder:"NETWORK"`
	JSON    bool    `help:"Print JSON." name:"json"`
}

// listedModel is a model of the catalog, as the service shows it.
type listedModel struct {
	catalog.Entry
	AvailableNetworks []atelier.Network       `json:"availableNetworks"`
	WorkerCounts      map[atelier.Network]int `json:"workerCounts"`
	ServedBy          atelier.Server          `json:"servedBy"`
}

// price is what one render costs in Spark, as the entry says it.
func (m listedModel) price() string {
	price, ok := m.Parameters["costPerBaseRenderInSpark"].(string)
	if !ok {
		return "-"
	}
	return strings.TrimSuffix(strings.TrimRight(price, "0"), ".")
}

// listedLanguageModel is a language model, as the service shows it.
type listedLanguageModel struct {
	ID            string `json:"id"`
	OwnedBy       string `json:"owned_by"`
	ContextLength int    `json:"context_length"`
	Capabilities  struct {
		Reasoning bool `json:"reasoning"`
	} `json:"capabilities"`
	Svc struct {
		Default bool `json:"default,omitzero"`
	} `json:"svc"`
}

// Run lists models.
func (m *modelsList) Run(ctx context.Context, t terminal) error {
	if m.Type != nil && *m.Type == "llm" {
		return m.listLanguageModels(ctx, t)
	}
	c, err := m.reach()
	if err != nil {
		return err
	}
	if m.Model != "" {
		return m.show(ctx, t, c)
	}
	models, err := readModels(ctx, c, m.query())
	switch {
	case err != nil:
		return m.URL.explain(err)
	case m.JSON:
		return printJSON(t.out, models)
	}
	table := newTable(t.out, "MODEL", "TYPE", "SERVED BY", "SPARK", "FILES", "NAME")
	for _, one := range models {
		table.row(one.ID, one.MediaType, one.ServedBy, one.price(), sizeOfWeights(one.Weights), plainText(one.Name))
	}
	return table.flush()
}

func (m *modelsList) query() neturl.Values {
	q := neturl.Values{}
	for name, value := range map[string]*string{"mediaType": m.Type, "network": m.Network} {
		if value != nil {
			q.Set(name, *value)
		}
	}
	return q
}

// readModels reads the catalog of models, with their parameters.
func readModels(ctx context.Context, c *client.Client, q neturl.Values) ([]listedModel, error) {
	q.Set("include", "parameters")
	reply := struct {
		Models []listedModel `json:"models"`
	}{[]listedModel{}}
	err := c.Call(ctx, http.MethodGet, "/v1/model-catalog?"+q.Encode(), nil, &reply)
	return reply.Models, err
}

// show prints one model.
func (m *modelsList) show(ctx context.Context, t terminal, c *client.Client) error {
	var reply struct {
		Model listedModel `json:"model"`
	}
	err := c.Call(ctx, http.MethodGet, "/v1/model-catalog/"+neturl.PathEscape(string(m.Model)), nil, &reply)
	found := reply.Model
	switch {
	case err != nil:
		return m.URL.explain(err)
	case m.JSON:
		return printJSON(t.out, found)
	}
	facts := newTable(t.out)
	facts.row("model", found.ID)
	facts.row("name", plainText(found.Name))
	facts.row("type", found.MediaType)
	facts.row("served by", found.ServedBy)
	facts.row("price", found.price()+" Spark")
	facts.row("tags", strings.Join(found.Tags, ", "))
	if w := found.Weights; w != nil {
		facts.row("files", sizeOfWeights(w))
		facts.row("gpu memory", gpuMemory(w))
	}
	if a := found.Attribution; a != nil {
		facts.row("made by", plainText(cmp.Or(a.Label, a.Creator)))
		facts.row("license", plainText(a.License))
	}
	if err := facts.flush(); err != nil {
		return err
	}
	fmt.Fprintln(t.out)
	if w := found.Weights; w != nil && len(w.Files) > 0 {
		files := newTable(t.out, "FILE", "SIZE", "FROM")
		for _, f := range w.Files {
			files.row(f.Folder+"/"+f.Name, sizeOfFile(f), cmp.Or(f.URL, f.Unknown))
		}
		if err := files.flush(); err != nil {
			return err
		}
		fmt.Fprintln(t.out)
	}
	parameters := newTable(t.out, "PARAMETER", "VALUES")
	for _, name := range slices.Sorted(maps.Keys(found.Parameters)) {
		parameters.row(name, compact(found.Parameters[name]))
	}
	return parameters.flush()
}

// listLanguageModels lists the models that chats can use.
func (m *modelsList) listLanguageModels(ctx context.Context, t terminal) error {
	if m.Model != "" || m.Network != nil {
		return exitError{fmt.Errorf("--type llm goes with neither a model nor --network"), 2}
	}
	c, err := m.connect()
	if err != nil {
		return err
	}
	models := []listedLanguageModel{} // of an answer in the form of OpenAI, which has a list as its data
	if err := c.Call(ctx, http.MethodGet, "/v1/models", nil, &models); err != nil {
		return m.URL.explain(err)
	}
	if m.JSON {
		return printJSON(t.out, models)
	}
	table := newTable(t.out, "MODEL", "CONTEXT", "REASONING", "DEFAULT", "FROM")
	for _, one := range models {
		table.row(plainText(one.ID), one.ContextLength, yesNo(one.Capabilities.Reasoning), yesNo(one.Svc.Default), plainText(one.OwnedBy))
	}
	return table.flush()
}

// sizeOfWeights is how large the files of a model are together, as far as that is known.
func sizeOfWeights(w *apitype.ModelWeights) string {
	switch {
	case w == nil || len(w.Files) == 0:
		return ""
	case w.SizesUnknown == len(w.Files):
		return "unknown"
	case w.SizesUnknown > 0:
		return "over " + size(w.Bytes)
	}
	return size(w.Bytes)
}

// sizeOfFile is how large one is.
func sizeOfFile(f apitype.WeightFile) string {
	switch {
	case f.Bytes == 0:
		return "unknown"
	case f.Approximate:
		return "about " + size(f.Bytes)
	}
	return size(f.Bytes)
}

// gpuMemory is how much a model takes, and the source of the number.
func gpuMemory(w *apitype.ModelWeights) string {
	if w.GPUMemory == nil {
		return "unknown"
	}
	return fmt.Sprintf("%d GB (%s)", w.GPUMemory.Bytes/1e9, w.GPUMemory.Source)
}
