package main

import (
	"os"

	"github.com/atelier-project/atelier/internal/config"
)

// place is where an installation is: the flags that serve and the account
// commands share.
type place struct {
	Config string `help:"Configuration file." env:"ATELIER_CONFIG" type:"path" placeholder:"FILE"`
	Data   string `help:"Data directory; default ./atelier-data." type:"path" placeholder:"DIR"`
}

// load reads the configuration. Flags win over the environment, which wins
// over the file.
func (p place) load() (*config.Config, error) {
	c, err := config.Load(p.Config, os.Environ())
	if err != nil {
		return nil, err
	}
	if p.Data != "" {
		c.DataDir = p.Data
	}
	return c, nil
}
