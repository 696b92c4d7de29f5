package slot

import "github.com/atelier-project/atelier/internal/kit/talk/token"

// Span is a part of a clip, in seconds.
type Span struct{ From, To float64 }

// readMoment reads a time at a token: 4, 4 seconds, 0:04. It returns how many tokens the time has, and whether it is
// surely a time.
func readMoment(c *token.Clause, i, limit int) (seconds float64, n int, sure bool) {
	v, n := c.MatchNumber(i, limit)
	if n == 0 {
		return 0, 0, false
	}
	if i+2 < limit && c.Tokens[i].Kind == token.Number && c.Tokens[i+1].Is(":") && c.Tokens[i+1].Adjacent &&
		c.Tokens[i+2].Kind == token.Number && c.Tokens[i+2].Adjacent && len(c.Tokens[i+2].Text) == 2 && c.Tokens[i+2].Value < 60 {
		return v*60 + c.Tokens[i+2].Value, 3, true
	}
	if e := c.Match(i+n, limit, "unit"); e != nil {
		return v * e.Number("value"), n + e.Len, true
	}
	return v, n, false
}

// ReadSpan reads a part of a clip at a token: from 2 to 4 seconds, 0:02-0:05, the first 3 seconds.
func ReadSpan(c *token.Clause, i, limit int) (Span, int) {
	at := i
	sure := false
	if c.Tokens[at].Is("from", "between") {
		at++
	}
	if at < limit && c.Tokens[at].Is("second", "seconds", "sec", "minute") {
		at, sure = at+1, true
	}
	if at < limit && c.Tokens[at].Is("first") {
		if v, n, ok := readMoment(c, at+1, limit); n > 0 && ok {
			return Span{From: 0, To: v}, at + 1 + n - i
		}
		return Span{}, 0
	}
	a, n, clear := readMoment(c, at, limit)
	if n == 0 {
		return Span{}, 0
	}
	sure, at = sure || clear, at+n
	if at < limit && c.Tokens[at].Is("to", "and", "until", "till", "through", "-", "–", "—") {
		at++
	} else if at >= limit || !c.Tokens[at].Adjacent {
		return Span{}, 0
	}
	if at < limit && c.Tokens[at].Is("second", "seconds") {
		at++
	}
	b, n, clear := readMoment(c, at, limit)
	if n == 0 || !sure && !clear || b <= a {
		return Span{}, 0
	}
	return Span{From: a, To: b}, at + n - i
}

// TakeSpan finds the first part of a clip.
func TakeSpan(c *token.Clause) (Span, bool) {
	for i := c.Start; i < c.End; i++ {
		if s, n := ReadSpan(c, i, c.End); n > 0 {
			c.Use(i, i+n)
			c.UseBefore(i, "the", "part", "section", "bit", "at", "during", "for", "between", "segment", "of")
			return s, true
		}
	}
	return Span{}, false
}

// TakeMoment finds a point in time: at 3 seconds, after 0:05.
func TakeMoment(c *token.Clause) (float64, bool) {
	for i := c.Start; i+1 < c.End; i++ {
		if !c.Tokens[i].Is("at", "after", "from", "starting") {
			continue
		}
		at := i + 1
		if c.Tokens[at].Is("second", "at", "from") {
			at++
		}
		if v, n, sure := readMoment(c, at, c.End); n > 0 && (sure || at > i+1) {
			c.Use(i, at+n)
			return v, true
		}
	}
	return 0, false
}

// TakeDuration finds how long something should be: 10 seconds, a 10s clip, half a minute, two and a half minutes.
func TakeDuration(c *token.Clause) (float64, bool) {
	for i := c.Start; i < c.End; i++ {
		if c.Used[i] || i > c.Start && c.Tokens[i-1].Is("at", "after", "second", "minute", "every") {
			continue
		}
		v, n := durationAt(c, i)
		if n == 0 {
			continue
		}
		end := i + n
		if end < c.End && c.Tokens[end].Is("long", "in", "of") && (c.Tokens[end].Text == "long" || end+1 < c.End &&
			c.Tokens[end+1].Is("length", "duration")) {
			end++
			if c.Tokens[end-1].Text != "long" {
				end++
			}
		}
		c.Use(i, end)
		c.UseBefore(i, "of", "for", "lasting", "about", "around", "approximately", "roughly", "is", "be", "lasts", "length", "duration", "a", "an",
			"at", "it", "in", "by", "with", "exactly", "up", "to", "should", "must", "make", "long", "another", "for")
		return v, true
	}
	return 0, false
}

// HasDuration reports whether a clause says how long something takes.
func HasDuration(c *token.Clause) bool {
	for i := c.Start; i < c.End; i++ {
		if _, n := durationAt(c, i); n > 0 && !c.Used[i] {
			return true
		}
	}
	return false
}

func durationAt(c *token.Clause, i int) (float64, int) {
	at := i
	v, n := c.MatchNumber(i, c.End)
	switch {
	case n > 0 && v == 0.5 && c.Tokens[i].Is("half") && i+1 < c.End && c.Tokens[i+1].Is("a", "of"):
		at = i + 2
	case n > 0:
		at = i + n
	case c.Tokens[i].Is("a", "an", "one") && i+1 < c.End && c.Tokens[i+1].Is("minute", "second"):
		v, at = 1, i+1
	default:
		return 0, 0
	}
	if n == 1 && at+1 < c.End && c.Tokens[at].Is(":") && c.Tokens[at].Adjacent && c.Tokens[at+1].Kind == token.Number {
		if m, k, sure := readMoment(c, i, c.End); sure && at+2 < c.End && c.Matches(at+2, c.End, "unit") {
			return m, k + 1
		}
		return 0, 0
	}
	if at+2 < c.End && c.Tokens[at].Is("and") && c.Tokens[at+1].Is("a") && c.Tokens[at+2].Is("half") {
		v, at = v+0.5, at+3
	}
	e := c.Match(at, c.End, "unit")
	if e == nil || c.Tokens[at].Text == "m" && !c.Tokens[at].Adjacent {
		return 0, 0
	}
	if c.Tokens[at].Text == "s" && (v >= 1000 || i > c.Lead && c.Tokens[i-1].Is("the")) {
		return 0, 0 // the 1920s
	}
	if next := at + e.Len; next < c.End && c.Tokens[next].Is("to", "-", "–") {
		if _, n, _ := readMoment(c, next+1, c.End); n > 0 {
			return 0, 0 // a part of a clip
		}
	}
	seconds := v * e.Number("value")
	at += e.Len
	if e.Key == "minute" && at+1 < c.End { // and 30 seconds, and a half
		k := at
		if c.Tokens[k].Is("and") {
			k++
		}
		if k+1 < c.End && c.Tokens[k].Is("a") && c.Tokens[k+1].Is("half") {
			return seconds + 30, k + 2 - i
		}
		if more, n := c.MatchNumber(k, c.End); n > 0 {
			if u := c.Match(k+n, c.End, "unit", "second"); u != nil {
				return seconds + more, k + n + u.Len - i
			}
		}
	}
	return seconds, at - i
}
