package config

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"time"
)

// MCP says which servers of the Model Context Protocol offer their tools to language models.
type MCP struct {
	Servers []MCPServer `yaml:"servers" doc:"Servers whose tools language models may call in chats and runs: docs/guides/tool-servers.md."`
}

// MCPServer is one server of tools.
type MCPServer struct {
	Name           string        `yaml:"name" doc:"Its name: models call its tools NAME__TOOL."`
	URL            string        `yaml:"url" doc:"Where it speaks the protocol over HTTP, such as http://127.0.0.1:9100/mcp."`
	APIKey         Inline        `yaml:"api_key" secret:"true" doc:"Not allowed: a key does not belong in this file."`
	APIKeyEnv      string        `yaml:"api_key_env" doc:"The environment variable that holds the key, which is sent as a bearer token."`
	APIKeyFile     string        `yaml:"api_key_file" doc:"The file that holds the key, instead."`
	Tools          []string      `yaml:"tools" doc:"Which of its tools models may call, by their names there. [\"*\"]: all."`
	Timeout        time.Duration `yaml:"timeout" doc:"How long a call may take. Default: 30s."`
	ResultBytes    int           `yaml:"result_bytes" doc:"How much of a result a model reads. Default: 32768."`
	CallsPerMinute int           `yaml:"calls_per_minute" doc:"Calls of its tools, per account. Default: 60."`
}

// The defaults of a server of tools, and what a model can read.
const (
	defaultCallTimeout    = 30 * time.Second
	defaultResultBytes    = 32 << 10
	defaultCallsPerMinute = 60

	maxCallTimeout = 10 * time.Minute
	maxResultBytes = 1 << 20
)

var mcpServerName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,19}$`)

// check refuses invalid servers, and fills in what is not set.
func (c *MCP) check() error {
	for i := range c.Servers {
		s := &c.Servers[i]
		if err := s.check(); err != nil {
			return fmt.Errorf("mcp.servers[%d].%w", i, err)
		}
		if slices.ContainsFunc(c.Servers[:i], func(o MCPServer) bool { return o.Name == s.Name }) {
			return fmt.Errorf("mcp.servers[%d].name: %s is already used", i, s.Name)
		}
	}
	return nil
}

func (s *MCPServer) check() error {
	if s.Timeout == 0 {
		s.Timeout = defaultCallTimeout
	}
	if s.ResultBytes == 0 {
		s.ResultBytes = defaultResultBytes
	}
	if s.CallsPerMinute == 0 {
		s.CallsPerMinute = defaultCallsPerMinute
	}
	u, err := url.Parse(s.URL)
	switch {
	case !mcpServerName.MatchString(s.Name):
		return errors.New("name: must be 1 to 20 small letters, digits or dashes, and begin with a letter")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("url: must be an http or https URL")
	case u.User != nil:
		return errors.New("url: must not hold a user or password; the key belongs in api_key_env or api_key_file")
	case len(s.Tools) == 0:
		return errors.New(`tools: name the tools that models may call, or write ["*"] for all`)
	case s.Timeout < time.Second || s.Timeout > maxCallTimeout:
		return fmt.Errorf("timeout: must be from 1s to %v", maxCallTimeout)
	case s.ResultBytes < 256 || s.ResultBytes > maxResultBytes:
		return fmt.Errorf("result_bytes: must be from 256 to %d", maxResultBytes)
	case s.CallsPerMinute < 1:
		return errors.New("calls_per_minute: must be more than 0")
	}
	return checkKeyPlace(s.APIKeyEnv, s.APIKeyFile)
}
