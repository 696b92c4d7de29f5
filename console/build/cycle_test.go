package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestCheckCycles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		modules map[string]string
		want    string
	}{
		{"none", map[string]string{"main.tsx": `import { a } from "./parts/a";`, "parts/a.ts": `import "../b";`, "b.ts": `import { h } from "preact";`}, ""},
		{"values", map[string]string{"a.ts": `import { b } from "./b";`, "b.ts": `import { a } from "./a";`}, "a -> b -> a"},
		{"types", map[string]string{"a.ts": `import type { B } from "./b";`, "b.ts": `import type { A } from "./a";`}, "a -> b -> a"},
		{"a page that is loaded later", map[string]string{"shell.tsx": `import { pages } from "./routes";`, "routes.tsx": `import("./pages/p")`, "pages/p.tsx": `import { W } from "../shell";`}, "pages/p -> shell -> routes -> pages/p"},
		{"a line of several", map[string]string{"a.ts": "import {\n  b,\n} from \"./b\";", "b.ts": `export * from "./a";`}, "a -> b -> a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			app := fstest.MapFS{}
			for name, text := range tt.modules {
				app[name] = &fstest.MapFile{Data: []byte(text)}
			}
			err := checkCycles(app)
			if tt.want == "" && err != nil {
				t.Fatalf("got %v, want no cycle", err)
			}
			if tt.want != "" && (err == nil || !strings.HasSuffix(err.Error(), tt.want)) {
				t.Fatalf("got %v, want the cycle %s", err, tt.want)
			}
		})
	}
}
