package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

func (r *Interpretation) planStitch(c *token.Clause, n int) {
	if r.wantsNew(c, n) && !c.Contains("from", "of") {
		r.planCreation(c, n)
		return
	}
	t := r.newTask("stitch_video", "stitch")
	if t == nil {
		return
	}
	refs := r.resolveAll(c, "video")
	if explicit := r.readSequence(c); len(explicit) > 1 {
		refs = explicit
	} else if few := r.resolveMedia(c, "video"); len(few) > 1 {
		refs = few
	} else if len(refs) < 2 {
		refs = nil
		for _, sent := range []bool{true, false} {
			for _, it := range r.state.Media.Filter("video", sent) {
				refs = append(refs, MediaRef{Item: it})
			}
		}
	}
	if e := c.Take("transition"); e != nil {
		transition := map[string]any{"type": e.Key}
		if v, ok := slot.TakeDuration(c); ok {
			transition["durationSeconds"] = min(max(v, 0.2), 2)
		}
		t.Args["transition"] = transition
	}
	if c.Contains("music", "song", "soundtrack", "audio", "track") {
		if sound := r.resolveMedia(c, "audio"); len(sound) == 1 {
			t.SetMedia("audioIndex", sound...)
		}
	}
	if len(refs) < 2 && r.state.Media.Count("image", true)+r.state.Media.Count("image", false) > 1 && !mentionsKind(c, "video") {
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
	t.Subject = phrase.FormatNumber(float64(len(refs))) + " clips"
	t.SetMedia("videoIndices", refs...)
	r.addTask(t)
}

// readSequence reads an order: clips 2 and 1, the third and the first.
func (r *Interpretation) readSequence(c *token.Clause) (out []MediaRef) {
	pool := r.resolveAll(c, "video")
	for i := c.Start; i < c.End; i++ {
		nth := 0
		if c.Tokens[i].Kind == token.Number && c.Tokens[i].Value == float64(int(c.Tokens[i].Value)) && !c.Matches(i+1, c.End, "unit") {
			nth = int(c.Tokens[i].Value)
		} else if e := c.Match(i, c.End, "ordinal"); e != nil {
			nth = int(e.Number("value"))
		}
		if one := pickNth(pool, nth, 1); nth > 0 && one != nil {
			out = append(out, one...)
		}
	}
	return out
}

// planSoundtrack plans a clip with other sound: existing sound, or music that is made first.
func (r *Interpretation) planSoundtrack(c *token.Clause, n int) {
	if at, _ := findNoun(c, "video", true); at < 0 && c.Match(c.Start, c.End, "verb", "add", "set", "stitch") == nil {
		r.planCreation(c, n) // music for a clip that does not exist
		return
	}
	videos := r.resolveMedia(c, "video")
	if videos == nil && r.ResolveLatest("image", c) != nil {
		r.planEdit(c, n)
		return
	}
	t := r.newTask("stitch_video", "soundtrack")
	if t == nil {
		return
	}
	if len(videos) == 0 {
		r.ask(t, "video", "Which clip should get the sound? Send it, or ask me to make one first.")
		return
	}
	videos = videos[:1]
	at, noun := findNoun(c, "audio", false)
	there := noun == nil || refersToExisting(c, at) || c.Contains("it", "that", "them")
	if sound := r.ResolveLatest("audio", c); sound != nil && there {
		t.SetMedia("videoIndices", videos...)
		t.SetMedia("audioIndex", r.resolveMedia(c, "audio")...)
		t.Subject = firstLabel(videos)
		r.addTask(t)
		return
	}
	h := slot.FindNounPhrase(c, c.Start+n)
	first := "generate_music"
	if noun != nil && noun.Attr("of") == "speech" {
		first = "generate_speech"
	}
	sound := r.newTask(first, "make")
	if sound == nil {
		return
	}
	text := c.TakeQuotation()
	r.FillArguments(c, sound)
	for i := c.Start; i < c.End; i++ { // drop "to the clip"
		if c.Tokens[i].Is("to", "over", "under", "behind", "on", "in") && (i+1 >= c.End || beginsMediaName(c, i+1)) {
			c.Use(i, c.End)
		}
	}
	prompt := slot.ReadPrompt(c, h)
	if first == "generate_speech" {
		prompt = text
		if prompt == "" {
			r.ask(sound, "prompt", "Which text should be spoken over the clip? Put it in quotation marks.")
			return
		}
	} else if prompt == "" || len(strings.Fields(prompt)) == 1 {
		prompt = "background music"
		if label := firstLabel(videos); label != "" {
			prompt += " for a clip of " + label
		}
	}
	sound.Args["prompt"] = prompt
	r.addTask(sound)
	t.SetMedia("videoIndices", videos...)
	t.SetMedia("audioIndex", MediaRef{Task: sound})
	t.Subject = firstLabel(videos)
	r.addTask(t)
}

// fillReferenceImages reads the reference pictures of a clip: with my photo as a reference, featuring my dog.
func (r *Interpretation) fillReferenceImages(c *token.Clause, t *Task) {
	if !(c.Contains("reference", "references", "featuring", "starring", "guided") || c.Contains("style") && c.Contains("my", "this") &&
		c.Contains("picture", "photo", "image")) {
		return
	}
	refs := r.resolveMedia(c, "image")
	if refs == nil {
		return
	}
	t.SetMedia("referenceImageIndices", refs...)
	for i := c.Start; i < c.End; i++ {
		if c.Tokens[i].Is("reference", "references") {
			c.Use(i, i+1)
			c.UseBefore(i, "a", "as", "the", "picture", "photo", "image", "my", "this", "using", "use", "with", "pictures", "photos", "images", "these")
		}
	}
}
