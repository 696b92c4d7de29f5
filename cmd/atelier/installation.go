package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/node"
)

// installation selects the installation that a command works on: the flags that
// serve and the account commands share.
type installation struct {
	Config path `help:"Configuration file. Default: the file that ATELIER_CONFIG names, if set." placeholder:"FILE"`
	Data   path `help:"Data directory. Overrides data_dir and ATELIER_DATA_DIR. Default: ./atelier-data." placeholder:"DIR"`
}

// load reads the configuration. Flags win over the environment, which wins over the file.
// Flags are passed as further environment variables, so that they are checked in the same
// way.
func (p installation) load(flags ...string) (*config.Config, error) {
	environ := os.Environ()
	if p.Data != "" {
		environ = append(environ, "ATELIER_DATA_DIR="+string(p.Data))
	}
	return loadConfig(p.file(), append(environ, flags...))
}

// loadFile reads a configuration file without the environment.
func loadFile(file string) (*config.Config, error) { return loadConfig(file, nil) }

func loadConfig(file string, environ []string) (*config.Config, error) {
	c, err := config.Load(file, environ)
	var unread *fs.PathError
	if errors.As(err, &unread) {
		return nil, fmt.Errorf("configuration file: %w", err)
	}
	if err != nil {
		return nil, err
	}
	// An error message with a relative path would not say where that is.
	if dir, err := filepath.Abs(c.DataDir); err == nil {
		c.DataDir = dir
	}
	return c, nil
}

func (p installation) file() string { return cmp.Or(string(p.Config), os.Getenv("ATELIER_CONFIG")) }

// keyCommand is the command that makes an API key for the first account of this installation in any directory: it is
// read later, and elsewhere, than the service is started.
func (p installation) keyCommand(c *config.Config) string {
	flags := " --data " + quote(c.DataDir)
	if file := p.file(); file != "" {
		if whole, err := filepath.Abs(file); err == nil {
			file = whole
		}
		flags = " --config " + quote(file) + flags
	}
	return program() + " key create " + node.FirstUsername + flags
}

// flags are the flags that name the same installation to another command; none for the
// default one.
func (p installation) flags() string {
	text := ""
	if file := p.file(); file != "" {
		text += " --config " + quote(file)
	}
	if dir := cmp.Or(string(p.Data), os.Getenv("ATELIER_DATA_DIR")); dir != "" {
		text += " --data " + quote(dir)
	}
	return text
}
