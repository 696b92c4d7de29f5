package main

import (
	"context"
	"fmt"
	"os"

	"github.com/atelier-project/atelier/internal/template"
)

// templateCommand groups the commands about templates: those of an account, and those with which an
// operator publishes them.
type templateCommand struct {
	List     templateList     `cmd:"" help:"List the templates that the account can use."`
	Show     templateShow     `cmd:"" help:"Show a template: what it asks for and what it does."`
	Run      templateRun      `cmd:"" help:"Start a workflow of a template, follow it and save its results."`
	Publish  templatePublish  `cmd:"" help:"Publish a template for all accounts. When its id is already public, publish it as the next version."`
	Withdraw templateWithdraw `cmd:"" help:"Remove a published template."`
}

type templatePublish struct {
	operated
	reasoned
	printing
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
	return p.operate(ctx, func(o operations) error {
		saved, err := o.PublishTemplate(ctx, fields, p.reason())
		if err != nil {
			return err
		}
		for _, w := range saved.Warnings {
			fmt.Fprintf(t.err, "warning: %s %s\n", w.Path, w.Message)
		}
		return p.result(t.out, saved, saved.ID+" "+saved.Version)
	})
}

type templateWithdraw struct {
	operated
	reasoned
	ID string `arg:"" help:"The template's id."`
}

// Run removes a published template.
func (w *templateWithdraw) Run(ctx context.Context, _ terminal) error {
	return w.operate(ctx, func(o operations) error {
		_, err := o.WithdrawTemplate(ctx, w.ID, w.reason())
		return err
	})
}
