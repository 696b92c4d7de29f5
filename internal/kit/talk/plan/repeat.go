package plan

import (
	"math"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// planRepeat plans the last request again, with what the words change.
func (r *Interpretation) planRepeat(c *token.Clause, n int) {
	base := r.lastRequest()
	if base == nil {
		if r.wantsNew(c, n) {
			r.planCreation(c, n)
			return
		}
		r.say("There is nothing yet that I could make again. Tell me what you would like to see or hear.")
		return
	}
	h := slot.FindNounPhrase(c, c.Start+n)
	if h.Noun != nil && h.NounAt+h.Noun.Len < c.End && c.Tokens[h.NounAt+h.Noun.Len].Is("of", "about", "showing") &&
		!c.Contains("variation", "variations", "version", "versions") {
		r.planCreation(c, n) // another picture of something else
		return
	}
	r.repeatRequest(c)
}

// lastRequest returns the last task of this message, or of the one before.
func (r *Interpretation) lastRequest() *Task {
	if t := r.lastTask(); t != nil {
		return t
	}
	for i := len(r.state.Last) - 1; i >= 0; i-- {
		if t := r.state.Last[i]; t.Lyrics == nil || t.OutputKind() != "" {
			return t
		}
	}
	return nil
}

// repeatRequest plans the last request again, changed by a clause.
func (r *Interpretation) repeatRequest(c *token.Clause) {
	base := r.lastRequest()
	if base == nil {
		r.unresolved = append(r.unresolved, c)
		r.notUnderstood = true
		return
	}
	t := base.clone()
	if n, ok := takeExtraCount(c); ok {
		t.setArgument("numberOfVariations", t.clamp("numberOfVariations", n, ""))
	} else if !c.Contains("all", "both", "them") {
		delete(t.Args, "numberOfVariations")
	}
	delete(t.Args, "seed")
	r.retarget(t, c)
	if other := findReplacement(c); other != "" && t.Args["prompt"] != nil {
		t.Args["prompt"], t.Subject = other, other
	} else {
		r.amend(t, c)
	}
	if base.Lyrics != nil { // reuse the lyrics, or write them again
		if words, ok := base.Args["lyrics"].(string); ok && words != "" {
			t.Lyrics = nil
		} else if again := base.Lyrics.clone(); again != nil {
			if e := c.Peek("language"); e != nil && again.HasArgument("language") {
				again.Args["language"] = strings.TrimPrefix(e.Key, "other-")
			}
			r.addTask(again)
			t.Lyrics = again
		}
	}
	for i := range t.Media { // its sources are results by now
		for k, one := range t.Media[i].Refs {
			if one.Task != nil && one.Task.Result != nil {
				t.Media[i].Refs[k] = MediaRef{Item: one.Task.Result}
			}
		}
	}
	r.addTask(t)
}

// findReplacement returns the new subject of a repeated request: do the same with a dog.
func findReplacement(c *token.Clause) string {
	for i := c.Start; i+2 < c.End; i++ {
		if c.Tokens[i].Is("same") && c.Tokens[i+1].Is("with", "for") && c.Tokens[i+2].Is("a", "an", "two", "three") && c.Tokens[c.Start].Is("do", "make") {
			return c.Unused(i+2, c.End)
		}
	}
	return ""
}

// retarget points a task at other media if a clause names some: and the first one.
func (r *Interpretation) retarget(t *Task, c *token.Clause) {
	for i, u := range t.Media {
		a, ok := t.Tool.Argument(u.Name)
		if !ok || u.List || u.Field != "" {
			continue
		}
		for k := c.Start; k < c.End; k++ {
			if refs := r.resolveNumbered(c, k, string(a.Media)); len(refs) == 1 {
				t.Media[i].Refs = refs
				for k := c.Start; k < c.End; k++ {
					if c.Tokens[k].Is("the", "and", "one", "also", "to") || mediaNounLength(c, k, string(a.Media)) > 0 {
						c.Use(k, k+1)
					}
				}
				return
			}
		}
	}
}

// takeExtraCount finds how many more are wanted: four more, another three.
func takeExtraCount(c *token.Clause) (float64, bool) {
	for i := c.Start; i < c.End; i++ {
		v, n := c.MatchNumber(i, c.End)
		if n == 0 || v < 2 || i+n < c.End && c.Matches(i+n, c.End, "unit") {
			continue
		}
		if i+n < c.End && c.Tokens[i+n].Is("more", "others", "versions", "variations", "times", "new") || i > c.Start && c.Tokens[i-1].Is("another") {
			c.Use(i, min(c.End, i+n+1))
			return v, true
		}
	}
	return 0, false
}

// amend changes a task by a clause: values into arguments, the rest into the description.
func (r *Interpretation) amend(t *Task, c *token.Clause) {
	before := t.Args["prompt"]
	adjustTempo(c, t)
	if e := c.Peek("manner"); e != nil && t.HasArgument("voiceDescription") && !c.Contains("voice", "tone", "accent") {
		how := c.Take("manner").Base
		t.Args["voiceDescription"] = "a voice that sounds " + how
		delete(t.Args, "voice")
	}
	r.FillArguments(c, t)
	t.Args["prompt"] = before
	if before == nil {
		delete(t.Args, "prompt")
	}
	more := readAddition(c)
	if more == "" || t.Args["prompt"] == nil && t.Args["description"] == nil {
		return
	}
	if t.Tool.Name == "generate_speech" {
		return // only the voice changes, not the text
	}
	for _, argument := range []string{"prompt", "description"} {
		if text, ok := t.Args[argument].(string); ok && text != "" {
			t.Args[argument] = strings.TrimRight(text, ".") + ", " + lowerFirst(more)
			t.Subject = t.Args[argument].(string)
		}
	}
}

// lowerFirst makes the first letter of a sentence lower case, to continue another one.
func lowerFirst(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'a' && s[1] <= 'z' && strings.IndexByte(s, ' ') > 0 {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

func adjustTempo(c *token.Clause, t *Task) {
	e := c.Peek("tempo")
	if e == nil {
		return
	}
	change := func(argument string, by float64) {
		a, ok := t.Tool.Argument(argument)
		if !ok {
			return
		}
		v, ok := t.Args[argument].(float64)
		if !ok {
			v, ok = a.Default.(float64)
		}
		if !ok {
			return
		}
		c.Take("tempo")
		v = math.Round(v * by)
		if a.Min != nil {
			v = max(v, *a.Min)
		}
		if a.Max != nil {
			v = min(v, *a.Max)
		}
		t.Args[argument] = v
	}
	switch e.Key {
	case "slower":
		change("bpm", 0.8)
	case "faster":
		change("bpm", 1.25)
	case "longer":
		change("duration", 2)
	case "shorter":
		change("duration", 0.5)
	}
}

// readAddition returns what a clause adds to a description, without the words that lead to it.
func readAddition(c *token.Clause) string {
	s := c.Unused(c.Start, c.End)
	for s != "" {
		t := c.Lexicon.Parse(s)
		e := t.Match(0, len(t.Tokens), "opening")
		if e == nil {
			break
		}
		if e.Len >= len(t.Tokens) {
			return ""
		}
		s = token.Tidy(s[t.Tokens[e.Len].Start:])
		if e.Key == "with" && s != "" {
			return "with " + s
		}
	}
	for _, end := range []string{" instead", " again", " this time", " more", " please", " as well", " too"} {
		s = strings.TrimSuffix(s, end)
	}
	return token.Tidy(s)
}
