package compose_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/llm"
)

// Arguments that the catalog accepts and a tool does not give a result that names
// the mistake.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, args, kind, next string }{
		{"enhance_prompt", `{"prompt":"   ","target_output":"image_prompt","destination_model":"z-turbo"}`, "USER_INPUT_INCOMPLETE", "provide:prompt"},
		{"compose_script", `{"brief":"` + strings.Repeat("long ", 10_000) + `"}`, "PARAMETER_INVALID", "correct:brief"},
		{"compose_workflow_template", `{"brief":"x","name":"y","inputs":[{"name":"a b","type":"text"}]}`, "PARAMETER_INVALID", "correct:inputs"},
		{"compose_workflow_template", `{"brief":"x","name":"y","inputs":[{"name":"a","type":"text"},{"name":"a","type":"text"}]}`, "PARAMETER_INVALID", "correct:inputs"},
		{"compose_workflow_template", `{"brief":"x","name":"y","inputs":[{"name":"a","type":"colour"}]}`, "PARAMETER_INVALID", "correct:inputs"},
	} {
		r := run(t, c.tool, c.args)
		if r.OK || r.ErrorType != c.kind || r.NextAction != c.next || r.Retryable {
			t.Errorf("%s %s: got %s %s (%s), want %s %s", c.tool, c.args, r.ErrorType, r.NextAction, r.Reason, c.kind, c.next)
			continue
		}
		field := c.next[strings.IndexByte(c.next, ':')+1:]
		m := wired(t, r)
		if m["ok"] != false || m["success"] != false || m["tool"] != c.tool || !strings.Contains(m["message"].(string), field) || m["status"] != nil {
			t.Errorf("%s %s: got %v, want a failure that names %s", c.tool, c.args, m, field)
		}
	}
	if _, err := engine().Run(t.Context(), llm.Model{}, checked(t, "generate_image", `{"prompt":"x"}`)); err == nil {
		t.Error("generate_image: got no error, want one: it is not synchronous")
	}
}

// A tool answers any arguments: with a result that can be marshalled, or a refusal.
func FuzzArguments(f *testing.F) {
	for _, b := range briefs {
		f.Add(uint8(4), b.args)
	}
	for i, c := range asks {
		f.Add(uint8(i), c.args)
	}
	f.Add(uint8(5), `{"name":"n","brief":"b","existing_template":{"inputs":[1,{"name":"a"}],"stages":[{"id":"x","tool":"stitch_video","args":{"videoIndices":"$artifacts.x.items"},"dependsOn":[3]}]}}`)
	f.Add(uint8(0), `{"prompt":"é\u0000 $inputs.x {topic} [verse]","target_output":"edit_prompt","destination_model":"-","constraints":{"avoid":{"a":[1,null,true]}}}`)
	tools := []string{"enhance_prompt", "compose_script", "compose_lyrics", "compose_instrumental", "compose_workflow", "compose_workflow_template"}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		var args map[string]any
		if json.Unmarshal([]byte(text), &args) != nil {
			t.Skip()
		}
		tool := tools[int(which)%len(tools)]
		step, err := enginetest.Catalog().Step(tool, args, catalog.Facts{})
		if err != nil {
			return // the catalog refuses it
		}
		r, err := engine().Run(t.Context(), llm.Model{}, step)
		if err != nil {
			t.Fatalf("%s %s: %v", tool, text, err)
		}
		if r.OK == (r.ErrorType != "") || r.Message() == "" {
			t.Fatalf("%s %s: got %+v", tool, text, r)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatalf("%s %s: %v", tool, text, err)
		}
	})
}

// A tool answers, whatever a model writes.
func FuzzAnswers(f *testing.F) {
	for i, c := range asks {
		f.Add(uint8(i), c.good)
		for bad := range c.bad {
			f.Add(uint8(i), bad)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, says string) {
		c := asks[int(which)%len(asks)]
		r, err := engine().Run(t.Context(), writer(&scriptedModel{says: []string{says}}), checked(t, c.tool, c.args))
		if err != nil {
			t.Fatalf("%s %s: %v", c.tool, says, err)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatalf("%s %s: %v", c.tool, says, err)
		}
	})
}
