package answer_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/kit/talk/answer"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

func TestCalculate(t *testing.T) {
	t.Parallel()
	l, err := token.LoadLexicon()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"what is 12 * 7":        "12 * 7 = 84",
		"2 plus 3 times 4":      "2 plus 3 times 4 = 14",
		"1 / 0":                 "",
		"what is 2 foxes":       "",
		"calculate 10 - 4 - 3?": "10 - 4 - 3 = 3",
	} {
		if got, ok := answer.Calculate(l.Parse(text).SplitClauses()[0]); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
