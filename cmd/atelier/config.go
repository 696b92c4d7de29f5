package main

import (
	"fmt"
	"os"

	"github.com/atelier-project/atelier/internal/config"
)

// configCommand groups the commands about the configuration.
type configCommand struct {
	Check configCheck `cmd:"" help:"Check the configuration file and the environment, and name the key that is wrong."`
	Print configPrint `cmd:"" help:"Print the configuration that is in effect and where each value comes from, without secrets."`
}

type configCheck struct{ installation }

// Run reads the configuration as serve does.
func (c *configCheck) Run(t terminal) error {
	if _, err := c.load(); err != nil {
		return err
	}
	what := "the defaults and the environment are valid"
	if file := c.file(); file != "" {
		what = file + " and the environment are valid"
	}
	_, err := fmt.Fprintln(t.out, what)
	return err
}

type configPrint struct {
	installation
	Changed bool `help:"Only what is not a default."`
	JSON    bool `help:"Print JSON." name:"json"`
}

// Run prints what is in effect.
func (c *configPrint) Run(t terminal) error {
	loaded, err := c.load()
	if err != nil {
		return err
	}
	all, err := loaded.Values(c.file(), os.Environ())
	if err != nil {
		return err
	}
	list := []config.Value{}
	for _, v := range all {
		if v.Key == "data_dir" && c.Data != "" {
			v.From = "--data"
		}
		if !c.Changed || v.From != "default" {
			list = append(list, v)
		}
	}
	if c.JSON {
		return printJSON(t.out, list)
	}
	table := newTable(t.out, "KEY", "VALUE", "FROM")
	for _, v := range list {
		table.row(v.Key, plainText(v.Text), v.From)
	}
	return table.flush()
}
