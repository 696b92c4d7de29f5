package chat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Arguments that a synchronous tool does not take are a result that names what is
// wrong, and cost nothing.
func TestExecuteRefusals(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	for _, c := range []struct{ tool, args, kind, next string }{
		{"enhance_prompt", `{}`, "USER_INPUT_INCOMPLETE", "provide:prompt"},
		{"enhance_prompt", `{"prompt":"x"}`, "USER_INPUT_INCOMPLETE", "provide:target_output"},
		{"enhance_prompt", `{"prompt":"x","target_output":"image_prompt"}`, "USER_INPUT_INCOMPLETE", "provide:destination_model"},
		{"enhance_prompt", `{"prompt":"x","target_output":"poem","destination_model":"z-turbo"}`, "PARAMETER_INVALID", "correct:target_output"},
		{"enhance_prompt", `{"prompt":"x","target_output":"image_prompt","destination_model":"z","colour":"red"}`, "PARAMETER_INVALID", "correct:colour"},
		{"compose_script", `{"brief":"x","duration_seconds":301}`, "PARAMETER_INVALID", "correct:duration_seconds"},
		{"compose_script", `{"brief":7}`, "PARAMETER_INVALID", "correct:brief"},
		{"compose_lyrics", `{"prompt":"x","duration_seconds":5}`, "PARAMETER_INVALID", "correct:duration_seconds"},
		{"compose_instrumental", `{"prompt":null}`, "USER_INPUT_INCOMPLETE", "provide:prompt"},
		{"compose_workflow", `{"brief":"x","aspect_ratio":"5:4"}`, "PARAMETER_INVALID", "correct:aspect_ratio"},
		{"compose_workflow_template", `{"brief":"x"}`, "USER_INPUT_INCOMPLETE", "provide:name"},
	} {
		done, err := env.e.Execute(t.Context(), chat.Execution{Caller: env.ask("").Caller, Tool: c.tool, Arguments: object(t, c.args), Terms: env.ask("").Terms, Filter: true})
		if err != nil {
			t.Errorf("%s %s: %v", c.tool, c.args, err)
			continue
		}
		r := done.Result
		if r["ok"] != false || r["success"] != false || r["tool"] != c.tool || r["error_type"] != c.kind || r["suggested_next_action"] != c.next || r["retryable"] != false {
			t.Errorf("%s %s: got %v, want %s %s", c.tool, c.args, r, c.kind, c.next)
			continue
		}
		field := c.next[strings.IndexByte(c.next, ':')+1:]
		if message, _ := r["message"].(string); !strings.Contains(message, field) || done.Message == nil || *done.Message != message {
			t.Errorf("%s %s: got %v, want a message that names %s", c.tool, c.args, r, field)
		}
	}
	if paid := env.paid(); paid != 0 {
		t.Errorf("paid %s", paid)
	}
}

// object reads arguments written as JSON.
func object(t *testing.T, text string) (out map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}
