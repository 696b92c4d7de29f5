package slot

import (
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// TakeSize finds a size in pixels: 1024x768, 1024 by 768, 512 px.
func TakeSize(c *token.Clause) (w, h float64, ok bool) {
	for i := c.Start; i < c.End; i++ {
		if c.Used[i] || c.Tokens[i].Kind != token.Number || c.Tokens[i].Value < 64 {
			continue
		}
		at := i + 1
		skipUnit := func() {
			if at < c.End && c.Tokens[at].Is("px", "pixels", "pixel", "p") {
				at++
			}
		}
		skipUnit()
		if at+1 < c.End && c.Tokens[at].Is("x", "×", "*", "by") && c.Tokens[at+1].Kind == token.Number && c.Tokens[at+1].Value >= 64 {
			w, h, at = c.Tokens[i].Value, c.Tokens[at+1].Value, at+2
			skipUnit()
		} else if i+1 < c.End && strings.HasPrefix(c.Tokens[i+1].Text, "x") && c.Tokens[i+1].Adjacent && c.Tokens[i+1].Kind == token.Word {
			v, err := strconv.ParseFloat(strings.TrimRight(c.Tokens[i+1].Text[1:], "px"), 64)
			if err != nil || v < 64 {
				continue
			}
			w, h, at = c.Tokens[i].Value, v, i+2
			skipUnit()
		} else if at > i+1 && !c.Tokens[i+1].Is("p") {
			w, h = c.Tokens[i].Value, c.Tokens[i].Value
		} else {
			continue
		}
		c.Use(i, at)
		c.UseBefore(i, "size", "at", "in", "with", "of", "a", "an", "resolution", "dimensions", "is", "be", "should", "it", "the", "to")
		if at < c.End && c.Tokens[at].Is("resolution", "size", "pixels") {
			c.Use(at, at+1)
		}
		return w, h, true
	}
	return 0, 0, false
}

// TakeAspectRatio finds the aspect ratio: 16:9, square, in portrait format. A ratio in numbers has precedence over
// words.
func TakeAspectRatio(c *token.Clause, video bool) (string, bool) {
	ratio := ""
	for i := c.Start; i < c.End; i++ {
		r, n := aspectRatioAt(c, i)
		if n == 0 || c.Used[i] {
			continue
		}
		ratio = r
		c.Use(i, i+n)
		c.UseBefore(i, "in", "at", "with", "of", "a", "an", "aspect", "ratio", "format", "shape", "as", "is", "be", "should", "the", "to", "it")
		for i += n; i < c.End && c.Tokens[i].Is("aspect", "ratio", "format", "shape", "orientation"); i++ {
			c.Use(i, i+1)
		}
		break
	}
	for i := c.Start; i < c.End; i++ {
		e := c.Match(i, c.End, "shape")
		if e == nil || c.Used[i] || isDescriptive(c, i, e) {
			continue
		}
		c.Use(i, i+e.Len)
		c.UseBefore(i, "a", "an", "in", "as", "but")
		switch {
		case ratio != "":
		case video:
			ratio = e.Attr("video")
		default:
			ratio = e.Attr("image")
		}
	}
	return ratio, ratio != ""
}

// isDescriptive reports whether a single word of shape belongs to the description: a square table, a vertical cliff.
func isDescriptive(c *token.Clause, i int, e *token.Entry) bool {
	if e.Len > 1 || i+1 >= c.End {
		return false
	}
	return c.Tokens[i+1].Kind == token.Word && c.MatchNoun(i+1, c.End) == nil && !c.Matches(i+1, c.End, "prep", "closing", "shape", "style", "unit",
		"empty", "adjective", "resolution") && c.Tokens[i+1].Text != "format"
}

// aspectRatios are the ratios that "4:3" can mean; other pairs are times.
var aspectRatios = []string{
	"1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "21:9", "9:21", "5:4", "4:5", "2:1", "1:2", "3:1", "1:3", "16:10", "10:16", "2.39:1", "2.35:1",
	"1.85:1", "32:9", "9:19", "18:9",
}

func aspectRatioAt(c *token.Clause, i int) (string, int) {
	if i+2 >= c.End || c.Tokens[i].Kind != token.Number || !c.Tokens[i+1].Is(":", "x", "/", "by") || c.Tokens[i+2].Kind != token.Number {
		return "", 0
	}
	r := c.Tokens[i].Text + ":" + c.Tokens[i+2].Text
	if !slices.Contains(aspectRatios, r) || c.Tokens[i+1].Is("/", "by", "x") && !(i+3 < c.End && c.Tokens[i+3].Is("aspect", "ratio", "format")) {
		return "", 0
	}
	return r, 3
}

// TakeResolution finds a resolution by its name: 1080p, 4k.
func TakeResolution(c *token.Clause) (*token.Entry, bool) {
	for i := c.Start; i < c.End; i++ {
		e := c.Match(i, c.End, "resolution")
		if e == nil || c.Used[i] {
			continue
		}
		c.Use(i, i+e.Len)
		c.UseBefore(i, "in", "at", "to", "with", "of", "a", "resolution", "full", "the")
		if at := i + e.Len; at < c.End && c.Tokens[at].Is("resolution", "quality") {
			c.Use(at, at+1)
		}
		return e, true
	}
	return nil, false
}

// TakeScale finds how many times larger: 4x, x4, by a factor of 3, double.
func TakeScale(c *token.Clause) (float64, bool) {
	for i := c.Start; i < c.End; i++ {
		tok := c.Tokens[i]
		if c.Used[i] {
			continue
		}
		switch {
		case tok.Kind == token.Number && i+1 < c.End && c.Tokens[i+1].Is("x", "times", "fold", "×"):
			c.Use(i, i+2)
			c.UseBefore(i, "by", "to", "at", "a", "factor", "of", "it")
			return tok.Value, true
		case tok.Kind == token.Word && len(tok.Text) == 2 && tok.Text[0] == 'x' && tok.Text[1] >= '1' && tok.Text[1] <= '9':
			c.Use(i, i+1)
			return float64(tok.Text[1] - '0'), true
		case tok.Is("factor") && i+2 < c.End && c.Tokens[i+1].Is("of") && c.Tokens[i+2].Kind == token.Number:
			c.Use(i, i+3)
			c.UseBefore(i, "by", "a")
			return c.Tokens[i+2].Value, true
		case tok.Is("double", "twice"):
			c.Use(i, i+1)
			return 2, true
		case tok.Is("triple", "thrice"):
			c.Use(i, i+1)
			return 3, true
		case tok.Is("quadruple"):
			c.Use(i, i+1)
			return 4, true
		case tok.Is("times") && i > c.Start:
			if v, n := c.MatchNumber(i-1, c.End); n == 1 {
				c.Use(i-1, i+1)
				return v, true
			}
		}
	}
	return 0, false
}
