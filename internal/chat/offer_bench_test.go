package chat_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
)

// BenchmarkToolSchemas reports what the hosted tools cost with each message, in
// tokens, besides the time to describe them.
func BenchmarkToolSchemas(b *testing.B) {
	for name, function := range map[string]func(*catalog.Tool) catalog.Function{"full": (*catalog.Tool).Function, "compact": (*catalog.Tool).CompactFunction} {
		b.Run(name, func(b *testing.B) {
			var tools []llm.Tool
			for b.Loop() {
				tools = tools[:0]
				for _, tool := range models().ToolFamily(catalog.CreativeTools) {
					f := function(tool)
					tools = append(tools, llm.Tool{Type: "function", Function: llm.Function{Name: f.Name, Description: f.Description, Parameters: []byte(f.Parameters)}})
				}
			}
			b.ReportMetric(float64(llm.ToolTokens(tools)), "tokens")
		})
	}
}
