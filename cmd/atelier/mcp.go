package main

import (
	"context"

	"github.com/atelier-project/atelier/internal/mcp"
)

// mcpCommand is atelier mcp.
type mcpCommand struct {
	service
}

// Run serves the Model Context Protocol on standard input and output.
func (m *mcpCommand) Run(ctx context.Context) error {
	if _, err := m.connect(); err != nil {
		return err
	}
	return mcp.Bridge(ctx, mcp.Pipes, string(m.URL), string(m.APIKey), versionText())
}
