package offline

// span is a part of a clip, in seconds.
type span struct{ from, to float64 }

// moment reads a time at a token: 4, 4 seconds, 0:04. It reports how many
// tokens it took and whether the time says by itself that it is one.
func (c *clause) moment(i, limit int) (seconds float64, n int, sure bool) {
	v, n := c.amount(i, limit)
	if n == 0 {
		return 0, 0, false
	}
	if i+2 < limit && c.tokens[i].kind == number && c.tokens[i+1].is(":") && c.tokens[i+1].glued && c.tokens[i+2].kind == number && c.tokens[i+2].glued &&
		len(c.tokens[i+2].low) == 2 && c.tokens[i+2].value < 60 {
		return v*60 + c.tokens[i+2].value, 3, true
	}
	if e := c.entry(i+n, limit, "unit"); e != nil {
		return v * e.number("value"), n + e.words, true
	}
	return v, n, false
}

// span reads a part of a clip at a token: from 2 to 4 seconds, 0:02-0:05, the
// first 3 seconds.
func (c *clause) span(i, limit int) (span, int) {
	at := i
	sure := false
	if c.tokens[at].is("from", "between") {
		at++
	}
	if at < limit && c.tokens[at].is("second", "seconds", "sec", "minute") {
		at, sure = at+1, true
	}
	if at < limit && c.tokens[at].is("first") {
		if v, n, ok := c.moment(at+1, limit); n > 0 && ok {
			return span{from: 0, to: v}, at + 1 + n - i
		}
		return span{}, 0
	}
	a, n, clear := c.moment(at, limit)
	if n == 0 {
		return span{}, 0
	}
	sure, at = sure || clear, at+n
	if at < limit && c.tokens[at].is("to", "and", "until", "till", "through", "-", "–", "—") {
		at++
	} else if at >= limit || !c.tokens[at].glued {
		return span{}, 0
	}
	if at < limit && c.tokens[at].is("second", "seconds") {
		at++
	}
	b, n, clear := c.moment(at, limit)
	if n == 0 || !sure && !clear || b <= a {
		return span{}, 0
	}
	return span{from: a, to: b}, at + n - i
}

// takeSpan finds the first part of a clip in a clause and takes it out.
func (c *clause) takeSpan() (span, bool) {
	for i := c.start; i < c.to; i++ {
		if s, n := c.span(i, c.to); n > 0 {
			c.use(i, i+n)
			c.absorb(i, "the", "part", "section", "bit", "at", "during", "for", "between", "segment", "of")
			return s, true
		}
	}
	return span{}, false
}

// takeMoment finds a point in time: at 3 seconds, after 0:05.
func (c *clause) takeMoment() (float64, bool) {
	for i := c.start; i+1 < c.to; i++ {
		if !c.tokens[i].is("at", "after", "from", "starting") {
			continue
		}
		at := i + 1
		if c.tokens[at].is("second", "at", "from") {
			at++
		}
		if v, n, sure := c.moment(at, c.to); n > 0 && (sure || at > i+1) {
			c.use(i, at+n)
			return v, true
		}
	}
	return 0, false
}

// takeLength finds how long something is to be: 10 seconds, a 10s clip, half a
// minute, two and a half minutes.
func (c *clause) takeLength() (float64, bool) {
	for i := c.start; i < c.to; i++ {
		if c.used[i] || i > c.start && c.tokens[i-1].is("at", "after", "second", "minute", "every") {
			continue
		}
		v, n := c.lengthAt(i)
		if n == 0 {
			continue
		}
		end := i + n
		if end < c.to && c.tokens[end].is("long", "in", "of") && (c.tokens[end].low == "long" || end+1 < c.to && c.tokens[end+1].is("length", "duration")) {
			end++
			if c.tokens[end-1].low != "long" {
				end++
			}
		}
		c.use(i, end)
		c.absorb(i, "of", "for", "lasting", "about", "around", "approximately", "roughly", "is", "be", "lasts", "length", "duration", "a", "an", "at", "it",
			"in", "by", "with", "exactly", "up", "to", "should", "must", "make", "long", "another", "for")
		return v, true
	}
	return 0, false
}

// lasts reports whether a clause says how long something takes.
func (c *clause) lasts() bool {
	for i := c.start; i < c.to; i++ {
		if _, n := c.lengthAt(i); n > 0 && !c.used[i] {
			return true
		}
	}
	return false
}

func (c *clause) lengthAt(i int) (float64, int) {
	at := i
	v, n := c.amount(i, c.to)
	switch {
	case n > 0 && v == 0.5 && c.tokens[i].is("half") && i+1 < c.to && c.tokens[i+1].is("a", "of"):
		at = i + 2
	case n > 0:
		at = i + n
	case c.tokens[i].is("a", "an", "one") && i+1 < c.to && c.tokens[i+1].is("minute", "second"):
		v, at = 1, i+1
	default:
		return 0, 0
	}
	if n == 1 && at+1 < c.to && c.tokens[at].is(":") && c.tokens[at].glued && c.tokens[at+1].kind == number {
		if m, k, sure := c.moment(i, c.to); sure && at+2 < c.to && c.has(at+2, c.to, "unit") {
			return m, k + 1
		}
		return 0, 0
	}
	if at+2 < c.to && c.tokens[at].is("and") && c.tokens[at+1].is("a") && c.tokens[at+2].is("half") {
		v, at = v+0.5, at+3
	}
	e := c.entry(at, c.to, "unit")
	if e == nil || c.tokens[at].low == "m" && !c.tokens[at].glued {
		return 0, 0
	}
	if c.tokens[at].low == "s" && (v >= 1000 || i > c.from && c.tokens[i-1].is("the")) {
		return 0, 0 // the 1920s
	}
	if next := at + e.words; next < c.to && c.tokens[next].is("to", "-", "–") {
		if _, n, _ := c.moment(next+1, c.to); n > 0 {
			return 0, 0 // a part of a clip
		}
	}
	seconds := v * e.number("value")
	at += e.words
	if e.key == "minute" && at+1 < c.to { // and 30 seconds, and a half
		k := at
		if c.tokens[k].is("and") {
			k++
		}
		if k+1 < c.to && c.tokens[k].is("a") && c.tokens[k+1].is("half") {
			return seconds + 30, k + 2 - i
		}
		if more, n := c.amount(k, c.to); n > 0 {
			if u := c.entry(k+n, c.to, "unit", "second"); u != nil {
				return seconds + more, k + n + u.words - i
			}
		}
	}
	return seconds, at - i
}

// absorb takes out the small words that stand before a token and only lead to
// what was taken out there.
func (c *clause) absorb(i int, words ...string) {
	for i--; i >= c.start && !c.used[i] && c.tokens[i].is(words...); i-- {
		c.used[i] = true
	}
}
