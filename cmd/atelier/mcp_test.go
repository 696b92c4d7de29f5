package main

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A program that speaks the protocol over pipes makes a picture with a service elsewhere.
func TestMCPOverPipes(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, store.Options{Path: t.TempDir() + "/atelier.db"}, func(c *config.Config) { c.Workers.Embedded = true })
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	cmd := exec.CommandContext(t.Context(), "atelier", "mcp", "--url", s.URL)
	cmd.Env = append(os.Environ(), "ATELIER_API_KEY="+ann.Key)
	cmd.Stderr = t.Output()
	progress := make(chan struct{}, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progress <- struct{}{} },
	})
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	fox := &mcp.CallToolParams{Name: "generate_image", Arguments: map[string]any{"prompt": "a red fox", "width": 256, "height": 256}}
	fox.SetProgressToken("fox")
	got, err := session.CallTool(t.Context(), fox)
	if err != nil || got.IsError {
		t.Fatalf("got %+v, %v", got, err)
	}
	<-progress
	link := ""
	for _, c := range got.Content {
		if l, ok := c.(*mcp.ResourceLink); ok {
			link = l.URI
		}
	}
	if file, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: link}); err != nil || len(file.Contents) != 1 || file.Contents[0].MIMEType != "image/png" {
		t.Errorf("got %+v, %v", file, err)
	}
}
