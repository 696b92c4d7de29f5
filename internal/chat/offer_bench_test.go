package chat_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/llm"
)

// BenchmarkToolSchemas reports what the hosted tools cost with each message, in
// tokens with the aim beside them, besides the time to describe them.
func BenchmarkToolSchemas(b *testing.B) {
	for _, bc := range []struct {
		name     string
		function func(*catalog.Tool) catalog.Function
		aim      int
	}{{"full", (*catalog.Tool).Function, 6000}, {"compact", (*catalog.Tool).CompactFunction, 1800}} {
		b.Run(bc.name, func(b *testing.B) {
			var tools []llm.Tool
			for b.Loop() {
				tools = tools[:0]
				for _, tool := range enginetest.Catalog().ToolFamily(catalog.CreativeTools) {
					f := bc.function(tool)
					tools = append(tools, llm.Tool{Type: "function", Function: llm.Function{Name: f.Name, Description: f.Description, Parameters: []byte(f.Parameters)}})
				}
			}
			b.ReportMetric(float64(llm.ToolTokens(tools)), "tokens")
			b.ReportMetric(float64(bc.aim), "tokens-aim")
		})
	}
}
