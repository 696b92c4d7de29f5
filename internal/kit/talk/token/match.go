package token

import (
	"slices"
)

// VerbLength returns how many tokens the verb at the start of a clause has.
func (c *Clause) VerbLength() int {
	for _, group := range []string{"wish", "verb"} {
		if e := c.Match(c.Start, c.End, group); e != nil {
			return e.Len
		}
	}
	return 0
}

// UseBefore marks the given words before a token as used.
func (c *Clause) UseBefore(i int, words ...string) {
	for i--; i >= c.Start && !c.Used[i] && c.Tokens[i].Is(words...); i-- {
		c.Used[i] = true
	}
}

// Take finds a phrase of a group and marks it as used.
func (c *Clause) Take(group string, keys ...string) *Entry {
	for i := c.Start; i < c.End; i++ {
		if e := c.Match(i, c.End, group, keys...); e != nil && !c.Used[i] {
			c.Use(i, i+e.Len)
			c.UseBefore(i, "and", "but", "a", "an", "with", "in", "as")
			return e
		}
	}
	return nil
}

// Peek finds a phrase of a group and does not mark it.
func (c *Clause) Peek(group string, keys ...string) *Entry {
	for i := c.Start; i < c.End; i++ {
		if e := c.Match(i, c.End, group, keys...); e != nil && !c.Used[i] {
			return e
		}
	}
	return nil
}

// Contains reports whether a clause has one of the words.
func (c *Clause) Contains(words ...string) bool {
	return slices.ContainsFunc(c.Tokens[c.Start:c.End], func(t Token) bool { return t.Is(words...) })
}

// UseClosing marks thanks and "please" at the end as used.
func (c *Clause) UseClosing() {
	for end := c.End; end > c.Start; {
		found := false
		for i := max(c.Start, end-5); i < end; i++ {
			if e := c.Match(i, end, "closing"); e != nil && i+e.Len == end && i > c.Start {
				c.Use(i, end)
				end, found = i, true
				break
			}
		}
		if end > c.Start && c.Tokens[end-1].Kind == Punct {
			end, found = end-1, true
		}
		if !found {
			return
		}
	}
}

// TakeURL returns the first URL and marks it as used.
func (c *Clause) TakeURL() string {
	for i := c.Lead; i < c.End; i++ {
		if c.Tokens[i].Kind == URL {
			c.Use(i, i+1)
			return c.Tokens[i].Text
		}
	}
	return ""
}

// MatchTokens reports whether a sequence of tokens stands at a position.
func (c *Clause) MatchTokens(i int, name []Token) bool {
	if len(name) == 0 || i+len(name) > c.End {
		return false
	}
	for k, t := range name {
		if c.Tokens[i+k].Text != t.Text {
			return false
		}
	}
	return true
}

func (c *Clause) CountQuotations() (n int) {
	for i := c.Lead; i < c.End; i++ {
		if c.Tokens[i].Kind == Quotation {
			n++
		}
	}
	return n
}

// TakeQuotation returns the first unused quotation and marks it as used.
func (c *Clause) TakeQuotation() string {
	for i := c.Start; i < c.End; i++ {
		if c.Tokens[i].Kind == Quotation && !c.Used[i] {
			c.Use(i, i+1)
			return c.Tokens[i].Text
		}
	}
	return ""
}
