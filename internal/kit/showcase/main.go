// Command showcase shows what the CPU renderer makes. "make showcase" runs
// every tool that a step can use and writes the results to docs/showcase: a
// sheet for each family of tools, and a page that shows them. "make gallery"
// writes the files of the catalog's sample gallery.
//
//atelier:sequential
package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: showcase sheets|gallery FOLDER")
		os.Exit(2)
	}
	work := map[string]func(context.Context, string) error{"sheets": sheets, "gallery": gallery}[os.Args[1]]
	if work == nil {
		fmt.Fprintln(os.Stderr, "showcase: there is no", os.Args[1])
		os.Exit(2)
	}
	if err := work(context.Background(), os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "showcase:", err)
		os.Exit(1)
	}
}
