package answer

import (
	"math"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// Calculate answers "what is 12 * 7": numbers and the four operations, in words or signs.
func Calculate(c *token.Clause) (string, bool) {
	var s expression
	for i := c.Start; i < c.End; i++ {
		tok := c.Tokens[i]
		op := operators[tok.Text]
		v, n := c.MatchNumber(i, c.End)
		switch {
		case n == 1 && !c.Tokens[i].Is("some", "few", "many", "both", "half"):
			s.values = append(s.values, v)
		case op != 0 && (tok.Kind == token.Punct || tok.Kind == token.Word):
			s.ops = append(s.ops, op)
		case tok.Is("what", "what's", "is", "how", "much", "calculate", "compute", "by", "equals", "=", "the", "result", "of", "sum", "does",
			"make", "equal", "whats"):
		default:
			return "", false
		}
		if tok.Adjacent && tok.Kind == token.Number && i > c.Start && c.Tokens[i-1].Kind == token.Number {
			s.ops = append(s.ops, '-') // 7-3 is tokenized as a compound
		}
	}
	v, ok := s.evaluate()
	if !ok {
		return "", false
	}
	return strings.TrimSpace(findExpression(c)) + " = " + phrase.FormatNumber(math.Round(v*1e6)/1e6), true
}

var operators = map[string]byte{
	"+": '+', "plus": '+', "-": '-', "minus": '-', "–": '-', "*": '*', "x": '*', "times": '*', "×": '*', "multiplied": '*', "/": '/', "divided": '/',
	"÷": '/', "over": '/',
}

// findExpression returns the expression as it was written, without the question around it.
func findExpression(c *token.Clause) string {
	from, to := c.Start, c.End
	for from < to && c.Tokens[from].Kind != token.Number && c.Match(from, to, "number") == nil {
		from++
	}
	for to > from && c.Tokens[to-1].Kind != token.Number && c.Match(to-1, to, "number") == nil {
		to--
	}
	return c.Excerpt(from, to)
}

// expression is numbers with operators between them.
type expression struct {
	values []float64
	ops    []byte
}

// evaluate returns the value of an expression. Multiplication and division come first.
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
