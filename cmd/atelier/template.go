package main

import (
	"context"
	"fmt"
	"os"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/template"
)

// templateCommand groups the commands about public templates.
type templateCommand struct {
	Publish  templatePublish  `cmd:"" help:"Publish a template for all accounts. When its id is already public, publish it as the next version."`
	Withdraw templateWithdraw `cmd:"" help:"Remove a published template."`
}

type templatePublish struct {
	installation
	File path `arg:"" help:"The template, as YAML or JSON."`
}

// Run publishes a template and lists its mistakes.
func (p *templatePublish) Run(ctx context.Context, t terminal) error {
	data, err := os.ReadFile(string(p.File))
	if err != nil {
		return err
	}
	fields, err := template.ReadFile(string(p.File), data)
	if err != nil {
		return err
	}
	return p.templates(ctx, func(e *template.Engine) error {
		saved, err := e.Publish(ctx, fields)
		if err != nil {
			return err
		}
		for _, w := range saved.Warnings {
			fmt.Fprintf(t.err, "warning: %s %s\n", w.Path, w.Message)
		}
		_, err = fmt.Fprintf(t.out, "%s %s\n", saved.Template.ID, saved.Template.Version)
		return err
	})
}

type templateWithdraw struct {
	installation
	ID string `arg:"" help:"The template's id."`
}

// Run removes a published template.
func (w *templateWithdraw) Run(ctx context.Context, _ terminal) error {
	return w.templates(ctx, func(e *template.Engine) error { return e.Withdraw(ctx, w.ID) })
}

// templates opens the template engine.
func (p installation) templates(ctx context.Context, use func(*template.Engine) error) error {
	c, err := p.load()
	if err != nil {
		return err
	}
	known, err := catalog.Load(c.CatalogDir)
	if err != nil {
		return err
	}
	return p.withAdmin(ctx, func(o *node.Admin) error { return use(o.Templates(known, c)) })
}
