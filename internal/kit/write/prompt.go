package write

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

// commission builds a prompt: what was requested, for which model.
type commission struct {
	rules *Rules
	args  draft.Arguments
	reading
	model    *catalog.Model // nil when the catalog has none of that name
	family   draft.Family
	mode     string // preserve, expand, compress, validate or payload
	limits   limits
	dice     *rand.Rand
	warnings []string
}

// enough is from how many words on nothing is added to a prompt.
const enough = 45

func (rules *Rules) commission(a draft.Arguments) *commission {
	c := &commission{rules: rules, args: a, dice: dice(a), mode: a.Text("prompt_mode"), limits: readLimits(a.Object("constraints"))}
	c.reading = rules.words.read(a.Text("prompt"), a.Text("style_prompt"), c.limits.text())
	c.model = rules.destination(a)
	c.family = familyOf(a, c.model)
	if c.mode == "auto" || c.mode == "" {
		if c.mode = "expand"; len(strings.Fields(c.wish)) > enough {
			c.mode = "preserve"
		}
	}
	return c
}

// destination finds the model that a prompt is for. Of several with one
// selector, it is the one for the tool or the kind of output that is wanted.
func (rules *Rules) destination(a draft.Arguments) *catalog.Model {
	list := rules.catalog.ModelsNamed(a.Text("destination_model"))
	if len(list) == 0 {
		return nil
	}
	tool := a.Text("destination_tool")
	if tool == "" {
		tool = map[string]string{"image_prompt": "generate_image", "video_prompt": "generate_video", "edit_prompt": "edit_image"}[a.Text("target_output")]
	}
	for _, m := range list {
		if m.Serves(tool) {
			return m
		}
	}
	return list[0]
}

// WritePrompt writes a prompt.
func (rules *Rules) WritePrompt(a draft.Arguments) draft.Prompt {
	c := rules.commission(a)
	out := draft.Prompt{Model: c.model, Family: c.family, Mode: c.mode, Subject: c.subject.Name}
	for _, asset := range c.assets() {
		out.Assets = append(out.Assets, asset.Asset)
	}
	if c.mode == "validate" {
		out.Text, out.Issues = a.Verbatim("prompt"), c.issues()
		return out
	}
	switch c.mode {
	case "preserve":
		out.Text = c.preserved()
	case "compress":
		out.Text = c.compressed()
	default:
		out.Text = c.expanded()
	}
	out.Negative, out.Warnings = c.negative(), c.warnings
	return out
}

// expanded is the prompt with everything that it leaves open and its model can use.
func (c *commission) expanded() string {
	switch c.family {
	case draft.Tags, draft.Pony:
		return c.tagged()
	case draft.Video:
		return c.moved()
	case draft.Editing:
		return c.edited()
	case draft.Music:
		return c.scored()
	}
	return prose.Paragraph(append([]string{c.subjectLine(), c.shape(), c.pick("composition", c.subject.Composition), c.light(), c.lens(), c.detail(), c.air(), c.feeling()}, c.additions()...)...)
}

// preserved is the prompt in its own words; only the other arguments add to it.
func (c *commission) preserved() string {
	wish := c.args.Verbatim("prompt")
	if c.family == draft.Tags || c.family == draft.Pony {
		return strings.Join(unique(append(c.lead(), append(chunks(wish), append(chunks(c.args.Text("style_prompt")), c.additions()...)...)...)), ", ")
	}
	if style := c.args.Text("style_prompt"); style != "" && !strings.Contains(strings.ToLower(wish), strings.ToLower(style)) {
		wish = prose.Sentence(wish) + " " + prose.Sentence(style)
	}
	rest := prose.Paragraph(c.additions()...)
	return strings.TrimSpace(strings.TrimSpace(wish) + " " + rest)
}

// subjectLine is the prompt without its polite opening, in its style.
func (c *commission) subjectLine() string {
	wish := prose.Unstopped(bare(c.wish))
	if style := prose.Unstopped(c.args.Text("style_prompt")); style != "" && !strings.Contains(strings.ToLower(wish), strings.ToLower(style)) {
		if strings.ContainsAny(wish, ".!?") {
			return prose.Sentence(wish) + " " + prose.Sentence(style)
		}
		wish += ", " + lower(style)
	}
	return wish
}

// pick chooses a fragment for an aspect that the caller left open.
func (c *commission) pick(aspect string, list []string) string {
	if aspect != "" && c.hasDecided(aspect) {
		return ""
	}
	return pick(c.dice, slices.DeleteFunc(slices.Clone(list), c.refused))
}

// light is the setting's, or else the subject's.
func (c *commission) light() string {
	switch {
	case c.setting != nil:
		return c.pick("light", c.setting.Light)
	case c.isArtwork() && c.subject.Name != "graphic":
		return c.pick("light", []string{"light from one clear direction that models the forms", "soft even light with a gentle accent on the focal point"})
	}
	return c.pick("light", c.subject.Light)
}

// lens is for photographs.
func (c *commission) lens() string {
	if c.isArtwork() {
		return ""
	}
	return c.pick("lens", c.subject.Lens)
}

func (c *commission) detail() string {
	if c.isArtwork() {
		return c.pick("", []string{c.manner.Detail})
	}
	return c.pick("", c.subject.Detail)
}

func (c *commission) air() string {
	if c.setting == nil || c.setting.Air == "" {
		return ""
	}
	return c.pick("", []string{c.setting.Air})
}

// feeling is the mood that the caller named, with fitting colours, or else one that
// suits the subject.
func (c *commission) feeling() string {
	if c.hasDecided("mood") {
		return ""
	}
	if c.mood == nil {
		return c.pick("", c.subject.Mood)
	}
	if c.hasDecided("colour") {
		return c.mood.Phrase
	}
	return c.mood.Phrase + ", in " + c.mood.Grade
}

// shape is the advice for a tall or wide frame.
func (c *commission) shape() string {
	if c.hasDecided("composition") && c.args.Text("aspect_ratio") == "" {
		return ""
	}
	switch r := c.args.Ratio("aspect_ratio"); {
	case r == 0:
		return ""
	case r < 0.8:
		return "vertical " + c.args.Text("aspect_ratio") + " frame that uses its full height"
	case r > 2:
		return "very wide " + c.args.Text("aspect_ratio") + " frame with the weight on one side"
	case r > 1.2:
		return "wide " + c.args.Text("aspect_ratio") + " frame"
	}
	return "square frame"
}
