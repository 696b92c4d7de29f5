package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// filesDocument lists the files that each model needs, for the page of models of the console. A
// service does not know them: workers have the graphs.
func filesDocument() (string, error) {
	library, err := comfyui.LoadLibrary("")
	if err != nil {
		return "", err
	}
	files := library.Files()
	var b strings.Builder
	b.WriteString(`// The files that ComfyUI needs for each model. Written by "make generate" from the graphs of workers. Do not edit.

export interface ModelFile {
  folder: string;
  name: string;
  /** The pages where it is published, if that is known. */
  from: string[];
  /** What the graphs that need it are for, if not all do. */
  only?: string[];
}

// prettier-ignore
export const filesOf: Record<string, ModelFile[]> = {
`)
	for _, id := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "  %s: [\n", literal(id))
		for _, f := range files[id] {
			only := ""
			if len(f.Graphs) > 0 {
				only = ", only: " + literal(f.Graphs)
			}
			fmt.Fprintf(&b, "    { folder: %s, name: %s, from: %s%s },\n", literal(f.Folder), literal(f.Name), literal(append([]string{}, f.From...)), only)
		}
		b.WriteString("  ],\n")
	}
	b.WriteString("};\n")
	return b.String(), nil
}
