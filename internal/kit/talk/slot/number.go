package slot

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// Nearest returns the value of a list that is closest to the wanted one.
func Nearest(list []float64, want float64) float64 {
	best := list[0]
	for _, v := range list {
		if math.Abs(v-want) < math.Abs(best-want) {
			best = v
		}
	}
	return best
}

// TakeNumber finds a word with a number after it: seed 42, seed: 42.
func TakeNumber(c *token.Clause, words ...string) (float64, bool) {
	for i := c.Start; i < c.End; i++ {
		if c.Used[i] || !c.Tokens[i].Is(words...) {
			continue
		}
		at := i + 1
		for at < c.End && c.Tokens[at].Is(":", "=", "of", "is", "scale", "number", "to", "value") {
			at++
		}
		if at < c.End && c.Tokens[at].Kind == token.Number {
			c.Use(i, at+1)
			c.UseBefore(i, "with", "and", "the", "a", "using", "use", "at", "same", "set")
			return c.Tokens[at].Value, true
		}
	}
	return 0, false
}

// TakeVariations finds how many results are wanted: 4 variations, in three versions.
func TakeVariations(c *token.Clause) (float64, bool) {
	for i := c.Start; i < c.End; i++ {
		v, n := c.MatchNumber(i, c.End)
		at := i + n
		if n == 0 || c.Used[i] || v < 1 {
			continue
		}
		for at < c.End && c.Tokens[at].Is("different", "more", "other", "new", "possible", "distinct") {
			at++
		}
		plain := at < c.End && c.Tokens[at].Is("images", "pictures", "photos", "pics", "clips", "videos", "tracks", "takes") && (at+1 == c.End ||
			c.Tokens[at+1].Kind == token.Punct)
		if at >= c.End || !plain && !c.Tokens[at].Is("variations", "variants", "versions", "options", "takes", "alternatives", "variation", "copies",
			"times", "attempts", "ideas", "results") {
			continue
		}
		end := at + 1
		if end < c.End && c.Tokens[end].Is("of", "for") {
			end++
		}
		c.Use(i, end)
		c.UseBefore(i, "in", "with", "and", "make", "give", "me", "as", "show", "the")
		return v, true
	}
	return 0, false
}
