package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/wire"
)

// A form is drawn from an entry alone, so the entry names the arguments as the service
// checks them, and models by names that the service accepts.
func TestToolEntriesAreWhatStepsAccept(t *testing.T) {
	t.Parallel()
	for _, e := range shared.ToolEntries("") {
		tool, ok := shared.Tool(e.Name)
		if !ok || !tool.Durable() {
			t.Errorf("%s is not a tool of a workflow step", e.Name)
			continue
		}
		names := []string{e.CountArgument, e.ModelArgument}
		for _, n := range e.Needs {
			names = append(names, n.Arguments...)
		}
		for _, name := range names {
			if _, ok := tool.Argument(name); name != "" && !ok {
				t.Errorf("%s has no argument %s", e.Name, name)
			}
		}
		for _, m := range e.Models {
			for _, s := range m.Selectors {
				if !slices.Contains(tool.Selectors(), s) {
					t.Errorf("%s: %s does not choose a model", e.Name, s)
				}
			}
		}
	}
	whole, err := wire.Marshal(shared.ToolEntries(""))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"the user names", "0 up are", "likewise", "Leave out"} {
		if strings.Contains(string(whole), text) {
			t.Errorf("what people read has a text for language models: %s", text)
		}
	}
	i := slices.IndexFunc(shared.ToolEntries(""), func(e catalog.ToolEntry) bool { return e.Name == "generate_speech" })
	b, err := wire.Marshal(shared.ToolEntries("")[i])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"produces":"audio","countArgument":"numberOfVariations","modelArgument":"model","defaultModel":"voice"`,
		`{"modelId":"qwen3_tts_1.7b_clone_bf16","selectors":["clone"]}`,
		`"needs":[]`,
		`{"name":"voiceSourceIndex","type":"integer","description":"The recording to clone. By number: 0 and up are results of earlier steps, -1 and below media of the request.","media":"audio"}`,
		`{"name":"creativity","type":"number","description":"How freely to read.","default":0.9,"minimum":0.1,"maximum":2,"advanced":true}`,
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("generate_speech is %s\nwant %s", b, want)
		}
	}
}
