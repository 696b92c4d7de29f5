package replicate

import "strings"

// Draft is the text that a stream has sent while a model writes. What another attempt repeats is not sent again.
type Draft struct {
	sent     strings.Builder
	repeated int  // how much of it the last attempt has written
	differs  bool // from what the last attempt has written
}

// Restart begins another attempt.
func (d *Draft) Restart() { d.repeated, d.differs = 0, false }

// Add takes more of the text. It returns what is to be sent of it.
func (d *Draft) Add(text string) (rest string) {
	known := d.sent.String()[d.repeated:]
	known = known[:min(len(known), len(text))]
	rest, continues := strings.CutPrefix(text, known)
	if d.differs = d.differs || !continues; d.differs {
		return ""
	}
	d.sent.WriteString(rest)
	d.repeated += len(text)
	return rest
}

// IsEmpty reports whether nothing was sent.
func (d *Draft) IsEmpty() bool { return d.sent.Len() == 0 }

// Rest is what is left to be sent of the whole text. It reports false if the text does not begin with what was sent.
func (d *Draft) Rest(whole string) (rest string, ok bool) {
	return strings.CutPrefix(whole, d.sent.String())
}
