package offline

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// takeSize finds a size in pixels: 1024x768, 1024 by 768, 512 px.
func (c *clause) takeSize() (w, h float64, ok bool) {
	for i := c.start; i < c.end; i++ {
		if c.used[i] || c.tokens[i].kind != number || c.tokens[i].value < 64 {
			continue
		}
		at := i + 1
		skipUnit := func() {
			if at < c.end && c.tokens[at].is("px", "pixels", "pixel", "p") {
				at++
			}
		}
		skipUnit()
		if at+1 < c.end && c.tokens[at].is("x", "×", "*", "by") && c.tokens[at+1].kind == number && c.tokens[at+1].value >= 64 {
			w, h, at = c.tokens[i].value, c.tokens[at+1].value, at+2
			skipUnit()
		} else if i+1 < c.end && strings.HasPrefix(c.tokens[i+1].text, "x") && c.tokens[i+1].adjacent && c.tokens[i+1].kind == word {
			v, err := strconv.ParseFloat(strings.TrimRight(c.tokens[i+1].text[1:], "px"), 64)
			if err != nil || v < 64 {
				continue
			}
			w, h, at = c.tokens[i].value, v, i+2
			skipUnit()
		} else if at > i+1 && !c.tokens[i+1].is("p") {
			w, h = c.tokens[i].value, c.tokens[i].value
		} else {
			continue
		}
		c.use(i, at)
		c.useBefore(i, "size", "at", "in", "with", "of", "a", "an", "resolution", "dimensions", "is", "be", "should", "it", "the", "to")
		if at < c.end && c.tokens[at].is("resolution", "size", "pixels") {
			c.use(at, at+1)
		}
		return w, h, true
	}
	return 0, 0, false
}

// takeAspectRatio finds the shape of a picture: 16:9, square, in portrait format. A
// ratio in numbers wins over words.
func (c *clause) takeAspectRatio(video bool) (string, bool) {
	ratio := ""
	for i := c.start; i < c.end; i++ {
		r, n := c.aspectRatioAt(i)
		if n == 0 || c.used[i] {
			continue
		}
		ratio = r
		c.use(i, i+n)
		c.useBefore(i, "in", "at", "with", "of", "a", "an", "aspect", "ratio", "format", "shape", "as", "is", "be", "should", "the", "to", "it")
		for i += n; i < c.end && c.tokens[i].is("aspect", "ratio", "format", "shape", "orientation"); i++ {
			c.use(i, i+1)
		}
		break
	}
	for i := c.start; i < c.end; i++ {
		e := c.match(i, c.end, "shape")
		if e == nil || c.used[i] || c.isDescriptive(i, e) {
			continue
		}
		c.use(i, i+e.len)
		c.useBefore(i, "a", "an", "in", "as", "but")
		switch {
		case ratio != "":
		case video:
			ratio = e.attr("video")
		default:
			ratio = e.attr("image")
		}
	}
	return ratio, ratio != ""
}

// isDescriptive reports whether a single word of shape belongs to the description: a
// square table, a vertical cliff.
func (c *clause) isDescriptive(i int, e *entry) bool {
	if e.len > 1 || i+1 >= c.end {
		return false
	}
	return c.tokens[i+1].kind == word && c.matchNoun(i+1, c.end) == nil && !c.matches(i+1, c.end, "prep", "tail", "shape", "style", "unit", "empty", "adjective", "definition") &&
		c.tokens[i+1].text != "format"
}

// aspectRatios are those that "4:3" can mean; others are read as times.
var aspectRatios = []string{
	"1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "21:9", "9:21", "5:4", "4:5", "2:1", "1:2", "3:1", "1:3", "16:10", "10:16", "2.39:1", "2.35:1",
	"1.85:1", "32:9", "9:19", "18:9",
}

func (c *clause) aspectRatioAt(i int) (string, int) {
	if i+2 >= c.end || c.tokens[i].kind != number || !c.tokens[i+1].is(":", "x", "/", "by") || c.tokens[i+2].kind != number {
		return "", 0
	}
	r := c.tokens[i].text + ":" + c.tokens[i+2].text
	if !slices.Contains(aspectRatios, r) || c.tokens[i+1].is("/", "by", "x") && !(i+3 < c.end && c.tokens[i+3].is("aspect", "ratio", "format")) {
		return "", 0
	}
	return r, 3
}

// takeResolution finds a resolution by its name: 1080p, 4k.
func (c *clause) takeResolution() (*entry, bool) {
	for i := c.start; i < c.end; i++ {
		e := c.match(i, c.end, "definition")
		if e == nil || c.used[i] {
			continue
		}
		c.use(i, i+e.len)
		c.useBefore(i, "in", "at", "to", "with", "of", "a", "resolution", "full", "the")
		if at := i + e.len; at < c.end && c.tokens[at].is("resolution", "quality") {
			c.use(at, at+1)
		}
		return e, true
	}
	return nil, false
}

// takeScale finds how many times larger: 4x, x4, by a factor of 3, double.
func (c *clause) takeScale() (float64, bool) {
	for i := c.start; i < c.end; i++ {
		tok := c.tokens[i]
		if c.used[i] {
			continue
		}
		switch {
		case tok.kind == number && i+1 < c.end && c.tokens[i+1].is("x", "times", "fold", "×"):
			c.use(i, i+2)
			c.useBefore(i, "by", "to", "at", "a", "factor", "of", "it")
			return tok.value, true
		case tok.kind == word && len(tok.text) == 2 && tok.text[0] == 'x' && tok.text[1] >= '1' && tok.text[1] <= '9':
			c.use(i, i+1)
			return float64(tok.text[1] - '0'), true
		case tok.is("factor") && i+2 < c.end && c.tokens[i+1].is("of") && c.tokens[i+2].kind == number:
			c.use(i, i+3)
			c.useBefore(i, "by", "a")
			return c.tokens[i+2].value, true
		case tok.is("double", "twice"):
			c.use(i, i+1)
			return 2, true
		case tok.is("triple", "thrice"):
			c.use(i, i+1)
			return 3, true
		case tok.is("quadruple"):
			c.use(i, i+1)
			return 4, true
		case tok.is("times") && i > c.start:
			if v, n := c.matchNumber(i-1, c.end); n == 1 {
				c.use(i-1, i+1)
				return v, true
			}
		}
	}
	return 0, false
}

// nearest is the value of a list that is closest to the one wanted.
func nearest(list []float64, want float64) float64 {
	best := list[0]
	for _, v := range list {
		if math.Abs(v-want) < math.Abs(best-want) {
			best = v
		}
	}
	return best
}
