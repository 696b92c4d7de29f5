package plan

import (
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// planExtension plans a longer clip. Music and speech are made again instead.
func (r *Interpretation) planExtension(c *token.Clause, n int) {
	kind, refs := r.resolveKind(c, "video", "audio", "image")
	switch {
	case kind == "audio" && refs != nil:
		r.repeatRequest(c)
		return
	case kind == "image" && refs != nil:
		r.planOutpainting(c, n)
		return
	}
	t := r.newTask("extend_video", "extend")
	if t == nil {
		return
	}
	r.FillArguments(c, t)
	if t.Args["duration"] == nil {
		t.Args["duration"] = 5.0
	}
	c.Use(c.Start, c.Start+n)
	useLeadIn(c, "it", "the", "this", "that", "my", "by", "a", "make", "longer", "little", "bit", "with", "another", "to", "and", "so", "add", "more",
		"let", "seconds", "much", "for", "on", "where", "last", "first", "second", "of")
	if next := c.Unused(c.Start, c.End); next != "" {
		t.Args["prompt"] = next
	}
	r.addForMedia(t, "videoIndex", "video", refs)
}

func (r *Interpretation) planSegmentReplacement(c *token.Clause, n int) {
	part, ok := slot.TakeSpan(c)
	if !ok || c.Match(c.Start, c.End, "verb", "remove") != nil {
		r.planEdit(c, n)
		return
	}
	t := r.newTask("replace_video_segment", "replace-segment")
	if t == nil {
		return
	}
	c.UseClosing()
	t.Args["startSeconds"], t.Args["endSeconds"] = part.From, part.To
	if c.Contains("keep") && c.Contains("sound", "audio", "music") {
		t.Args["keepOriginalAudio"] = true
	}
	refs := r.resolveMedia(c, "video")
	argument := t.Tool.Models.Argument
	r.fillModel(c, t)
	if t.Args[argument] == nil {
		delete(t.Args, argument)
	}
	c.Use(c.Start, c.Start+n)
	useLeadIn(c, "show", "put", "insert", "have", "there", "should", "be", "make", "the", "seconds", "part", "section", "segment", "of", "in", "my",
		"this", "that", "with", "by", "into", "to", "it", "from", "between", "a", "scene", "so", "bit", "at")
	t.Args["prompt"] = c.Unused(c.Start, c.End)
	if t.Args["prompt"] == "" {
		r.ask(t, "prompt", "What should the new part of the clip show?")
		return
	}
	r.addForMedia(t, "videoIndex", "video", refs)
}
