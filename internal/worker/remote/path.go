package remote

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/wire"
)

// path leads to values in a JSON document: names with dots between them, and [0]
// or [*] for entries of lists, such as output.results[*].url. A leading $ is
// allowed.
type path struct {
	text  string
	steps []step
}

// step is one part of a path.
type step struct {
	name  string // of an object's value; empty for an entry of a list
	index int    // of a list; every entry when negative
}

// The bounds of a path.
const (
	maxPath  = 300
	maxSteps = 32
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *path) UnmarshalText(text []byte) error {
	read, err := parsePath(string(text))
	if err == nil {
		*p = read
	}
	return err
}

func parsePath(text string) (path, error) {
	p := path{text: text}
	if len(text) > maxPath {
		return p, fmt.Errorf("must be at most %d bytes long", maxPath)
	}
	rest := strings.TrimPrefix(text, "$")
	rooted := rest != text
	for first := !rooted; rest != ""; first = false {
		switch {
		case rest[0] == '[':
			inside, after, ok := strings.Cut(rest[1:], "]")
			index, err := strconv.Atoi(inside)
			switch {
			case !ok:
				return p, errors.New("has a [ without its ]")
			case inside == "*":
				index = -1
			case err != nil || index < 0 || index > 1<<20 || inside[0] == '+':
				return p, fmt.Errorf("must have a number or * between brackets, not %q", inside)
			}
			p.steps, rest = append(p.steps, step{index: index}), after
		case rest[0] == '.' || first:
			if !first {
				rest = rest[1:]
			}
			n := strings.IndexAny(rest, ".[]")
			if n < 0 {
				n = len(rest)
			}
			if n == 0 {
				return p, errors.New("must have a name at each dot, such as output.url")
			}
			p.steps, rest = append(p.steps, step{name: rest[:n]}), rest[n:]
		default:
			return p, fmt.Errorf("cannot be read at %q", rest)
		}
	}
	switch {
	case len(p.steps) == 0 && !rooted:
		return p, errors.New("must not be empty")
	case len(p.steps) > maxSteps:
		return p, fmt.Errorf("must have at most %d parts", maxSteps)
	}
	return p, nil
}

// find returns what a path leads to, in order.
func (p path) find(doc any) []any {
	if p.text == "" {
		return nil
	}
	found := []any{doc}
	for _, s := range p.steps {
		var next []any
		for _, v := range found {
			if s.name != "" {
				if object, ok := v.(map[string]any); ok && object[s.name] != nil {
					next = append(next, object[s.name])
				}
				continue
			}
			list, _ := v.([]any)
			switch {
			case s.index < 0:
				next = append(next, list...)
			case s.index < len(list):
				next = append(next, list[s.index])
			}
		}
		found = next
	}
	return found
}

// word is the first plain value that a path leads to, as text.
func (p path) word(doc any) string {
	for _, v := range p.find(doc) {
		if s := formatValue(v); s != "" {
			return s
		}
	}
	return ""
}

// formatValue formats a string, number or boolean; other values are empty.
func formatValue(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case wire.Raw: // a number as it was written
		return x.String()
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(x)
	}
	return ""
}

// readJSON reads a whole document. Numbers keep their digits: an id may be one.
func readJSON(text []byte) (doc any, err error) {
	if err := wire.UnmarshalExact(text, &doc); err != nil {
		return nil, err
	}
	return doc, nil
}
