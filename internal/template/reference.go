package template

import (
	"strconv"
	"strings"
)

// reference is a binding string: a place that an argument takes its value
// from.
//
//	$inputs.<name>                     the value of an input
//	$inputs.<name>[<n>]                one of several
//	$artifacts.<name>.items[<n>].url   one thing that a stage makes
//	$artifacts.<name>.items            all of them, for an argument that takes a list
//	$item                              the item of a batch, also $item.value and $item.<itemName>
//	$item.index                        its number, from 0
//	$item.url                          the same as $item, where items are files
//
// <n> may be $item.index. A name may also be a stage's id. A binding may stand
// inside a longer text, unless it is an artifact: that has no text yet. Two
// dollar signs before a binding make it plain text.
type reference struct {
	root   string // inputs, artifacts or item
	name   string // of the input or artifact, or the field of the item
	number int    // which of several, or all
	byItem bool   // the number is that of the item
}

// all is the number of a reference that names none.
const all = -1

func (r reference) String() string {
	number := ""
	switch {
	case r.byItem:
		number = "[$item.index]"
	case r.number != all:
		number = "[" + strconv.Itoa(r.number) + "]"
	}
	switch r.root {
	case "artifacts":
		return "$artifacts." + r.name + ".items" + number
	case "inputs":
		return "$inputs." + r.name + number
	}
	return strings.TrimSuffix("$item."+r.name, ".")
}

// part is a piece of a text: plain, or a reference.
type part struct {
	text string
	ref  *reference
}

// names reports whether a name exists, so that a text such as "$inputs.mood-driven"
// is read as the author meant it.
type names func(root, name string) bool

// parse splits a text into plain text and references. What only looks like a
// binding is plain text.
func parse(s string, exists names) []part {
	if s == "$item" {
		return []part{{ref: &reference{root: "item", number: all}}}
	}
	var (
		out   []part
		plain strings.Builder
	)
	flush := func() {
		if plain.Len() > 0 {
			out = append(out, part{text: plain.String()})
			plain.Reset()
		}
	}
	for {
		i := strings.IndexByte(s, '$')
		if i < 0 {
			plain.WriteString(s)
			flush()
			return out
		}
		plain.WriteString(s[:i])
		s = s[i:]
		ref, n := scan(s, exists)
		if n > 0 {
			flush()
			out = append(out, part{ref: &ref})
			s = s[n:]
			continue
		}
		if _, n := scan(s[1:], exists); n > 0 { // escaped
			s = s[1:]
			plain.WriteString(s[:n])
			s = s[n:]
			continue
		}
		plain.WriteByte('$')
		s = s[1:]
	}
}

// whole is the reference that a text consists of, if it does.
func whole(parts []part) (reference, bool) {
	if len(parts) == 1 && parts[0].ref != nil {
		return *parts[0].ref, true
	}
	return reference{}, false
}

// scan reads a reference at the start of a text and returns its length, or 0.
func scan(s string, exists names) (reference, int) {
	if rest, ok := strings.CutPrefix(s, "$inputs."); ok {
		if name := named("inputs", rest, exists); name != "" {
			r := reference{root: "inputs", name: name, number: all}
			return r, len(s) - len(r.subscript(rest[len(name):]))
		}
	}
	if rest, ok := strings.CutPrefix(s, "$artifacts."); ok {
		if name := named("artifacts", rest, exists); name != "" {
			r := reference{root: "artifacts", name: name, number: all}
			tail, ok := strings.CutPrefix(rest[len(name):], ".items")
			if !ok {
				return r, len(s) - len(rest) + len(name)
			}
			tail = strings.TrimPrefix(tail, "[*]")
			tail = r.subscript(tail)
			if after, ok := strings.CutPrefix(tail, ".url"); ok && word(after) == 0 {
				tail = after
			}
			return r, len(s) - len(tail)
		}
	}
	if rest, ok := strings.CutPrefix(s, "$item."); ok {
		if n := word(rest); n > 0 {
			return reference{root: "item", name: rest[:n], number: all}, len(s) - len(rest) + n
		}
	}
	return reference{}, 0
}

// How far a reference is read: nothing that exists is longer.
const (
	maxSubscript = len("[99999]")
	maxWord      = 128
)

// subscript reads [n] or [$item.index] and returns what comes after.
func (r *reference) subscript(s string) string {
	if rest, ok := strings.CutPrefix(s, "[$item.index]"); ok {
		r.byItem = true
		return rest
	}
	end := strings.IndexByte(s[:min(len(s), maxSubscript)], ']')
	if end < 0 || s[0] != '[' {
		return s
	}
	n, err := strconv.ParseUint(s[1:end], 10, 32)
	if err != nil {
		return s
	}
	r.number = int(n)
	return s[end+1:]
}

// named reads a name: the longest that exists, or as much as could be one.
func named(root, s string, exists names) string {
	n := min(word(s), maxWord)
	for k := n; k > 0; k = strings.LastIndexByte(s[:k], '-') {
		if exists(root, s[:k]) {
			return s[:k]
		}
	}
	return s[:n]
}

// word is the length of the name at the start of a text. A dash belongs to it
// between letters only.
func word(s string) int {
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case '0' <= c && c <= '9' && i > 0:
		case c == '-' && i > 0 && i+1 < len(s) && isWord(s[i+1]):
		default:
			return i
		}
	}
	return len(s)
}

func isWord(c byte) bool {
	return c == '_' || c == '-' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// references visits every text with a binding in a value, with its path.
func references(v any, at string, exists names, visit func(at string, parts []part)) {
	texts(v, at, func(at, s string) {
		if parts := parse(s, exists); len(parts) > 1 || len(parts) == 1 && parts[0].ref != nil {
			visit(at, parts)
		}
	})
}

// texts visits every text in a value, with its path.
func texts(v any, at string, visit func(at, s string)) {
	switch v := v.(type) {
	case string:
		visit(at, v)
	case []any:
		for i, e := range v {
			texts(e, index(at, i), visit)
		}
	case map[string]any:
		for _, k := range sortedKeys(v) {
			texts(v[k], at+"."+shorten(k, 64), visit)
		}
	}
}
