// Command suites prints what make check tests with the race detector, and what without.
// The packages and tests say it themselves, in directives:
//
//   - //atelier:sequential in the comment of a package: nothing in it runs concurrently,
//     so that the race detector has nothing to find.
//   - //atelier:renderer in the comment of a package: it makes or reads sound and
//     pictures, which the race detector slows down tenfold. It watches only the tests that
//     follow.
//   - //atelier:concurrent above a test of a renderer: goroutines share the work in it.
//   - //atelier:norace above a test of another package: under the race detector it is
//     skipped or goes through a few cases, so that it is run without it too.
//
// Every other package is watched. "suites watched" and "suites unwatched" print packages;
// "suites concurrent" and "suites norace" print a package and a pattern of its tests on
// each line.
//
//atelier:sequential
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := printSuite(); err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1)
	}
}

func printSuite() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("name one of watched, unwatched, concurrent and norace")
	}
	packages, err := readPackages(".")
	if err != nil {
		return err
	}
	if faults := check(packages); len(faults) > 0 {
		return fmt.Errorf("%s", faults[0])
	}
	lines, err := suite(packages, os.Args[1])
	for _, line := range lines {
		fmt.Println(line)
	}
	return err
}
