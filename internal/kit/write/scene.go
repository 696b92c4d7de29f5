package write

import (
	"cmp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

// subject is what every picture of a plan is about. It names no owner: a model
// does not know whose a thing is.
func (p *production) subject() string {
	s := prose.Unstopped(p.topic)
	for _, whose := range []string{"our ", "my ", "your "} {
		if rest, ok := strings.CutPrefix(s, whose); ok {
			return "the " + rest
		}
	}
	return s
}

// actor is who or what a brief is about, in the words before what it does: "a
// lighthouse keeper" of one who finds a message.
func (p *production) actor() string {
	words := strings.Fields(p.topic)
	if p.open || p.read.head < 0 || p.read.head >= len(words) || len(tokens(p.topic)) != len(words) {
		return p.subject()
	}
	return prose.Unstopped(strings.Join(words[:p.read.head+1], " "))
}

// about adds the subject to a scene that does not name it: "they dance" could be
// about anything.
func (p *production) about(scene string) string {
	first, _, _ := strings.Cut(scene, " ")
	if p.open || !slices.Contains([]string{"she", "he", "they", "it", "her", "his", "their", "its"}, strings.ToLower(first)) {
		return scene
	}
	return p.actor() + ": " + lower(scene)
}

// own is the reading of a scene that the brief describes: its place may differ from
// that of the others.
func (p *production) own(scene string) reading {
	if scene == "" || p.open {
		return p.read
	}
	r := p.rules.words.read(scene, p.look)
	if r.subject == p.rules.words.Other {
		r.subject = p.read.subject
	}
	return r
}

// lit is the light of all pictures of a plan, so that they match.
func (p *production) lit() string {
	c := &commission{rules: p.rules, args: p.args, reading: p.read, dice: dice(p.args)}
	return c.light()
}

// pictures are the prompts of so many pictures: the scenes that the brief
// describes, in order, or else views of its subject.
func (p *production) pictures(n int) []string {
	described := p.scenes(n)
	light := p.lit()
	c := &commission{rules: p.rules, args: p.args, reading: p.read, dice: dice(p.args)}
	tags := familyOf(draft.Arguments{"destination_model": p.args.Object("destination_models").Text("image")}, p.painter()) != draft.Sentences
	lens := c.lens()
	var out []string
	for i := range n {
		scene := p.about(described[i])
		if scene == "" {
			if scene = p.subject(); n > 1 {
				scene += ": " + p.view(i)
			}
		}
		rest := []string{p.look}
		switch {
		case p.open: // a template has an input for the style
		case described[i] != "":
			rest = append(rest, p.own(described[i]).lit(c.dice), lens)
		default:
			rest = append(rest, light, lens)
		}
		if p.read.mood != nil && !p.read.hasDecided("colour") {
			rest = append(rest, p.read.mood.Grade)
		}
		if tags {
			out = append(out, strings.Join(unique(append(chunks(strings.ReplaceAll(scene, ": ", ", ")), rest...)), ", "))
			continue
		}
		out = append(out, prose.Paragraph(append([]string{scene}, rest...)...))
	}
	return out
}

// painter is the image model that was asked for, if there is one.
func (p *production) painter() *catalog.Model {
	return p.rules.destination(draft.Arguments{"destination_model": p.args.Object("destination_models").Text("image"), "target_output": "image_prompt"})
}

// scenes are the descriptions of each scene in the brief, when it has several.
// Scenes that it leaves open are empty.
func (p *production) scenes(n int) []string {
	if len(p.described) < 2 || n < 2 {
		return make([]string, n)
	}
	out := spread(p.described, n)
	if p.open {
		for i := range out {
			if out[i] != "" {
				out[i] = "$inputs.scene_" + prose.Number(float64(i+1))
			}
		}
	}
	return out
}

// view is the i-th way to look at the subject.
func (p *production) view(i int) string {
	views := slices.Clone(p.read.subject.Views)
	if p.kind == "film" { // first show the place
		slices.SortStableFunc(views, func(a, b string) int { return rank(a) - rank(b) })
	}
	return views[i%len(views)]
}

func rank(view string) int {
	if strings.Contains(view, "wide") {
		return 0
	}
	return 1
}

// motions are the prompts of so many clips.
func (p *production) motions(n int) []string {
	described := p.scenes(n)
	var out []string
	for i := range n {
		s := p.own(described[i]).subject
		camera := s.Camera[i%len(s.Camera)]
		if p.read.hasDecided("camera") {
			camera = "as the scene asks, steady and unhurried"
		}
		what := p.about(described[i])
		if what == "" {
			what = p.subject()
		}
		out = append(out, prose.Paragraph(what, s.Motion[i%len(s.Motion)], "camera: "+camera))
	}
	return out
}

// score is the music of a plan in words.
func (p *production) score(s setup) string {
	return prose.Paragraph(s.Describe(), "music for "+p.actor())
}

// voice is what a narrator says in so many seconds.
func (p *production) voice(length float64) string {
	text := prose.Paragraph(p.described...)
	if words := strings.Fields(text); float64(len(words)) > length*wordsPerSecond {
		text = prose.Sentence(strings.Join(words[:max(1, int(length*wordsPerSecond))], " "))
	}
	return prose.Cut(cmp.Or(text, prose.Sentence(p.topic)), 4000)
}
