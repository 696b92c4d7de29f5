package node

import (
	"context"

	"github.com/atelier-project/atelier/internal/compose"
	"github.com/atelier-project/atelier/internal/llm"
)

// compose runs a tool that answers at once, with the model of the request.
func (n *Node) compose(ctx context.Context, m llm.Model, tool string, args map[string]any) (map[string]any, string, llm.Usage, error) {
	r, err := n.composer.Run(ctx, compose.Writer{Speaker: m.Completer, Model: m}, tool, args)
	return r.Map(), r.Message(), r.Usage, err
}
