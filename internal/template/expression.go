package template

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An expression decides at compile time whether a stage runs. It has paths
// (inputs.mood, item.value), strings, numbers, true, false and null, the operators
// == != && || ! and parentheses, and nothing that could take long.
type expression struct {
	decide func(find lookup) any
	paths  []string // that it reads
}

// lookup is the value at a path, or nil.
type lookup func(path string) any

// holds reports whether the expression is true for the values that find returns.
func (e expression) holds(find lookup) bool { return isTrue(e.decide(find)) }

// isTrue reports whether a value counts as true in a condition.
func isTrue(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	}
	return true
}

// equalValues compares two values. A file is its URL.
func equalValues(a, b any) bool {
	if m, ok := a.(medium); ok {
		a = m.url
	}
	if m, ok := b.(medium); ok {
		b = m.url
	}
	return isScalar(a) && isScalar(b) && a == b
}

// Limits of an expression.
const (
	maxExpression = 1000 // bytes
	maxParens     = 24
)

// parser reads an expression from left to right.
type parser struct {
	rest  string
	depth int
	paths []string
}

var errExpression = errors.New("ends too early")

// parseExpression reads a whole expression.
func parseExpression(s string) (expression, error) {
	if len(s) > maxExpression {
		return expression{}, fmt.Errorf("is longer than %d bytes", maxExpression)
	}
	p := &parser{rest: s}
	decide, err := p.parseOr()
	if err == nil {
		if p.skipSpace(); p.rest != "" {
			err = fmt.Errorf("has %q where it should end", shorten(p.rest, 20))
		}
	}
	return expression{decide, p.paths}, err
}

func (p *parser) skipSpace() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *parser) accept(s string) bool {
	p.skipSpace()
	rest, ok := strings.CutPrefix(p.rest, s)
	if ok {
		p.rest = rest
	}
	return ok
}

type decision = func(find lookup) any

// parseOr reads a || b.
func (p *parser) parseOr() (decision, error) {
	left, err := p.parseAnd()
	for err == nil && p.accept("||") {
		a := left
		var b decision
		if b, err = p.parseAnd(); err == nil {
			left = func(find lookup) any { return isTrue(a(find)) || isTrue(b(find)) }
		}
	}
	return left, err
}

// parseAnd parses a && b.
func (p *parser) parseAnd() (decision, error) {
	left, err := p.parseEqual()
	for err == nil && p.accept("&&") {
		a := left
		var b decision
		if b, err = p.parseEqual(); err == nil {
			left = func(find lookup) any { return isTrue(a(find)) && isTrue(b(find)) }
		}
	}
	return left, err
}

// parseEqual reads a == b and a != b. === and !== mean the same.
func (p *parser) parseEqual() (decision, error) {
	a, err := p.parseOperand()
	if err != nil {
		return nil, err
	}
	want := true
	switch {
	case p.accept("==="), p.accept("=="):
	case p.accept("!=="), p.accept("!="):
		want = false
	default:
		return a, nil
	}
	b, err := p.parseOperand()
	return func(find lookup) any { return equalValues(a(find), b(find)) == want }, err
}

// parseOperand reads an operand.
func (p *parser) parseOperand() (decision, error) {
	if p.depth++; p.depth > maxParens {
		return nil, fmt.Errorf("nests deeper than %d levels", maxParens)
	}
	defer func() { p.depth-- }()
	switch {
	case p.accept("!"):
		a, err := p.parseOperand()
		return func(find lookup) any { return !isTrue(a(find)) }, err
	case p.accept("("):
		a, err := p.parseOr()
		if err == nil && !p.accept(")") {
			err = errors.New("has a parenthesis that is not closed")
		}
		return a, err
	case p.rest == "":
		return nil, errExpression
	case p.rest[0] == '\'' || p.rest[0] == '"':
		return p.parseString()
	case p.rest[0] == '-' || '0' <= p.rest[0] && p.rest[0] <= '9':
		return p.parseNumber()
	}
	return p.parsePath()
}

func constant(v any) decision { return func(lookup) any { return v } }

// parseString reads a string in either kind of quotes; a backslash takes the next
// character as it is.
func (p *parser) parseString() (decision, error) {
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == p.rest[0]:
			p.rest = p.rest[i+1:]
			return constant(b.String()), nil
		case c == '\\' && i+1 < len(p.rest):
			i++
			b.WriteByte(p.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return nil, errors.New("has a string that does not end")
}

func (p *parser) parseNumber() (decision, error) {
	n := 1
	for n < len(p.rest) && strings.IndexByte("0123456789.eE+-", p.rest[n]) >= 0 {
		n++
	}
	f, err := strconv.ParseFloat(p.rest[:n], 64)
	if err != nil {
		return nil, fmt.Errorf("has %q, which is not a number", shorten(p.rest[:n], 20))
	}
	p.rest = p.rest[n:]
	return constant(f), nil
}

// parsePath reads names joined by dots; a dollar sign before them is accepted, as in
// bindings.
func (p *parser) parsePath() (decision, error) {
	s := strings.TrimPrefix(p.rest, "$")
	n := word(s)
	if n == 0 {
		return nil, fmt.Errorf("has %q where a value should be", shorten(p.rest, 20))
	}
	for n < len(s) && s[n] == '.' {
		more := word(s[n+1:])
		if more == 0 {
			break
		}
		n += 1 + more
	}
	path := s[:n]
	p.rest = s[n:]
	switch path {
	case "true", "false":
		return constant(path == "true"), nil
	case "null":
		return constant(nil), nil
	}
	p.paths = append(p.paths, path)
	return func(find lookup) any { return find(path) }, nil
}
