package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// startedAs is the path with which this program was started.
var startedAs = os.Args[0]

// program is how to start this program in a shell: a build in bin/ is rarely on the PATH.
func program() string {
	name := startedAs
	if filepath.Base(name) == name {
		if _, err := exec.LookPath(name); err != nil {
			if own, err := os.Executable(); err == nil {
				name = own
			}
		}
	}
	return quote(name)
}

// plainWord is a word that needs no quotes in any shell.
var plainWord = regexp.MustCompile(`^[\w./:@+,-]+$`)

// quote writes a word so that a shell reads it as one.
func quote(word string) string {
	if runtime.GOOS == "windows" { // a path there has backslashes, and no quotes
		if plainWord.MatchString(strings.ReplaceAll(word, `\`, "/")) {
			return word
		}
		return `"` + word + `"`
	}
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
