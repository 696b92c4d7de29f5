// Command docgen writes the documents that come from tables in code:
// docs/errors.md, docs/configuration.md and docs/states.md. Run it with
// "make generate"; a test fails when a document is out of date.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// documents are the generated files and what writes them.
var documents = map[string]func() string{
	"errors.md":        errorsDocument,
	"configuration.md": configurationDocument,
	"states.md":        statesDocument,
}

func main() {
	folder := "docs"
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	for name, write := range documents {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(write()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "docgen:", err)
			os.Exit(1)
		}
	}
}

// generated stands at the top of each document.
const generated = "<!-- Written by \"make generate\" from the tables in code. Do not edit. -->\n"
