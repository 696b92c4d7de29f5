package chat_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Tools are described by what the context has room for, the relevant ones first.
func TestToolsFitTheContext(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		context  int
		detail   llm.ToolDetail
		says     string
		most     int // tokens of all tools
		few, all int // how many of them are offered, at least and at most
		has      string
		compact  bool
	}{
		{name: "32k", context: 32768, says: "hi", most: 6000, few: 31, all: 31, has: "add_subtitles"},
		{name: "8k", context: 8192, says: "hi", most: 1800, few: 31, all: 31, has: "add_subtitles", compact: true},
		{name: "4k", context: 4096, says: "hi", most: 1800, few: 31, all: 31, has: "add_subtitles", compact: true},
		{name: "2k", context: 2048, says: "hi", most: 960, few: 8, all: 25, has: "generate_image", compact: true},
		{name: "2k with a wish", context: 2048, says: "Please burn subtitles into my clip.", most: 960, few: 8, all: 25, has: "add_subtitles", compact: true},
		{name: "1k", context: 1024, says: "hi", most: 480, few: 4, all: 12, has: "generate_image", compact: true},
		{name: "always full", context: 16384, detail: llm.ToolsFull, says: "hi", most: 6000, few: 31, all: 31, has: "add_subtitles"},
		{name: "always compact", context: 262144, detail: llm.ToolsCompact, says: "hi", most: 1800, few: 31, all: 31, has: "add_subtitles", compact: true},
		{name: "never", context: 262144, detail: llm.ToolsNone, says: "hi"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, storetest.SQLite(t), text("1"))
			q := h.ask(tc.says)
			q.Family = catalog.CreativeTools
			q.Model.ContextLength, q.Model.Tools = tc.context, tc.detail
			h.complete(q)
			tools := h.model.request(0).Tools
			if n := llm.ToolTokens(tools); n > tc.most {
				t.Errorf("the tools take %d tokens, want at most %d", n, tc.most)
			}
			if len(tools) < tc.few || len(tools) > tc.all {
				t.Errorf("%d tools are offered, want %d to %d", len(tools), tc.few, tc.all)
			}
			found := tc.has == ""
			for _, tool := range tools {
				if tool.Function.Name != tc.has {
					continue
				}
				found = true
				of, _ := models().Tool(tc.has)
				want := of.Function()
				if tc.compact {
					want = of.CompactFunction()
				}
				if string(tool.Function.Parameters) != string(want.Parameters) {
					t.Errorf("%s is described as %s, want %s", tc.has, tool.Function.Parameters, want.Parameters)
				}
			}
			if !found {
				t.Errorf("%s is not among the tools", tc.has)
			}
		})
	}
}
