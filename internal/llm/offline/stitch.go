package offline

import (
	"strings"
)

// stitch plans one clip of several.
func (r *reading) stitch(c *clause, n int) {
	if r.fresh(c, n) && !c.says("from", "of") {
		r.make(c, n)
		return
	}
	t := r.task("stitch_video", "stitch")
	if t == nil {
		return
	}
	refs := r.every(c, "video")
	if explicit := r.sequence(c); len(explicit) > 1 {
		refs = explicit
	} else if few := r.refs(c, "video"); len(few) > 1 {
		refs = few
	} else if len(refs) < 2 {
		refs = nil
		for _, sent := range []bool{true, false} {
			for _, it := range r.s.shelf.of("video", sent) {
				refs = append(refs, ref{item: it})
			}
		}
	}
	if e := c.take("transition"); e != nil {
		transition := map[string]any{"type": e.key}
		if v, ok := c.takeLength(); ok {
			transition["durationSeconds"] = min(max(v, 0.2), 2)
		}
		t.args["transition"] = transition
	}
	if c.says("music", "song", "soundtrack", "audio", "track") {
		if sound := r.refs(c, "audio"); len(sound) == 1 {
			t.address("audioIndex", sound...)
		}
	}
	if len(refs) < 2 && r.s.shelf.count("image", true)+r.s.shelf.count("image", false) > 1 && !c.mentions("video") {
		r.say("Only clips can be joined here. To have two pictures in one, describe the picture you want, or animate from the first to the second.")
		return
	}
	if len(refs) < 2 {
		r.ask(t, "video", "I need at least two clips to join. Send them, or ask me to make some first.")
		return
	}
	if len(refs) > 32 {
		refs = refs[len(refs)-32:]
	}
	t.about = plain(float64(len(refs))) + " clips"
	t.address("videoIndices", refs...)
	r.add(t)
}

// sequence reads an order: clips 2 and 1, the third and the first.
func (r *reading) sequence(c *clause) (out []ref) {
	pool := r.every(c, "video")
	for i := c.start; i < c.to; i++ {
		nth := 0
		if c.tokens[i].kind == number && c.tokens[i].value == float64(int(c.tokens[i].value)) && !c.has(i+1, c.to, "unit") {
			nth = int(c.tokens[i].value)
		} else if e := c.entry(i, c.to, "ordinal"); e != nil {
			nth = int(e.number("value"))
		}
		if one := pick(pool, nth, 1); nth > 0 && one != nil {
			out = append(out, one...)
		}
	}
	return out
}

// soundtrack plans a clip with other sound: with what is there, or with music
// that is made first.
func (r *reading) soundtrack(c *clause, n int) {
	if c.entry(c.start, c.to, "verb", "add", "set", "stitch") == nil && !c.speaksOf("video") {
		r.make(c, n) // music for a clip that is only thought of
		return
	}
	videos := r.refs(c, "video")
	if videos == nil && r.latest("image", c) != nil {
		r.edit(c, n)
		return
	}
	t := r.task("stitch_video", "soundtrack")
	if t == nil {
		return
	}
	if len(videos) == 0 {
		r.ask(t, "video", "Which clip should get the sound? Send it, or ask me to make one first.")
		return
	}
	videos = videos[:1]
	var noun *entry
	at := 0
	for i := c.start; i < c.to; i++ {
		if e := c.noun(i, c.to); e != nil && e.attr("kind") == "audio" {
			noun, at = e, i
			break
		}
	}
	there := noun == nil || c.meant(at) || c.says("it", "that", "them")
	if sound := r.latest("audio", c); sound != nil && there {
		t.address("videoIndices", videos...)
		t.address("audioIndex", r.refs(c, "audio")...)
		t.about = labelOf(videos)
		r.add(t)
		return
	}
	h := c.head(c.start + n)
	first := "generate_music"
	if noun != nil && noun.attr("of") == "speech" {
		first = "generate_speech"
	}
	sound := r.task(first, "make")
	if sound == nil {
		return
	}
	text := c.takeQuote()
	r.fill(c, sound)
	for i := c.start; i < c.to; i++ { // to the clip
		if c.tokens[i].is("to", "over", "under", "behind", "on", "in") && (i+1 >= c.to || c.meantAt(i+1)) {
			c.use(i, c.to)
		}
	}
	prompt := c.describe(h)
	if first == "generate_speech" {
		prompt = text
		if prompt == "" {
			r.ask(sound, "prompt", "Which text should be spoken over the clip? Put it in quotation marks.")
			return
		}
	} else if prompt == "" || len(strings.Fields(prompt)) == 1 {
		prompt = "background music"
		if label := labelOf(videos); label != "" {
			prompt += " for a clip of " + label
		}
	}
	sound.args["prompt"] = prompt
	r.add(sound)
	t.address("videoIndices", videos...)
	t.address("audioIndex", ref{of: sound})
	t.about = labelOf(videos)
	r.add(t)
}

// references lets a clip be guided by pictures that are meant: with my photo as
// a reference, featuring my dog.
func (r *reading) references(c *clause, t *task) {
	if !(c.says("reference", "references", "featuring", "starring", "guided") || c.says("style") && c.says("my", "this") && c.says("picture", "photo", "image")) {
		return
	}
	refs := r.refs(c, "image")
	if refs == nil {
		return
	}
	t.address("referenceImageIndices", refs...)
	for i := c.start; i < c.to; i++ {
		if c.tokens[i].is("reference", "references") {
			c.use(i, i+1)
			c.absorb(i, "a", "as", "the", "picture", "photo", "image", "my", "this", "using", "use", "with", "pictures", "photos", "images", "these")
		}
	}
}
