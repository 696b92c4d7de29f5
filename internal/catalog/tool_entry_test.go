package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/schema"
	"github.com/atelier-project/atelier/internal/wire"
)

// A form is drawn from an entry alone, so the entry names the arguments as the service
// checks them, and models by names that the service accepts.
func TestToolEntriesAreWhatStepsAccept(t *testing.T) {
	t.Parallel()
	for _, e := range shared.ToolEntries("") {
		tool, ok := shared.Tool(e.Name)
		if !ok {
			t.Errorf("%s is not a tool", e.Name)
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
		`{"modelId":"qwen3_tts_1.7b_clone_bf16","name":"Qwen3 TTS Voice Clone","selectors":["clone"],"price":{"usd":`,
		`"needs":[]`,
		`{"name":"voiceSourceIndex","type":"integer","description":"The recording to clone. By number: 0 and up are results of earlier steps, -1 and below media of the request.","media":"audio"}`,
		`{"name":"creativity","type":"number","description":"How freely to read.","default":0.9,"minimum":0.1,"maximum":2,"advanced":true}`,
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("generate_speech is %s\nwant %s", b, want)
		}
	}
}

// The examples of the reference are steps that the service accepts, and their prices are
// those of the entry.
func TestToolExamples(t *testing.T) {
	t.Parallel()
	for _, tool := range shared.Tools() {
		e := shared.ToolEntry(tool)
		args, err := schema.Compile(tool.ReferenceSchema())
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		if wrong, err := args.Check(e.Example); err != nil || len(e.Example) == 0 || len(wrong) > 0 {
			t.Errorf("%s: the example %v is not what the reference describes: %v, %v", tool.Name, e.Example, wrong, err)
		}
		step, err := shared.Step(tool.Name, e.Example, catalog.Facts{Uploaded: &catalog.Counts{Images: 2, Videos: 2, Audio: 2}, Generated: &catalog.Counts{}})
		if err != nil {
			t.Errorf("%s does not accept its example: %v", tool.Name, err)
			continue
		}
		price := e.Price
		for _, m := range e.Models {
			if step.Model != nil && m.ModelID == step.Model.ID {
				price = &m.Price
			}
		}
		switch {
		case price == nil:
			t.Errorf("%s has no price for %v", tool.Name, step.Model)
		case price.Free != (step.Cost.Spark == 0), len(price.Factors) == 0 && price.Per == "operation" && price.Spark != step.Cost.Spark:
			t.Errorf("%s costs %v, but its example %s Spark", tool.Name, price, step.Cost.Spark)
		}
	}
}
