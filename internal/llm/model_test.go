package llm_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/llm"
)

func TestModels(t *testing.T) {
	t.Parallel()
	list := []llm.Model{
		{ID: "new", ContextLength: 4096, Replaces: []string{"old", "kept"}},
		{ID: "kept", ContextLength: 1000},
		llm.Builtin(time.Unix(0, 0)),
	}
	m, err := llm.NewModels(list, "")
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"new": "new", "old": "new", "kept": "kept", llm.BuiltinID: llm.BuiltinID} {
		if got, ok := m.Find(id); !ok || got.ID != want {
			t.Errorf("%s: got %s, want %s", id, got.ID, want)
		}
	}
	if got, ok := m.Find("nothing"); ok {
		t.Errorf("found %v", got)
	}
	if got, ok := m.Default(); !ok || got.ID != "new" || got.UsableContext() != 3840 {
		t.Errorf("default: got %+v", got)
	}
	for context, margin := range map[int]int{1000: 62, 2048: 128, 8192: 512, 32768: 2048, 262144: 2048} {
		if m := (llm.Model{ContextLength: context}); m.SafetyMargin() != margin || m.UsableContext() != context-margin {
			t.Errorf("a context of %d: margin %d and %d to use, want a margin of %d", context, m.SafetyMargin(), m.UsableContext(), margin)
		}
	}
	named, err := llm.NewModels(list, "old")
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := named.Default(); got.ID != "new" {
		t.Errorf("a default by a retired id: got %s", got.ID)
	}
	for _, bad := range []func() (*llm.Models, error){
		func() (*llm.Models, error) { return llm.NewModels(list, "nothing") },
		func() (*llm.Models, error) { return llm.NewModels(append(list, list[0]), "") },
	} {
		if _, err := bad(); err == nil {
			t.Error("a wrong list was taken")
		}
	}
	none, err := llm.NewModels(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := none.Default(); ok {
		t.Error("there is a default among no models")
	}
}
