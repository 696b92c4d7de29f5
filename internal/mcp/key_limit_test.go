package mcp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A limited key is shown the tools that it may use, and cannot use others, other models or more than its budget.
func TestLimitedKey(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o, embedded)
		ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
		limited := func(limits string) string {
			var made struct {
				Data struct{ Key struct{ APIKey string } }
			}
			send(t, s, ann.Key, "POST", "/v1/account/keys", `{"name": "agent", "limits": `+limits+`}`, &made)
			return made.Data.Key.APIKey
		}
		session := connect(t, s, limited(`{"groups": ["workflows"], "tools": ["generate_image", "enhance_prompt"], "models": ["z_image_turbo_bf16"]}`), nil)
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		slices.Sort(names)
		if want := []string{"cancel_workflow", "enhance_prompt", "generate_image", "get_workflow", "start_workflow"}; !slices.Equal(names, want) {
			t.Errorf("the tools are %v, want %v", names, want)
		}
		small := map[string]any{"prompt": "a fox", "model": "z_image_turbo_bf16", "width": 256, "height": 256}
		callTool(t, session, "generate_image", small, nil)
		spent := connect(t, s, limited(`{"budget": {"total": "0.1"}}`), nil)
		for _, tc := range []struct {
			session *sdk.ClientSession
			tool    string
			args    map[string]any
			says    string
		}{
			{session, "generate_music", map[string]any{"prompt": "a waltz"}, "may not use the tool generate_music"},
			{session, "generate_image", map[string]any{"prompt": "a fox", "model": "krea-2-turbo"}, "may not use the model krea2"},
			{session, "start_workflow", map[string]any{"steps": []any{map[string]any{"id": "a", "toolName": "generate_music", "arguments": map[string]any{"prompt": "a waltz"}}}}, "may not use the tool generate_music"},
			{spent, "generate_image", small, "The budget of the API key"},
		} {
			got, err := tc.session.CallTool(t.Context(), &sdk.CallToolParams{Name: tc.tool, Arguments: tc.args})
			if err != nil || !got.IsError || !strings.Contains(textOf(got), tc.says) {
				t.Errorf("%s %v: got %s %v, want %s", tc.tool, tc.args, textOf(got), err, tc.says)
			}
		}
		for name, limits := range map[string]string{"another group": `{"groups": ["chat"]}`, "a read-only key": `{"readOnly": true}`} {
			const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
			if status, text := post(t, s, limited(limits), ping); status != 403 || !strings.Contains(text, "The API key") {
				t.Errorf("%s: got %d %s, want 403", name, status, text)
			}
		}
	})
}
