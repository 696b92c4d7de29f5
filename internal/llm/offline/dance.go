package offline

import (
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// planDance plans a dance of the person in a picture, or of one described.
func (r *interpretation) planDance(c *clause, n int) {
	t := r.newTask("dance_montage", "dance")
	if t == nil {
		return
	}
	name := c.takeDance(t)
	if name == "" && (r.wantsNew(c, n) || !r.refersToMedia(c, c.start+n)) {
		r.planCreation(c, n) // people who dance, in a clip of words
		return
	}
	h := c.findNounPhrase(c.start + n)
	who := ""
	if h.start < c.end && !r.refersToMedia(c, h.start) {
		end := h.start
		for end < c.end && !c.tokens[end].is("dance", "dancing", "do", "doing") && !c.used[end] {
			end++
		}
		who = trimFirstWords(c.unused(h.start, end), "dance", "video", "montage", "of", "with")
	}
	if c.contains("single", "unbroken", "one") && c.contains("shot", "take", "clip") {
		t.args["singleClip"] = true
	}
	if v, ok := c.takeDuration(); ok {
		t.args["duration"] = t.clamp("duration", v, " seconds")
	}
	if name == "" {
		refs := r.resolveMedia(c, "image")
		t.setMedia("sourceImageIndex", refs...)
		r.ask(t, "dance", "Which dance should it be? There are "+listChoices(t.tool, "dance")+".")
		return
	}
	t.args["dance"] = name
	t.subject = strings.ReplaceAll(name, "-", " ")
	if who != "" && !c.mentionsUpload() {
		t.args["imagePrompt"] = who
		r.addTask(t)
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", r.resolveMedia(c, "image"))
}

// namesDance reports whether a clause without a verb names a dance.
func (r *interpretation) namesDance(c *clause) bool {
	t, ok := r.planner.catalog.Tool("dance_montage")
	if !ok || !c.contains("dance", "dancing") {
		return false
	}
	name, at := c.findDance(t)
	return name != "" && at > c.start
}

// takeDance finds the name of a dance and takes it out.
func (c *clause) takeDance(t *task) string {
	name, i := c.findDance(t.tool)
	if name != "" {
		c.use(i, i+1)
		for k, w := range tokenize(strings.ReplaceAll(name, "-", " ")) {
			if i+k < c.end && c.tokens[i+k].text == w.text {
				c.use(i+k, i+k+1)
			}
		}
		c.useBefore(i, "the", "to", "dance", "do", "doing", "a", "dancing")
	}
	return name
}

// findDance finds the name of a dance and where it stands. Long names are known by
// their first words.
func (c *clause) findDance(t *catalog.Tool) (string, int) {
	for i := c.start; i < c.end; i++ {
		for _, v := range enumValues(t, "dance") {
			name, _ := v.(string)
			words := tokenize(strings.ReplaceAll(name, "-", " "))
			n := len(words)
			for n > 1 && words[n-1].kind == number {
				n--
			}
			if c.matchTokens(i, words[:n]) || n > 2 && c.matchTokens(i, words[:2]) && len(words[0].text) > 4 {
				return name, i
			}
		}
	}
	return "", 0
}
