package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/atelier-project/atelier/internal/config"
)

// place is where an installation is: the flags that serve and the account
// commands share.
type place struct {
	Config path `help:"Configuration file. Default: what ATELIER_CONFIG names, or none." placeholder:"FILE"`
	Data   path `help:"Data directory, before data_dir and ATELIER_DATA_DIR. Default: ./atelier-data." placeholder:"DIR"`
}

// load reads the configuration. Flags win over the environment, which wins
// over the file; they are given as more variables of the environment, so that
// they are checked as those are.
func (p place) load(flags ...string) (*config.Config, error) {
	file := string(p.Config)
	if file == "" {
		file = os.Getenv("ATELIER_CONFIG")
	}
	environ := os.Environ()
	if p.Data != "" {
		environ = append(environ, "ATELIER_DATA_DIR="+string(p.Data))
	}
	c, err := config.Load(file, append(environ, flags...))
	var unread *fs.PathError
	if errors.As(err, &unread) {
		return nil, fmt.Errorf("configuration file: %w", err)
	}
	return c, err
}
