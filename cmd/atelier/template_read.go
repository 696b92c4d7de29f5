package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/client"
)

type templateList struct {
	service
	Visibility string `help:"Which: ${enum}." enum:"own,public,all" default:"all" placeholder:"all"`
	JSON       bool   `help:"Print JSON." name:"json"`
}

// Run lists templates.
func (l *templateList) Run(ctx context.Context, t terminal) error {
	c, err := l.connect()
	if err != nil {
		return err
	}
	all := []client.Template{}
	for next := 0; next >= 0; {
		var page []client.Template
		if page, next, err = c.Templates(ctx, l.Visibility, next, 100); err != nil {
			return l.URL.explain(err)
		}
		all = append(all, page...)
	}
	if l.JSON {
		return printJSON(t.out, all)
	}
	table := newTable(t.out, "TEMPLATE", "VERSION", "VISIBILITY", "CATEGORY", "INPUTS", "NAME")
	for _, one := range all {
		var names []string
		for _, in := range one.Inputs {
			if in.Required {
				in.Name += "*"
			}
			names = append(names, in.Name)
		}
		table.row(plainText(one.ID), one.Version, one.Visibility, one.Category, plainText(strings.Join(names, ",")), plainText(one.Name))
	}
	return table.flush()
}

type templateShow struct {
	service
	ID   string `arg:"" help:"The template's id."`
	JSON bool   `help:"Print JSON." name:"json"`
}

// Run shows a template and what it asks for.
func (s *templateShow) Run(ctx context.Context, t terminal) error {
	c, err := s.connect()
	if err != nil {
		return err
	}
	found, err := c.Template(ctx, s.ID)
	switch {
	case err != nil:
		return s.URL.explain(err)
	case s.JSON:
		return printJSON(t.out, found)
	}
	facts := newTable(t.out)
	facts.row("template", plainText(found.ID))
	facts.row("name", plainText(found.Name))
	facts.row("version", found.Version)
	facts.row("visibility", found.Visibility)
	facts.row("category", found.Category)
	facts.row("about", plainText(found.Description))
	if err := facts.flush(); err != nil {
		return err
	}
	fmt.Fprintln(t.out)
	inputs := newTable(t.out, "INPUT", "TYPE", "REQUIRED", "DEFAULT", "ABOUT")
	for _, in := range found.Inputs {
		inputs.row(plainText(in.Name), inputType(in), yesNo(in.Required), compact(in.Default), plainText(in.Description))
	}
	if err := inputs.flush(); err != nil {
		return err
	}
	fmt.Fprintln(t.out)
	stages := newTable(t.out, "STAGE", "TOOL", "ABOUT")
	for _, one := range found.Stages {
		tool := one.Tool
		if one.Type != "" {
			tool = strings.TrimSpace(one.Type + " " + tool)
		}
		stages.row(plainText(one.ID), plainText(tool), plainText(one.Label))
	}
	return stages.flush()
}

// inputType is the type of an input, and the values that it may have.
func inputType(in client.TemplateInput) string {
	text := string(in.Type)
	if in.TakesList() {
		text += " list"
	}
	var options []string
	for _, o := range in.Options {
		if labelled, ok := o.(map[string]any); ok {
			o = labelled["value"]
		}
		options = append(options, fmt.Sprint(o))
	}
	if len(options) > 0 {
		text += " (" + strings.Join(options, ", ") + ")"
	}
	return plainText(text)
}

// compact is a value on one line.
func compact(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case string:
		return plainText(v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "-"
	}
	return string(text)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
