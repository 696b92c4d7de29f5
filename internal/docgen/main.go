// Command docgen writes what the documents say from tables in code:
// docs/errors.md, docs/configuration.md, docs/states.md, docs/events.md and docs/tools, the map
// of the packages in docs/architecture.md, the types of the console and the files of its models, and
// the schemas that the clients are made from.
// Run it with "make generate"; a test fails when a document is out of date.
//
//atelier:sequential
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := write(root); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	texts, err := documents(root)
	if err != nil {
		return err
	}
	for path, text := range texts {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// documents are the generated files of a source tree and what they should say.
func documents(root string) (map[string]string, error) {
	docs := filepath.Join(root, "docs")
	architecture := filepath.Join(docs, "architecture.md")
	withMap, err := architectureDocument(root, architecture)
	if err != nil {
		return nil, err
	}
	files, err := filesDocument()
	if err != nil {
		return nil, err
	}
	schemas, err := clientsDocument()
	if err != nil {
		return nil, err
	}
	types, err := typesDocument()
	if err != nil {
		return nil, err
	}
	texts := map[string]string{
		filepath.Join(docs, "errors.md"):                        errorsDocument(),
		filepath.Join(docs, "configuration.md"):                 configurationDocument(),
		filepath.Join(docs, "states.md"):                        statesDocument(),
		filepath.Join(docs, "events.md"):                        eventsDocument(),
		filepath.Join(root, "clients/openapi.json"):             schemas,
		filepath.Join(root, "console/app/types.ts"):             types,
		filepath.Join(root, "console/app/texts/model-files.ts"): files,
		architecture: withMap,
	}
	tools, err := toolDocuments(docs)
	maps.Copy(texts, tools)
	return texts, err
}

// generated stands at the top of each document.
const generated = "<!-- Written by \"make generate\" from the tables in code. Do not edit. -->\n"
