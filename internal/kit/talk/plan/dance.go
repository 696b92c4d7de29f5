package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/answer"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// planDance plans a dance of the person in a picture, or of a person described.
func (r *Interpretation) planDance(c *token.Clause, n int) {
	t := r.newTask("dance_montage", "dance")
	if t == nil {
		return
	}
	name := takeDance(c, t)
	if name == "" && (r.wantsNew(c, n) || !r.refersToMedia(c, c.Start+n)) {
		r.planCreation(c, n) // a clip of people who dance
		return
	}
	h := slot.FindNounPhrase(c, c.Start+n)
	who := ""
	if h.Start < c.End && !r.refersToMedia(c, h.Start) {
		end := h.Start
		for end < c.End && !c.Tokens[end].Is("dance", "dancing", "do", "doing") && !c.Used[end] {
			end++
		}
		who = token.TrimFirstWords(c.Unused(h.Start, end), "dance", "video", "montage", "of", "with")
	}
	if c.Contains("single", "unbroken", "one") && c.Contains("shot", "take", "clip") {
		t.Args["singleClip"] = true
	}
	fillDuration(c, t, "duration")
	if name == "" {
		refs := r.resolveMedia(c, "image")
		t.SetMedia("sourceImageIndex", refs...)
		r.ask(t, "dance", "Which dance should it be? There are "+answer.ListChoices(t.Tool, "dance")+".")
		return
	}
	t.Args["dance"] = name
	t.Subject = strings.ReplaceAll(name, "-", " ")
	if who != "" && !mentionsUpload(c) {
		t.Args["imagePrompt"] = who
		r.addTask(t)
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", r.resolveMedia(c, "image"))
}

// namesDance reports whether a clause without a verb names a dance.
func (r *Interpretation) namesDance(c *token.Clause) bool {
	t, ok := r.planner.catalog.Tool("dance_montage")
	if !ok || !c.Contains("dance", "dancing") {
		return false
	}
	name, at := findDance(c, t)
	return name != "" && at > c.Start
}

func takeDance(c *token.Clause, t *Task) string {
	name, i := findDance(c, t.Tool)
	if name != "" {
		c.Use(i, i+1)
		for k, w := range token.Tokenize(strings.ReplaceAll(name, "-", " ")) {
			if i+k < c.End && c.Tokens[i+k].Text == w.Text {
				c.Use(i+k, i+k+1)
			}
		}
		c.UseBefore(i, "the", "to", "dance", "do", "doing", "a", "dancing")
	}
	return name
}

// findDance finds the name of a dance and its position. The first words of a long name are enough.
func findDance(c *token.Clause, t *catalog.Tool) (string, int) {
	for i := c.Start; i < c.End; i++ {
		for _, v := range answer.EnumValues(t, "dance") {
			name, _ := v.(string)
			words := token.Tokenize(strings.ReplaceAll(name, "-", " "))
			n := len(words)
			for n > 1 && words[n-1].Kind == token.Number {
				n--
			}
			if c.MatchTokens(i, words[:n]) || n > 2 && c.MatchTokens(i, words[:2]) && len(words[0].Text) > 4 {
				return name, i
			}
		}
	}
	return "", 0
}
