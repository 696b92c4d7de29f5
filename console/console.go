// Package console is the web console and the reference page, embedded.
package console

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed pages
var files embed.FS

// Handler serves the pages.
func Handler() http.Handler {
	pages, err := fs.Sub(files, "pages")
	if err != nil {
		panic(err) // embedded: cannot be missing
	}
	return http.FileServerFS(pages)
}
