package node

import (
	"context"

	"github.com/atelier-project/atelier/internal/llm"
)

// compose runs a tool that answers at once.
func (n *Node) compose(ctx context.Context, m llm.Model, tool string, args map[string]any) (map[string]any, string, llm.Usage, error) {
	return map[string]any{
		"ok": false, "success": false, "tool": tool, "error_type": "MODEL_UNAVAILABLE", "message": tool + " is not offered by this version.",
		"retryable": false, "suggested_next_action": "use_another_tool",
	}, "", llm.Usage{}, nil
}
