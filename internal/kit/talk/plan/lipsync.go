package plan

import (
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// planTalkingPicture plans a picture that speaks or sings, to existing sound or to words that are spoken first.
func (r *Interpretation) planTalkingPicture(c *token.Clause, n int) {
	if r.wantsNew(c, n) && c.CountQuotations() == 0 && r.ResolveLatest("audio", c) == nil {
		r.planCreation(c, n)
		return
	}
	t := r.newTask("sound_to_video", "talking-picture")
	if t == nil {
		return
	}
	text := c.TakeQuotation()
	images := r.resolveMedia(c, "image")
	if text == "" {
		r.FillArguments(c, t)
		t.Args["prompt"] = "the person speaks to the camera, natural lip movement"
		if c.Contains("sing", "singing", "sings") {
			t.Args["prompt"] = "the person sings, natural lip movement"
		}
		t.Subject = firstLabel(images)
		if len(images) == 1 {
			t.SetMedia("sourceImageIndex", images...)
		}
		r.addForMedia(t, "audioSourceIndex", "audio", r.resolveMedia(c, "audio"))
		return
	}
	if len(images) == 0 {
		r.ask(t, "image", r.planner.Templates.AskForMedia("sound_to_video", "image"))
		return
	}
	voice := r.newTask("generate_speech", "speak")
	if voice == nil {
		return
	}
	voice.Args["prompt"], voice.Subject = text, text
	fillVoice(c, voice)
	r.addTask(voice)
	r.FillArguments(c, t)
	t.Args["prompt"] = "the person says the words, natural lip movement"
	t.Subject = text
	t.SetMedia("sourceImageIndex", images[0])
	t.SetMedia("audioSourceIndex", MediaRef{Task: voice})
	r.addTask(t)
}

func (r *Interpretation) planMusicVideo(c *token.Clause, n int) {
	sound := r.ResolveLatest("audio", c)
	if sound == nil && r.wantsNew(c, n) && !c.Contains("my", "this", "attached") && !c.Contains("music") {
		r.planCreation(c, n)
		return
	}
	t := r.newTask("sound_to_video", "music-video")
	if t == nil {
		return
	}
	refs := r.resolveMedia(c, "audio")
	if r.countAttached("image") > 0 || c.Contains("picture", "photo", "image") {
		if images := r.resolveMedia(c, "image"); len(images) == 1 {
			t.SetMedia("sourceImageIndex", images...)
		}
	}
	if v, ok := slot.TakeMoment(c); ok {
		t.Args["audioStart"] = v
	}
	r.FillArguments(c, t)
	c.Use(c.Start, c.Start+n)
	useLeadIn(c, "as", "use", "take", "for", "to", "this", "my", "the", "a", "an", "music", "with", "it", "me", "over", "of", "attached", "i", "sent",
		"that", "from", "into", "in", "and")
	t.Args["prompt"] = c.Unused(c.Start, c.End)
	if t.Args["prompt"] == "" {
		t.Args["prompt"] = "a music video that follows the mood of the sound"
		if label := firstLabel(refs); label != "" {
			t.Args["prompt"] = "a music video: " + label
		}
	}
	t.Subject = "your soundtrack"
	r.addForMedia(t, "audioSourceIndex", "audio", refs)
}
