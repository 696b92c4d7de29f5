package process

import (
	"path/filepath"
	"slices"
	"strings"
)

// mainFile is ComfyUI's own program.
const mainFile = "main.py"

// mainAt is the place of ComfyUI's program among the words of a command; -1 when the command
// starts it in another way, such as by a script.
func mainAt(command []string) int {
	return slices.IndexFunc(command, func(word string) bool { return filepath.Base(word) == mainFile })
}

// flag is the value of a flag in a command, as --name VALUE or --name=VALUE.
func flag(command []string, name string) (string, bool) {
	for n, word := range command {
		if value, ok := strings.CutPrefix(word, name+"="); ok {
			return value, true
		}
		if word == name && n+1 < len(command) {
			return command[n+1], true
		}
	}
	return "", false
}

// withTemp gives a process its own temporary directory. Otherwise all processes of one
// installation share its folder, and each start empties it.
func withTemp(command []string, dir string) []string {
	if _, given := flag(command, "--temp-directory"); given || mainAt(command) < 0 {
		return command
	}
	return append(slices.Clone(command), "--temp-directory", dir)
}

// outputOf is the directory in which a process saves results; empty when its command does not
// show it.
func outputOf(command []string) string {
	at := mainAt(command)
	if at < 0 {
		return ""
	}
	dir := filepath.Join(filepath.Dir(command[at]), "output")
	if base, given := flag(command, "--base-directory"); given {
		dir = filepath.Join(base, "output")
	}
	if own, given := flag(command, "--output-directory"); given {
		dir = own
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	return dir
}
