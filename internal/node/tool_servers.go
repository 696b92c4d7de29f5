package node

import (
	"fmt"

	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/mcp"
	"github.com/atelier-project/atelier/internal/telemetry"
)

// openToolServers opens the servers whose tools models may call.
func (n *Node) openToolServers(c config.MCP, metrics *telemetry.Metrics, version string) (*mcp.ToolServers, error) {
	o := mcp.ToolServersOptions{Set: n.chats.SetRemoteTools, Version: version, Now: n.now, Log: n.log, Metrics: metrics}
	for i, s := range c.Servers {
		key, err := readKey(s.APIKeyEnv, s.APIKeyFile)
		if err != nil {
			return nil, fmt.Errorf("mcp.servers[%d].%w", i, err)
		}
		o.Servers = append(o.Servers, mcp.ToolServer{
			Name: s.Name, URL: s.URL, APIKey: key, Tools: s.Tools, Timeout: s.Timeout, ResultBytes: s.ResultBytes, CallsPerMinute: s.CallsPerMinute,
		})
	}
	return mcp.NewToolServers(o), nil
}
