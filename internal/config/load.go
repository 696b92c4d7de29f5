package config

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/atelier-project/atelier/internal/yamldoc"
)

// Load reads the file, if one is named, and then the environment, given as
// os.Environ gives it. The result is checked.
func Load(file string, environ []string) (*Config, error) {
	c := Default()
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := yamldoc.Decode(file, data, c); err != nil {
			return nil, err
		}
	}
	if err := c.overlay(environ); err != nil {
		return nil, err
	}
	return c, c.check()
}

// foreign matches the variables with our prefix that set no key: they belong to the command line and
// to the tests, or Kubernetes sets them in every pod beside a service that is called atelier.
var foreign = regexp.MustCompile(`^ATELIER_(CONFIG|URL|API_KEY|IMAGE_API_KEY|PROFILE|TEST_.*|SERVICE_(HOST|PORT.*)|PORT(_\d+_.*)?)$`)

// overlay sets every scalar that has a variable: ATELIER_ and the path of its
// key in capitals, joined by underscores.
func (c *Config) overlay(environ []string) error {
	values := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "ATELIER_") && !foreign.MatchString(name) {
			values[name] = value
		}
	}
	for path, set := range yamldoc.Scalars(c) {
		name := Variable(path)
		value, ok := values[name]
		if !ok {
			continue
		}
		delete(values, name)
		if err := set(value); err != nil {
			return fmt.Errorf("environment variable %s: %w", name, err)
		}
	}
	for _, v := range c.Vendors {
		delete(values, v.APIKeyEnv)
	}
	for _, server := range c.MCP.Servers {
		delete(values, server.APIKeyEnv)
	}
	for name := range values {
		return fmt.Errorf("environment variable %s: there is no such key", name)
	}
	return nil
}

// Variable is the environment variable of a key, such as
// ATELIER_LIMITS_ACTIVE_WORKFLOWS for limits.active_workflows.
func Variable(path string) string {
	return "ATELIER_" + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// DatabaseFile is where the database lives when it is SQLite.
func (c *Config) DatabaseFile() string { return filepath.Join(c.DataDir, "atelier.db") }

// MediaDir is where media lives when it is kept in files.
func (c *Config) MediaDir() string { return filepath.Join(c.DataDir, "media") }
