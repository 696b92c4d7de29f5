package offline

import (
	"github.com/atelier-project/atelier/internal/llm/offline/slot"
	"github.com/atelier-project/atelier/internal/llm/offline/token"
)

// planTalkingPicture plans a picture that speaks or sings: to a sound that is there, or to
// words that are spoken first.
func (r *interpretation) planTalkingPicture(c *token.Clause, n int) {
	if r.wantsNew(c, n) && c.CountQuotations() == 0 && r.resolveLatest("audio", c) == nil {
		r.planCreation(c, n)
		return
	}
	t := r.newTask("sound_to_video", "talking")
	if t == nil {
		return
	}
	text := c.TakeQuotation()
	images := r.resolveMedia(c, "image")
	if text == "" {
		r.fillArguments(c, t)
		t.args["prompt"] = "the person speaks to the camera, natural lip movement"
		if c.Contains("sing", "singing", "sings") {
			t.args["prompt"] = "the person sings, natural lip movement"
		}
		t.subject = firstLabel(images)
		if len(images) == 1 {
			t.setMedia("sourceImageIndex", images...)
		}
		r.addForMedia(t, "audioSourceIndex", "audio", r.resolveMedia(c, "audio"))
		return
	}
	if len(images) == 0 {
		r.ask(t, "image", r.planner.templates.AskForMedia("sound_to_video", "image"))
		return
	}
	voice := r.newTask("generate_speech", "speak")
	if voice == nil {
		return
	}
	voice.args["prompt"], voice.subject = text, text
	fillVoice(c, voice)
	r.addTask(voice)
	r.fillArguments(c, t)
	t.args["prompt"] = "the person says the words, natural lip movement"
	t.subject = text
	t.setMedia("sourceImageIndex", images[0])
	t.setMedia("audioSourceIndex", mediaRef{task: voice})
	r.addTask(t)
}

// planMusicVideo plans a clip that follows a soundtrack.
func (r *interpretation) planMusicVideo(c *token.Clause, n int) {
	sound := r.resolveLatest("audio", c)
	if sound == nil && r.wantsNew(c, n) && !c.Contains("my", "this", "attached") && !c.Contains("music") {
		r.planCreation(c, n)
		return
	}
	t := r.newTask("sound_to_video", "musicvideo")
	if t == nil {
		return
	}
	refs := r.resolveMedia(c, "audio")
	if r.countAttached("image") > 0 || c.Contains("picture", "photo", "image") {
		if images := r.resolveMedia(c, "image"); len(images) == 1 {
			t.setMedia("sourceImageIndex", images...)
		}
	}
	if v, ok := slot.TakeMoment(c); ok {
		t.args["audioStart"] = v
	}
	r.fillArguments(c, t)
	c.Use(c.Start, c.Start+n)
	useLeadIn(c, "as", "use", "take", "for", "to", "this", "my", "the", "a", "an", "music", "with", "it", "me", "over", "of", "attached", "i", "sent",
		"that", "from", "into", "in", "and")
	t.args["prompt"] = c.Unused(c.Start, c.End)
	if t.args["prompt"] == "" {
		t.args["prompt"] = "a music video that follows the mood of the sound"
		if label := firstLabel(refs); label != "" {
			t.args["prompt"] = "a music video: " + label
		}
	}
	t.subject = "your soundtrack"
	r.addForMedia(t, "audioSourceIndex", "audio", refs)
}
