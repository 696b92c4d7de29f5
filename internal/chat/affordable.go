package chat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// affordable replaces a vendor's model that the caller cannot pay for by a model of
// this service, and returns a note about it. Arguments that the other model does
// not take are left out.
func (t *completion) affordable(ctx context.Context, tool *catalog.Tool, args map[string]any) (map[string]any, string, error) {
	name, _ := args[tool.Models.Argument].(string)
	if tool.Models.Argument == "" || name == "" {
		return args, "", nil
	}
	if !premium(t.catalog, tool, args) {
		return args, "", nil
	}
	balance, err := t.billing.Balance(ctx, t.q.Caller.Wallet)
	if err != nil || balance.Spark.PremiumCredit > 0 {
		return args, "", err
	}
	args, dropped := native(t.catalog, tool, args)
	note := fmt.Sprintf("(%s needs Premium Spark; another model was used instead", name)
	if len(dropped) > 0 {
		note += "; it ignores: " + strings.Join(dropped, ", ")
	}
	return args, note + ".)", nil
}

// premium reports whether the model that arguments name is paid with Premium
// Spark. Other mistakes in the arguments are found when the workflow is started.
func premium(c *catalog.Catalog, tool *catalog.Tool, args map[string]any) bool {
	least := map[string]any{}
	for _, a := range tool.Arguments {
		if v, given := args[a.Name]; given && (a.Required || a.Media != "" || a.Name == tool.Models.Argument) {
			least[a.Name] = v
		}
	}
	answer, err := c.Step(tool.Name, least, catalog.Facts{})
	return err == nil && answer.Premium()
}

// native removes from arguments the model that they name, and what the tool's
// default model refuses.
func native(c *catalog.Catalog, tool *catalog.Tool, args map[string]any) (out map[string]any, dropped []string) {
	out = maps.Clone(args)
	delete(out, tool.Models.Argument)
	for range len(args) {
		_, err := c.Step(tool.Name, out, catalog.Facts{})
		var refused *atelier.Error
		if !errors.As(err, &refused) {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(refused.Field, "arguments."), ".")
		name, _, _ = strings.Cut(name, "[")
		if a, ok := tool.Argument(name); !ok || a.Required || out[name] == nil {
			break // something else is wrong with it
		}
		delete(out, name)
		dropped = append(dropped, name)
	}
	return out, dropped
}
