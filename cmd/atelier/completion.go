package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// The scripts ask the program itself what can follow, so that they never differ from it.
//
//go:embed completion
var completionScripts embed.FS

// completionCommand prints the script of a shell.
type completionCommand struct {
	Shell string `arg:"" help:"The shell: ${enum}." enum:"bash,zsh,fish"`
}

// Run prints the script.
func (c *completionCommand) Run(t terminal) error {
	script, err := completionScripts.ReadFile("completion/atelier." + c.Shell)
	if err != nil {
		return err
	}
	_, err = t.out.Write(script)
	return err
}

// completeCommand is what the scripts call: it prints what can be the last of some words, one on each
// line, with a description after a tab. Nothing means that the shell completes the names of files.
type completeCommand struct {
	Words []string `arg:"" optional:""`
}

// Run prints the candidates.
func (c *completeCommand) Run(parsed *kong.Context, t terminal) error {
	for _, one := range complete(parsed.Model.Node, c.Words) {
		if _, err := fmt.Fprintf(t.out, "%s\t%s\n", one.word, plainText(one.about)); err != nil {
			return err
		}
	}
	return nil
}

// candidate is a word that can follow.
type candidate struct{ word, about string }

// complete lists what can be the last of some words.
func complete(root *kong.Node, words []string) []candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	words, split := joinValues(words)
	current := words[len(words)-1]
	at := place{node: root}
	for _, word := range words[:len(words)-1] {
		at.pass(word)
	}
	var list []candidate
	switch name, _, hasValue := strings.Cut(current, "="); {
	case at.awaits != nil:
		list = values(at.awaits.Value, "")
	case hasValue && strings.HasPrefix(name, "--"):
		if flag := at.flag(name); flag != nil {
			list = values(flag.Value, name+"=")
		}
		if split { // bash replaces what is after the sign alone
			for i := range list {
				list[i].word = strings.TrimPrefix(list[i].word, name+"=")
			}
			_, current, _ = strings.Cut(current, "=")
		}
	case strings.HasPrefix(current, "-") && !at.plain:
		at.enterDefault()
		list = at.flags()
	default:
		list = at.words()
	}
	return slices.DeleteFunc(list, func(c candidate) bool { return !strings.HasPrefix(c.word, current) })
}

// joinValues puts together what bash takes apart: --type, = and image. It says whether the last word
// was.
func joinValues(words []string) (out []string, split bool) {
	for i, word := range words {
		split = false
		n := len(out)
		switch {
		case word == "=" && n > 0 && strings.HasPrefix(out[n-1], "--"):
			out[n-1] += "="
			split = true
		case i > 0 && words[i-1] == "=" && n > 0 && strings.HasSuffix(out[n-1], "="):
			out[n-1] += word
			split = true
		default:
			out = append(out, word)
		}
	}
	return out, split
}

// place is where a command line has come to.
type place struct {
	node       *kong.Node
	awaits     *kong.Flag // the flag whose value is next
	positional int        // how many arguments were given
	plain      bool       // after --: no more flags
}

// pass moves behind a word.
func (p *place) pass(word string) {
	switch {
	case p.awaits != nil:
		p.awaits = nil
	case p.plain:
		p.positional++
	case word == "--":
		p.plain = true
	case strings.HasPrefix(word, "-") && word != "-":
		p.enterDefault()
		if flag := p.flag(word); flag != nil && !flag.IsBool() {
			p.awaits = flag
		}
	default:
		for _, child := range p.node.Children {
			if child.Name == word {
				p.node = child
				return
			}
		}
		p.enterDefault()
		p.positional++
	}
}

// enterDefault enters the command that is meant when none is named.
func (p *place) enterDefault() {
	if p.node.DefaultCmd != nil {
		p.node = p.node.DefaultCmd
	}
}

// flag finds a flag by its long or short name.
func (p *place) flag(word string) *kong.Flag {
	for _, group := range p.node.AllFlags(true) {
		for _, f := range group {
			if word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) {
				return f
			}
		}
	}
	return nil
}

// flags lists the flags that can be given.
func (p *place) flags() (list []candidate) {
	for _, group := range p.node.AllFlags(true) {
		for _, f := range group {
			list = append(list, candidate{"--" + f.Name, f.Help})
		}
	}
	return list
}

// words lists the commands, or the values of the argument, that can be given.
func (p *place) words() (list []candidate) {
	if len(p.node.Children) > 0 {
		for _, child := range p.node.Children {
			if !child.Hidden {
				list = append(list, candidate{child.Name, child.Help})
			}
		}
		return list
	}
	if p.positional < len(p.node.Positional) {
		return values(p.node.Positional[p.positional], "")
	}
	return nil
}

// values lists the values that a flag or an argument can have, if it says which.
func values(v *kong.Value, prefix string) (list []candidate) {
	if v.Enum == "" {
		return nil
	}
	for _, one := range v.EnumSlice() {
		list = append(list, candidate{prefix + one, ""})
	}
	return list
}
