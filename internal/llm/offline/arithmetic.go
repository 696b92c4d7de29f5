package offline

import (
	"math"
	"strings"
)

// calculate answers what is 12 * 7: numbers, the four operations, in words or
// signs. Anything more is not its trade.
func calculate(c *clause) (string, bool) {
	var s expression
	for i := c.start; i < c.end; i++ {
		tok := c.tokens[i]
		op := operators[tok.text]
		v, n := c.matchNumber(i, c.end)
		switch {
		case n == 1 && !c.tokens[i].is("some", "few", "many", "both", "half"):
			s.values = append(s.values, v)
		case op != 0 && (tok.kind == punct || tok.kind == word):
			s.ops = append(s.ops, op)
		case tok.is("what", "what's", "is", "how", "much", "calculate", "compute", "by", "equals", "=", "the", "result", "of", "sum", "does", "make", "equal", "whats"):
		default:
			return "", false
		}
		if tok.adjacent && tok.kind == number && i > c.start && c.tokens[i-1].kind == number {
			s.ops = append(s.ops, '-') // 7-3 is lexed as a compound
		}
	}
	v, ok := s.evaluate()
	if !ok {
		return "", false
	}
	return strings.TrimSpace(c.findExpression()) + " = " + formatNumber(math.Round(v*1e6)/1e6), true
}

// operators are the four operations.
var operators = map[string]byte{
	"+": '+', "plus": '+', "-": '-', "minus": '-', "–": '-', "*": '*', "x": '*', "times": '*', "×": '*', "multiplied": '*', "/": '/', "divided": '/',
	"÷": '/', "over": '/',
}

// findExpression is the sum as it was written, without the question around it.
func (c *clause) findExpression() string {
	from, to := c.start, c.end
	for from < to && c.tokens[from].kind != number && c.match(from, to, "number") == nil {
		from++
	}
	for to > from && c.tokens[to-1].kind != number && c.match(to-1, to, "number") == nil {
		to--
	}
	return c.excerpt(from, to)
}

// expression is numbers with operations between them.
type expression struct {
	values []float64
	ops    []byte
}

// evaluate works a sum out, points before dashes.
func (s *expression) evaluate() (float64, bool) {
	if len(s.values) < 2 || len(s.ops) != len(s.values)-1 {
		return 0, false
	}
	terms, signs := []float64{s.values[0]}, []byte{}
	for i, op := range s.ops {
		v := s.values[i+1]
		switch op {
		case '*':
			terms[len(terms)-1] *= v
		case '/':
			if v == 0 {
				return 0, false
			}
			terms[len(terms)-1] /= v
		default:
			terms, signs = append(terms, v), append(signs, op)
		}
	}
	total := terms[0]
	for i, op := range signs {
		if op == '+' {
			total += terms[i+1]
		} else {
			total -= terms[i+1]
		}
	}
	return total, !math.IsInf(total, 0) && !math.IsNaN(total) && math.Abs(total) < 1e15
}
