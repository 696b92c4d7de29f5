package config_test

import (
	"strings"
	"testing"
	"time"
)

// tools is a valid server of tools.
const tools = `mcp:
  servers:
    - name: search
      url: http://127.0.0.1:9100/mcp
      api_key_env: SEARCH_KEY
      tools: [web]
`

// Every value of a server of tools is checked, and what is left out has a default.
func TestMCPServers(t *testing.T) {
	t.Parallel()
	c, err := load(t, tools)
	if err != nil {
		t.Fatal(err)
	}
	if s := c.MCP.Servers[0]; s.Timeout != 30*time.Second || s.ResultBytes != 32768 || s.CallsPerMinute != 60 {
		t.Errorf("got %+v", s)
	}
	for _, tc := range []struct{ from, to, want string }{
		{"name: search", "name: Search", "mcp.servers[0].name: must be 1 to 20 small letters"},
		{"name: search", "name: a__b", "mcp.servers[0].name: must be"},
		{"http://127.0.0.1:9100/mcp", "ftp://x", "mcp.servers[0].url: must be an http or https URL"},
		{"http://127.0.0.1:9100/mcp", "http://u:p@x", "mcp.servers[0].url: must not hold a user or password"},
		{"tools: [web]", "tools: []", "mcp.servers[0].tools: name the tools that models may call"},
		{"api_key_env: SEARCH_KEY", "api_key: sk-1", "mcp.servers[0].api_key: must not be written here"},
		{"api_key_env: SEARCH_KEY", "api_key_env: 'a b'", "mcp.servers[0].api_key_env: must be the name"},
		{"tools: [web]", "tools: [web]\n      timeout: 1h", "mcp.servers[0].timeout: must be from 1s to 10m0s"},
		{"tools: [web]", "tools: [web]\n      result_bytes: 9999999", "mcp.servers[0].result_bytes: must be from 256 to 1048576"},
		{"tools: [web]", "tools: [web]\n      calls_per_minute: -1", "mcp.servers[0].calls_per_minute: must be more than 0"},
		{"servers:", "servers:\n    - { name: search, url: 'http://x', tools: ['*'] }", "mcp.servers[1].name: search is already used"},
	} {
		if _, err := load(t, strings.Replace(tools, tc.from, tc.to, 1)); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", tc.to, err, tc.want)
		}
	}
}
