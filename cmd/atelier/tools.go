package main

import (
	"context"
	"fmt"
	"net/http"
	neturl "net/url"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// toolsCommand lists the tools. It needs no API key.
type toolsCommand struct {
	service
	Name text    `arg:"" optional:"" help:"Show this tool with its arguments, models and prices."`
	Runs *string `help:"Only tools that run in this way: ${enum}; sync lists those that answer at once." enum:"worker,service,session,sync" placeholder:"WAY"`
	JSON bool    `help:"Print JSON." name:"json"`
}

// Run lists tools.
func (c *toolsCommand) Run(ctx context.Context, t terminal) error {
	service, err := c.reach()
	if err != nil {
		return err
	}
	if c.Name != "" {
		var found struct {
			Tool catalog.ToolEntry `json:"tool"`
		}
		if err := service.Call(ctx, http.MethodGet, "/v1/tools/"+neturl.PathEscape(string(c.Name)), nil, &found); err != nil {
			return c.URL.explain(err)
		}
		if c.JSON {
			return printJSON(t.out, found.Tool)
		}
		models, err := readModels(ctx, service, neturl.Values{})
		if err != nil {
			return c.URL.explain(err)
		}
		return printTool(t, found.Tool, models)
	}
	q := neturl.Values{}
	if c.Runs != nil {
		q.Set("runs", *c.Runs)
	}
	var listed struct {
		Tools []catalog.ToolEntry `json:"tools"`
	}
	if err := service.Call(ctx, http.MethodGet, "/v1/tools?"+q.Encode(), nil, &listed); err != nil {
		return c.URL.explain(err)
	}
	if c.JSON {
		return printJSON(t.out, listed.Tools)
	}
	table := newTable(t.out, "TOOL", "MAKES", "RUNS", "MODELS", "ABOUT")
	for _, e := range listed.Tools {
		table.row(e.Name, string(e.Produces), e.Runs, len(e.Models), clip(plainText(e.Description), 80))
	}
	return table.flush()
}

// printTool prints a tool with its arguments and models.
func printTool(t terminal, e catalog.ToolEntry, models []listedModel) error {
	fmt.Fprintf(t.out, "%s\n%s\n\n", e.Name, plainText(e.Description))
	arguments := newTable(t.out, "ARGUMENT", "TYPE", "REQUIRED", "DEFAULT", "VALUES", "ABOUT")
	for _, a := range e.Arguments {
		arguments.row(a.Name, a.Kind(), yesNo(a.Required), compact(a.Default), plainText(a.Values()), clip(plainText(a.Text), 100))
	}
	if err := arguments.flush(); err != nil {
		return err
	}
	if e.Price != nil {
		fmt.Fprintf(t.out, "\nPrice: %s\n", e.Price)
	}
	if len(e.Models) == 0 {
		return nil
	}
	fmt.Fprintln(t.out)
	table := newTable(t.out, "MODEL", "CHOSEN BY", "PRICE", "SERVED BY")
	for _, m := range e.Models {
		served := "-"
		if at := slices.IndexFunc(models, func(one listedModel) bool { return one.ID == m.ModelID }); at >= 0 {
			served = string(models[at].ServedBy)
		}
		chosen := m.ModelID
		if len(m.Selectors) > 0 {
			chosen = strings.Join(m.Selectors, ", ")
		}
		if slices.Contains(m.Selectors, e.DefaultModel) {
			chosen += " (default)"
		}
		table.row(m.ModelID, chosen, m.Price, served)
	}
	return table.flush()
}
