package offline

import (
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// dance plans a dance of the person in a picture, or of one described.
func (r *reading) dance(c *clause, n int) {
	t := r.task("dance_montage", "dance")
	if t == nil {
		return
	}
	name := c.takeDance(t)
	if name == "" && (r.fresh(c, n) || !r.refers(c, c.start+n)) {
		r.make(c, n) // people who dance, in a clip of words
		return
	}
	h := c.head(c.start + n)
	who := ""
	if h.from < c.to && !r.refers(c, h.from) {
		end := h.from
		for end < c.to && !c.tokens[end].is("dance", "dancing", "do", "doing") && !c.used[end] {
			end++
		}
		who = dropFirst(c.rest(h.from, end), "dance", "video", "montage", "of", "with")
	}
	if c.says("single", "unbroken", "one") && c.says("shot", "take", "clip") {
		t.args["singleClip"] = true
	}
	if v, ok := c.takeLength(); ok {
		t.args["duration"] = t.bounded("duration", v, " seconds")
	}
	if name == "" {
		refs := r.refs(c, "image")
		t.address("sourceImageIndex", refs...)
		r.ask(t, "dance", "Which dance should it be? There are "+choices(t.tool, "dance")+".")
		return
	}
	t.args["dance"] = name
	t.about = strings.ReplaceAll(name, "-", " ")
	if who != "" && !c.mentionsSent() {
		t.args["imagePrompt"] = who
		r.add(t)
		return
	}
	r.on(t, "sourceImageIndex", "image", r.refs(c, "image"))
}

// dances reports whether a clause without a verb names a dance.
func (r *reading) dances(c *clause) bool {
	t, ok := r.m.catalog.Tool("dance_montage")
	if !ok || !c.says("dance", "dancing") {
		return false
	}
	name, at := c.danceAt(t)
	return name != "" && at > c.start
}

// takeDance finds the name of a dance and takes it out.
func (c *clause) takeDance(t *task) string {
	name, i := c.danceAt(t.tool)
	if name != "" {
		c.use(i, i+1)
		for k, w := range lex(strings.ReplaceAll(name, "-", " ")) {
			if i+k < c.to && c.tokens[i+k].low == w.low {
				c.use(i+k, i+k+1)
			}
		}
		c.absorb(i, "the", "to", "dance", "do", "doing", "a", "dancing")
	}
	return name
}

// danceAt finds the name of a dance and where it stands. Long names are known by
// their first words.
func (c *clause) danceAt(t *catalog.Tool) (string, int) {
	for i := c.start; i < c.to; i++ {
		for _, v := range enum(t, "dance") {
			name, _ := v.(string)
			words := lex(strings.ReplaceAll(name, "-", " "))
			n := len(words)
			for n > 1 && words[n-1].kind == number {
				n--
			}
			if c.follow(i, words[:n]) || n > 2 && c.follow(i, words[:2]) && len(words[0].low) > 4 {
				return name, i
			}
		}
	}
	return "", 0
}
