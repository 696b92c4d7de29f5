package slot

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// TakeTempo finds beats per minute: at 90 bpm, tempo of 120.
func TakeTempo(c *token.Clause) (float64, bool) {
	for i := c.Start; i < c.End; i++ {
		if c.Used[i] || c.Tokens[i].Kind != token.Number {
			continue
		}
		end := i + 1
		switch {
		case end < c.End && c.Tokens[end].Is("bpm"):
			end++
		case end+2 < c.End && c.Tokens[end].Is("beats") && c.Tokens[end+1].Is("per", "a") && c.Tokens[end+2].Is("minute"):
			end += 3
		default:
			continue
		}
		c.Use(i, end)
		c.UseBefore(i, "at", "with", "a", "tempo", "of", "around", "about", "and", "is", "the")
		return c.Tokens[i].Value, true
	}
	return TakeNumber(c, "tempo", "bpm")
}

// TakeKey finds a key: in A minor, in the key of C sharp major.
func TakeKey(c *token.Clause) string {
	for i := c.Start; i+1 < c.End; i++ {
		tok := c.Tokens[i]
		if c.Used[i] || tok.Kind != token.Word || len(tok.Text) != 1 || tok.Text[0] > 'g' {
			continue
		}
		end, sign := i+1, ""
		switch {
		case c.Tokens[end].Is("#", "sharp", "♯"):
			end, sign = end+1, "#"
		case c.Tokens[end].Is("flat", "♭"):
			end, sign = end+1, "b"
		}
		if end >= c.End || !c.Tokens[end].Is("major", "minor", "maj", "min") {
			continue
		}
		scale := "major"
		if strings.HasPrefix(c.Tokens[end].Text, "min") {
			scale = "minor"
		}
		c.Use(i, end+1)
		c.UseBefore(i, "in", "the", "key", "of", "and", "with", "a")
		return strings.ToUpper(tok.Text) + sign + " " + scale
	}
	return ""
}

// TakeTimeSignature finds the beats in a bar: 3/4, in 6/8 time.
func TakeTimeSignature(c *token.Clause) (float64, bool) {
	for i := c.Start; i+2 < c.End; i++ {
		if c.Used[i] || c.Tokens[i].Kind != token.Number || !c.Tokens[i+1].Is("/") || c.Tokens[i+2].Kind != token.Number {
			continue
		}
		if beats := c.Tokens[i+2].Value; beats != 4 && beats != 8 && beats != 2 {
			continue
		}
		end := i + 3
		for end < c.End && c.Tokens[end].Is("time", "signature", "beat") {
			end++
		}
		c.Use(i, end)
		c.UseBefore(i, "in", "a", "with", "and", "the")
		return c.Tokens[i].Value, true
	}
	return 0, false
}
