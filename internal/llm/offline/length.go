package offline

// span is a part of a clip, in seconds.
type span struct{ from, to float64 }

// readMoment reads a time at a token: 4, 4 seconds, 0:04. It reports how many
// tokens it took and whether the time says by itself that it is one.
func (c *clause) readMoment(i, limit int) (seconds float64, n int, sure bool) {
	v, n := c.matchNumber(i, limit)
	if n == 0 {
		return 0, 0, false
	}
	if i+2 < limit && c.tokens[i].kind == number && c.tokens[i+1].is(":") && c.tokens[i+1].adjacent && c.tokens[i+2].kind == number && c.tokens[i+2].adjacent &&
		len(c.tokens[i+2].text) == 2 && c.tokens[i+2].value < 60 {
		return v*60 + c.tokens[i+2].value, 3, true
	}
	if e := c.match(i+n, limit, "unit"); e != nil {
		return v * e.number("value"), n + e.len, true
	}
	return v, n, false
}

// readSpan reads a part of a clip at a token: from 2 to 4 seconds, 0:02-0:05, the
// first 3 seconds.
func (c *clause) readSpan(i, limit int) (span, int) {
	at := i
	sure := false
	if c.tokens[at].is("from", "between") {
		at++
	}
	if at < limit && c.tokens[at].is("second", "seconds", "sec", "minute") {
		at, sure = at+1, true
	}
	if at < limit && c.tokens[at].is("first") {
		if v, n, ok := c.readMoment(at+1, limit); n > 0 && ok {
			return span{from: 0, to: v}, at + 1 + n - i
		}
		return span{}, 0
	}
	a, n, clear := c.readMoment(at, limit)
	if n == 0 {
		return span{}, 0
	}
	sure, at = sure || clear, at+n
	if at < limit && c.tokens[at].is("to", "and", "until", "till", "through", "-", "–", "—") {
		at++
	} else if at >= limit || !c.tokens[at].adjacent {
		return span{}, 0
	}
	if at < limit && c.tokens[at].is("second", "seconds") {
		at++
	}
	b, n, clear := c.readMoment(at, limit)
	if n == 0 || !sure && !clear || b <= a {
		return span{}, 0
	}
	return span{from: a, to: b}, at + n - i
}

// takeSpan finds the first part of a clip in a clause and takes it out.
func (c *clause) takeSpan() (span, bool) {
	for i := c.start; i < c.end; i++ {
		if s, n := c.readSpan(i, c.end); n > 0 {
			c.use(i, i+n)
			c.useBefore(i, "the", "part", "section", "bit", "at", "during", "for", "between", "segment", "of")
			return s, true
		}
	}
	return span{}, false
}

// takeMoment finds a point in time: at 3 seconds, after 0:05.
func (c *clause) takeMoment() (float64, bool) {
	for i := c.start; i+1 < c.end; i++ {
		if !c.tokens[i].is("at", "after", "from", "starting") {
			continue
		}
		at := i + 1
		if c.tokens[at].is("second", "at", "from") {
			at++
		}
		if v, n, sure := c.readMoment(at, c.end); n > 0 && (sure || at > i+1) {
			c.use(i, at+n)
			return v, true
		}
	}
	return 0, false
}

// takeDuration finds how long something is to be: 10 seconds, a 10s clip, half a
// minute, two and a half minutes.
func (c *clause) takeDuration() (float64, bool) {
	for i := c.start; i < c.end; i++ {
		if c.used[i] || i > c.start && c.tokens[i-1].is("at", "after", "second", "minute", "every") {
			continue
		}
		v, n := c.durationAt(i)
		if n == 0 {
			continue
		}
		end := i + n
		if end < c.end && c.tokens[end].is("long", "in", "of") && (c.tokens[end].text == "long" || end+1 < c.end && c.tokens[end+1].is("length", "duration")) {
			end++
			if c.tokens[end-1].text != "long" {
				end++
			}
		}
		c.use(i, end)
		c.useBefore(i, "of", "for", "lasting", "about", "around", "approximately", "roughly", "is", "be", "lasts", "length", "duration", "a", "an", "at", "it",
			"in", "by", "with", "exactly", "up", "to", "should", "must", "make", "long", "another", "for")
		return v, true
	}
	return 0, false
}

// hasDuration reports whether a clause says how long something takes.
func (c *clause) hasDuration() bool {
	for i := c.start; i < c.end; i++ {
		if _, n := c.durationAt(i); n > 0 && !c.used[i] {
			return true
		}
	}
	return false
}

func (c *clause) durationAt(i int) (float64, int) {
	at := i
	v, n := c.matchNumber(i, c.end)
	switch {
	case n > 0 && v == 0.5 && c.tokens[i].is("half") && i+1 < c.end && c.tokens[i+1].is("a", "of"):
		at = i + 2
	case n > 0:
		at = i + n
	case c.tokens[i].is("a", "an", "one") && i+1 < c.end && c.tokens[i+1].is("minute", "second"):
		v, at = 1, i+1
	default:
		return 0, 0
	}
	if n == 1 && at+1 < c.end && c.tokens[at].is(":") && c.tokens[at].adjacent && c.tokens[at+1].kind == number {
		if m, k, sure := c.readMoment(i, c.end); sure && at+2 < c.end && c.matches(at+2, c.end, "unit") {
			return m, k + 1
		}
		return 0, 0
	}
	if at+2 < c.end && c.tokens[at].is("and") && c.tokens[at+1].is("a") && c.tokens[at+2].is("half") {
		v, at = v+0.5, at+3
	}
	e := c.match(at, c.end, "unit")
	if e == nil || c.tokens[at].text == "m" && !c.tokens[at].adjacent {
		return 0, 0
	}
	if c.tokens[at].text == "s" && (v >= 1000 || i > c.lead && c.tokens[i-1].is("the")) {
		return 0, 0 // the 1920s
	}
	if next := at + e.len; next < c.end && c.tokens[next].is("to", "-", "–") {
		if _, n, _ := c.readMoment(next+1, c.end); n > 0 {
			return 0, 0 // a part of a clip
		}
	}
	seconds := v * e.number("value")
	at += e.len
	if e.key == "minute" && at+1 < c.end { // and 30 seconds, and a half
		k := at
		if c.tokens[k].is("and") {
			k++
		}
		if k+1 < c.end && c.tokens[k].is("a") && c.tokens[k+1].is("half") {
			return seconds + 30, k + 2 - i
		}
		if more, n := c.matchNumber(k, c.end); n > 0 {
			if u := c.match(k+n, c.end, "unit", "second"); u != nil {
				return seconds + more, k + n + u.len - i
			}
		}
	}
	return seconds, at - i
}

// useBefore takes out the small words that stand before a token and only lead to
// what was taken out there.
func (c *clause) useBefore(i int, words ...string) {
	for i--; i >= c.start && !c.used[i] && c.tokens[i].is(words...); i-- {
		c.used[i] = true
	}
}
