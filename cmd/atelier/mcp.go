package main

import (
	"context"

	"github.com/atelier-project/atelier/internal/mcp"
)

// mcpCommand is atelier mcp.
type mcpCommand struct {
	URL    serviceURL `help:"The service." env:"ATELIER_URL" default:"http://127.0.0.1:8080" placeholder:"URL"`
	APIKey apiKey     `help:"An API key." name:"api-key" env:"ATELIER_API_KEY" required:"" placeholder:"KEY"`
}

// Run serves the Model Context Protocol on standard input and output.
func (m *mcpCommand) Run(ctx context.Context) error {
	return mcp.Bridge(ctx, mcp.Pipes, string(m.URL), string(m.APIKey), versionText())
}
