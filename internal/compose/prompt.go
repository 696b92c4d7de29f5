package compose

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// commission builds a prompt: what was requested, for which model.
type commission struct {
	engine *Engine
	args   arguments
	reading
	model    *catalog.Model // nil when the catalog has none of that name
	family   family
	mode     string // preserve, expand, compress, validate or payload
	limits   limits
	dice     *rand.Rand
	warnings []string
}

// enough is from how many words on nothing is added to a prompt.
const enough = 45

func (e *Engine) commission(a arguments) *commission {
	c := &commission{engine: e, args: a, dice: a.dice(), mode: a.text("prompt_mode"), limits: readLimits(a.object("constraints"))}
	c.reading = e.words.read(a.text("prompt"), a.text("style_prompt"), c.limits.text())
	c.model = e.destination(a)
	c.family = familyOf(a, c.model)
	if c.model == nil {
		c.warn("destination_model %q is not in the catalog, so the prompt follows the general manner of %s prompts.", cut(a.text("destination_model"), 60), c.family)
	}
	if c.mode == "auto" || c.mode == "" {
		if c.mode = "expand"; len(strings.Fields(c.wish)) > enough {
			c.mode = "preserve"
		}
	}
	return c
}

// destination finds the model that a prompt is for. Of several with one
// selector, it is the one for the tool or the kind of output that is wanted.
func (e *Engine) destination(a arguments) *catalog.Model {
	list := e.models[strings.ToLower(a.text("destination_model"))]
	if len(list) == 0 {
		return nil
	}
	tool := a.text("destination_tool")
	if tool == "" {
		tool = map[string]string{"image_prompt": "generate_image", "video_prompt": "generate_video", "edit_prompt": "edit_image"}[a.text("target_output")]
	}
	for _, m := range list {
		if m.Serves(tool) {
			return m
		}
	}
	return list[0]
}

// promptByRules runs enhance_prompt by rules.
func (e *Engine) promptByRules(a arguments) Result {
	c := e.commission(a)
	switch c.mode {
	case "validate":
		return c.validate()
	case "preserve":
		return c.result(c.preserved(), c.negative())
	case "compress":
		return c.result(c.compressed(), c.negative())
	}
	return c.result(c.expanded(), c.negative())
}

// promptFromModel is enhance_prompt from the words of a model.
func (e *Engine) promptFromModel(a arguments, x answer) (Result, error) {
	c := e.commission(a)
	if c.mode == "validate" { // the rules check a prompt; a model is not needed
		return c.validate(), nil
	}
	text := strings.TrimSpace(x.text("prompt"))
	switch {
	case text == "":
		return Result{}, improve("prompt must not be empty")
	case len([]rune(text)) > maxPrompt:
		return Result{}, improve("prompt must have at most %d characters, not %d", maxPrompt, len([]rune(text)))
	case c.mode == "compress" && len(strings.Fields(text)) > len(strings.Fields(c.wish))+10:
		return Result{}, improve("prompt must be shorter than the caller's, which has %d words", len(strings.Fields(c.wish)))
	}
	for _, asset := range c.assets() {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(asset.label)) {
			return Result{}, improve("prompt must mention the asset %q by its label", asset.label)
		}
	}
	c.warnings = append(c.warnings, x.texts("notes")...)
	return c.result(text, orText(strings.TrimSpace(x.text("negative_prompt")), c.negative())), nil
}

// maxPrompt bounds the characters of a prompt.
const maxPrompt = 4000

// result is a prompt with what belongs to it.
func (c *commission) result(prompt, negative string) Result {
	if short := cut(prompt, maxPrompt); short != prompt && c.mode != "validate" {
		c.warn("The prompt is cut to %d characters.", maxPrompt)
		prompt = short
	}
	out := map[string]any{"prompt": prompt}
	if negative != "" {
		out["negative_prompt"] = negative
	}
	if c.mode == "payload" {
		tool, args, why := c.payload(prompt, negative)
		if why != "" {
			c.warn("%s", why)
		}
		out["payload"] = map[string]any{"tool": tool, "arguments": args}
	}
	r := success(prompt, out)
	r.Warnings, r.Metadata = c.warnings, c.metadata(prompt)
	return r
}

func (c *commission) metadata(prompt string) map[string]any {
	m := map[string]any{
		"target_output": c.args.text("target_output"), "destination_model": c.args.text("destination_model"), "prompting_type": string(c.family),
		"prompt_mode": c.mode, "subject": c.subject.Name, "words": len(strings.Fields(prompt)),
	}
	if c.model != nil {
		m["model_id"], m["model_title"] = c.model.ID, orText(c.args.text("model_title"), c.model.Name)
	}
	return m
}

// expanded is the prompt with everything that it leaves open and its model can use.
func (c *commission) expanded() string {
	switch c.family {
	case tagList, ponyList:
		return c.tagged()
	case moving:
		return c.moved()
	case editing:
		return c.edited()
	case musical:
		return c.scored()
	}
	return paragraph(append([]string{c.subjectLine(), c.shape(), c.pick("composition", c.subject.Composition), c.light(), c.lens(), c.detail(), c.air(), c.feeling()}, c.additions()...)...)
}

// preserved is the prompt in its own words; only the other arguments add to it.
func (c *commission) preserved() string {
	wish := c.args.verbatim("prompt")
	if c.family == tagList || c.family == ponyList {
		return strings.Join(unique(append(c.lead(), append(chunks(wish), append(chunks(c.args.text("style_prompt")), c.additions()...)...)...)), ", ")
	}
	if style := c.args.text("style_prompt"); style != "" && !strings.Contains(strings.ToLower(wish), strings.ToLower(style)) {
		wish = toSentence(wish) + " " + toSentence(style)
	}
	rest := paragraph(c.additions()...)
	return strings.TrimSpace(strings.TrimSpace(wish) + " " + rest)
}

// subjectLine is the prompt without its polite opening, in its style.
func (c *commission) subjectLine() string {
	wish := unstopped(bare(c.wish))
	if style := unstopped(c.args.text("style_prompt")); style != "" && !strings.Contains(strings.ToLower(wish), strings.ToLower(style)) {
		if strings.ContainsAny(wish, ".!?") {
			return toSentence(wish) + " " + toSentence(style)
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
	if c.hasDecided("composition") && c.args.text("aspect_ratio") == "" {
		return ""
	}
	switch r := ratio(c.args.text("aspect_ratio")); {
	case r == 0:
		return ""
	case r < 0.8:
		return "vertical " + c.args.text("aspect_ratio") + " frame that uses its full height"
	case r > 2:
		return "very wide " + c.args.text("aspect_ratio") + " frame with the weight on one side"
	case r > 1.2:
		return "wide " + c.args.text("aspect_ratio") + " frame"
	}
	return "square frame"
}
