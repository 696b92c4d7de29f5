package mcp_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// While nothing new can be stored, nothing is started. Tools are listed, and workflows are shown and cancelled.
func TestNothingIsStartedWithoutSpace(t *testing.T) {
	t.Parallel()
	o := store.Options{Path: t.TempDir() + "/atelier.db"}
	before := ateliertest.Start(t, o)
	ann := before.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	before.Worker(t, before.Account(t, account.NewAccount{Worker: true}, billing.Credits{}))
	plan := map[string]any{"steps": []any{map[string]any{"id": "a", "toolName": "generate_image", "arguments": map[string]any{"prompt": "a fox"}}}}
	var open struct{ WorkflowID string }
	callTool(t, connect(t, before, ann.Key, nil), "start_workflow", plan, &open)
	before.Stop()

	after := ateliertest.Start(t, o, func(c *config.Config) { c.Limits.FreeSpaceBytes = 1 << 60 })
	session := connect(t, after, ann.Key, nil)
	if list, err := session.ListTools(t.Context(), nil); err != nil || len(list.Tools) == 0 {
		t.Errorf("the tools are listed as %v, %v", list, err)
	}
	for tool, args := range map[string]any{"start_workflow": plan, "generate_image": map[string]any{"prompt": "a fox"}} {
		got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		if text := textOf(got); !got.IsError || !strings.Contains(text, "space") {
			t.Errorf("%s: got %q, failed: %t, want a refusal for lack of space", tool, text, got.IsError)
		}
	}
	for _, tool := range []string{"get_workflow", "cancel_workflow"} {
		callTool(t, session, tool, map[string]any{"workflowId": open.WorkflowID}, nil)
	}
}
