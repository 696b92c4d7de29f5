package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/answer"
	"github.com/atelier-project/atelier/internal/kit/talk/intent"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// takeDetail takes a clause that adds to a request of the same message: it should be night, use krea, make it fluffy.
func (r *Interpretation) takeDetail(c *token.Clause) bool {
	if r.completeQuestion(c) {
		return true
	}
	t := r.lastTask()
	if t == nil || c.Then || c.Bullet {
		return false
	}
	made := t.Act == "make" || t.Act == "speak"
	first := c.Tokens[c.Start]
	next := token.Token{}
	if c.Start+1 < c.End {
		next = c.Tokens[c.Start+1]
	}
	a, _ := intent.Recognize(r.planner.rules, c)
	plainEdit := a == "" || a == "edit" || a == "make" || a == "style" || a == "refine" || a == "angle" || a == "repeat" || a == "extend"
	switch {
	case first.Is("it", "they", "he", "she", "there") && next.Is("should", "must", "is", "has", "needs", "are", "have", "looks", "can", "will",
		"shouldn't"):
	case first.Is("it's", "they're", "he's", "she's"):
	case first.Is("the", "its", "his", "all") && c.Contains("should", "must", "needs", "shouldn't") && a == "":
	case first.Is("use", "using") && a == "" && (r.planner.namesModel(c, t) || c.Peek("other-model") != nil):
	case c.Tokens[c.Start].Is("make") && next.Is("sure") || first.Is("ensure"):
	case made && c.Match(c.Start, c.End, "verb", "make", "set") != nil && next.Is("it", "them", "the") && plainEdit && !changesMediaKind(c, t):
	case made && c.Match(c.Start, c.End, "verb", "add") != nil && (a == "edit" || a == "overlay" && t.OutputKind() == "image") && !next.Is("it", "this"):
	case a == "" && intent.IsDetail(c):
	default:
		return false
	}
	r.amend(t, c)
	return true
}

// completeQuestion takes a clause as what a request of the same message lacks: make a picture. It should show a
// library.
func (r *Interpretation) completeQuestion(c *token.Clause) bool {
	n := len(r.Questions)
	if n == 0 || r.Questions[n-1].slot != "prompt" || c.Bullet || intent.IsQuestion(c) {
		return false
	}
	if a, _ := intent.Recognize(r.planner.rules, c); a != "" && a != "style" && a != "edit" || c.NamesMedia(c.Start, c.End, true) {
		return false
	}
	t := r.Questions[n-1].task
	r.FillArguments(c, t)
	text := readAddition(c)
	if text == "" {
		return true // only values
	}
	t.Args["prompt"], t.Subject = text, ""
	r.Questions = r.Questions[:n-1]
	r.addTask(t)
	return true
}

// namesModel reports whether a clause names a model of a task's tool. It marks nothing as used.
func (p *Planner) namesModel(c *token.Clause, t *Task) bool {
	for i := c.Start; i < c.End; i++ {
		if a, _ := p.models().FindAt(c.Text, i, c.End, t.Tool.Name, true); a != nil {
			return true
		}
	}
	return false
}

// changesMediaKind reports whether a change needs another kind of media: making a picture move needs a clip.
func changesMediaKind(c *token.Clause, t *Task) bool {
	return t.OutputKind() == "image" && (c.Peek("moving") != nil || c.Peek("bigger") != nil)
}

// takeListItem takes a list item as a request of its own: draw these: …
func (r *Interpretation) takeListItem(c *token.Clause) bool {
	if !c.Bullet {
		return false
	}
	a, _ := intent.Recognize(r.planner.rules, c)
	if a != "" && a != "style" && !c.NamesMedia(c.Start, c.End, true) {
		return false
	}
	var base *Task
	if n := len(r.Questions); n > 0 && r.Questions[n-1].slot == "prompt" && r.Questions[n-1].task.Act == "make" {
		base = r.Questions[n-1].task
		r.Questions = r.Questions[:n-1]
		base.Act = "list"
	} else if t := r.lastTask(); t != nil && t.Act == "list" {
		base = t
	}
	if base == nil {
		return false
	}
	t := base.clone()
	delete(t.Args, "numberOfVariations")
	r.FillArguments(c, t)
	t.Args["prompt"] = c.Unused(c.Start, c.End)
	t.Subject = t.Args["prompt"].(string)
	if t.Subject != "" {
		r.addTask(t)
	}
	return true
}

// takeReply takes a clause as the answer to a question of the turn before.
func (r *Interpretation) takeReply(c *token.Clause) bool {
	w := r.state.Pending
	if w == nil || !r.isEmpty() || len(r.unresolved) > 0 {
		return false
	}
	if a, _ := intent.Recognize(r.planner.rules, c); a != "" && !(w.slot == "prompt" && a == "style") || intent.IsQuestion(c) {
		r.state.Pending = nil
		return false
	}
	r.state.Pending = nil
	t := w.task.clone()
	switch w.slot {
	case "image", "video", "audio":
		refs := r.resolveMedia(c, w.slot)
		if refs == nil && w.slot == "image" && c.End-c.Start >= 2 && w.task.Act == "animate" {
			r.planVideo(c, slot.NounPhrase{Start: c.Start})
			return true
		}
		r.addForMedia(t, w.argument, w.slot, refs)
	case "dance":
		if name := takeDance(c, t); name != "" {
			t.Args["dance"] = name
			r.addOrAsk(t, "dance", "")
			return true
		}
		r.ask(t, "dance", "There is no such dance. There are "+answer.ListChoices(t.Tool, "dance")+".")
	case "text":
		text := c.TakeQuotation()
		if text == "" {
			text = c.Unused(c.Start, c.End)
		}
		if list, ok := t.Args["overlays"].([]any); ok && len(list) == 1 {
			over := map[string]any{"kind": "text", "text": text}
			if before, ok := list[0].(map[string]any); ok {
				if p, given := before["position"]; given {
					over["position"] = p
				}
			}
			t.Args["overlays"], t.Subject = []any{over}, text
		}
		r.addForMedia(t, "sourceVideoIndex", "video", r.resolveMedia(c, "video"))
	default:
		r.FillArguments(c, t)
		if e := c.Match(c.Start, c.End, "surprise"); e != nil && t.OutputKind() != "" {
			t.Args[w.slot] = r.planner.Templates.PickIdea(c.Source)
			r.addOrAsk(t, w.slot, w.Text)
			return true
		}
		text := c.TakeQuotation()
		if text == "" || t.Tool.Name != "generate_speech" {
			text = strings.TrimSpace(c.Unused(c.Start, c.End) + map[bool]string{true: " " + text}[text != ""])
		}
		t.Args[w.slot], t.Subject = text, text
		if name, ok := t.Args["name"].(string); t.Tool.Name == "compose_workflow_template" && (!ok || name == "") {
			t.Args["name"] = makeTitle(text)
		}
		r.addOrAsk(t, w.slot, w.Text)
	}
	return true
}
