package compose

import (
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// fillers are words without meaning for a model.
var fillers = []string{
	"very", "really", "extremely", "absolutely", "incredibly", "truly", "quite", "super", "just", "please", "kind of", "sort of", "masterpiece", "best quality", "ultra detailed", "highly detailed", "hyper detailed",
	"8k", "4k", "uhd", "award winning", "award-winning", "trending on artstation", "artstation", "unreal engine", "stunning", "amazing", "gorgeous", "breathtaking", "in order to", "that is", "which is", "there is", "there are", "as well as",
}

// compressed is the prompt in as few words as possible.
func (c *commission) compressed() string {
	most := 40
	if c.limits.maxWords > 0 {
		most = c.limits.maxWords
	}
	var out []string
	count := 0
	for _, chunk := range unique(chunks(bare(c.wish))) {
		words := strings.Fields(chunk)
		var kept []string
		for i := 0; i < len(words); {
			n := 0
			for _, f := range fillers {
				parts := strings.Fields(f)
				if i+len(parts) <= len(words) && slices.Equal(tokens(strings.Join(words[i:i+len(parts)], " ")), tokens(f)) {
					n = len(parts)
				}
			}
			if n > 0 {
				i += n
				continue
			}
			kept = append(kept, words[i])
			i++
		}
		if len(kept) == 0 {
			continue
		}
		if count+len(kept) > most {
			if count > 0 {
				c.warn("Left out to keep it short: %s.", cut(chunk, 80))
				continue
			}
			kept = kept[:most]
		}
		count += len(kept)
		out = append(out, strings.Join(kept, " "))
	}
	if style := c.args.text("style_prompt"); style != "" && !strings.Contains(strings.ToLower(c.wish), strings.ToLower(style)) {
		out = append(out, style)
	}
	out = append(out, c.additions()...)
	if len(out) == 0 {
		out = []string{c.wish}
	}
	return strings.Join(out, ", ")
}

// validate leaves the prompt unchanged, and lists its problems.
func (c *commission) validate() Result {
	prompt := c.args.verbatim("prompt")
	var issues []string
	add := func(when bool, text string) {
		if when {
			issues = append(issues, text)
		}
	}
	n := len(strings.Fields(prompt))
	day, night := findPhrase(c.reading.words, []string{"midday", "noon", "daylight", "sunny", "bright sunlight"}), findPhrase(c.reading.words, []string{"night", "midnight", "moonlit"})
	add(day >= 0 && night >= 0, "It asks for day and night at once.")
	add(findPhrase(c.reading.words, []string{"black and white", "monochrome"}) >= 0 && findPhrase(c.reading.words, []string{"colourful", "colorful", "vivid", "neon"}) >= 0, "It asks for black and white and for strong colour.")
	add(n < 4, "It is so short that the model decides almost everything.")
	add(n > 200, "It is longer than most models read to the end.")
	add(c.family == sentencesFamily && strings.Contains(prompt, "score_9"), "Score tags mean nothing to this model.")
	add(c.family == sentencesFamily && n > 12 && strings.Count(prompt, ",")*2 > n, "It is a list of tags, and this model reads sentences.")
	add((c.family == tagList || c.family == ponyList) && n > 75, "This model reads about 75 tokens; what comes last is lost.")
	add(c.family == moving && c.reading.lexicon.still(c.reading.words), "Nothing moves in it: say what happens and what the camera does.")
	add(c.family == editing && findPhrase(tokens(prompt), editVerbs) < 0, "It does not say what to change: begin with a verb such as add, remove or replace.")
	for _, a := range c.assets() {
		add(!strings.Contains(strings.ToLower(prompt), strings.ToLower(a.label)), "It does not mention the "+a.kind+" "+a.label+".")
	}
	if m := c.model; m != nil && m.Duration != nil {
		if s := c.args.number("duration_seconds"); s > 0 && (s < m.Duration.Min || s > m.Duration.Max) {
			add(true, m.Name+" renders "+formatNumber(m.Duration.Min)+" to "+formatNumber(m.Duration.Max)+" seconds, not "+formatNumber(s)+".")
		}
	}
	r := c.result(prompt, "")
	r.Output["valid"], r.Output["issues"] = len(issues) == 0, append([]string{}, issues...)
	return r
}

// still reports whether words describe neither movement nor a camera.
func (l *lexicon) still(words []string) bool {
	for _, w := range words {
		if strings.HasSuffix(w, "ing") && len(w) > 5 {
			return false
		}
	}
	verbs := []string{"walks", "runs", "moves", "turns", "flies", "falls", "rises", "opens", "dances", "swims", "drives", "looks", "jumps", "rolls", "drifts", "smiles", "waves", "spins", "flows", "pours", "blows", "climbs"}
	return findPhrase(words, verbs) < 0 && findPhrase(words, l.Said["camera"]) < 0
}

// payload is the prompt as the arguments of the tool that will render it. why says
// what had to be left out.
func (c *commission) payload(prompt, negative string) (tool string, args map[string]any, why string) {
	tool = c.args.text("destination_tool")
	if _, ok := c.engine.catalog.Tool(tool); !ok {
		tool = map[family]string{moving: "generate_video", editing: "edit_image", musical: "generate_music"}[c.family]
		if tool == "" {
			tool = "generate_image"
		}
		for _, a := range c.assets() {
			if a.role == "first_frame" && tool == "generate_video" {
				tool = "animate_photo"
			}
		}
	}
	t, ok := c.engine.catalog.Tool(tool)
	if !ok {
		return tool, map[string]any{"prompt": prompt}, ""
	}
	args = map[string]any{"prompt": prompt}
	set := func(name string, v any, given bool) {
		if _, takes := t.Argument(name); takes && given {
			args[name] = v
		}
	}
	for _, m := range c.engine.models[strings.ToLower(c.args.text("destination_model"))] {
		if m.Serves(tool) {
			set(t.Models.Argument, m.Selector(tool), true)
			break
		}
	}
	set("negativePrompt", negative, negative != "")
	set("duration", c.args.number("duration_seconds"), c.args.number("duration_seconds") > 0)
	set("aspectRatio", c.args.text("aspect_ratio"), ratio(c.args.text("aspect_ratio")) > 0)
	for range 4 { // refused arguments are left out, one at a time
		_, err := c.engine.catalog.Step(tool, args, catalog.Facts{})
		field := refusedField(err)
		if _, ours := args[field]; err == nil || !ours || field == "prompt" {
			return tool, args, why
		}
		delete(args, field)
		why = strings.TrimSpace(why + " " + toSentence(strings.TrimPrefix(err.Error(), "arguments."))) // the caller asked for it
	}
	return tool, args, why
}
