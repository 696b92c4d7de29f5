package write

import (
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
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
				c.warn("Left out to keep it short: %s.", prose.Cut(chunk, 80))
				continue
			}
			kept = kept[:most]
		}
		count += len(kept)
		out = append(out, strings.Join(kept, " "))
	}
	if style := c.args.Text("style_prompt"); style != "" && !strings.Contains(strings.ToLower(c.wish), strings.ToLower(style)) {
		out = append(out, style)
	}
	out = append(out, c.additions()...)
	if len(out) == 0 {
		out = []string{c.wish}
	}
	return strings.Join(out, ", ")
}

// issues are the problems of a prompt.
func (c *commission) issues() (issues []string) {
	prompt := c.args.Verbatim("prompt")
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
	add(c.family == draft.Sentences && strings.Contains(prompt, "score_9"), "Score tags mean nothing to this model.")
	add(c.family == draft.Sentences && n > 12 && strings.Count(prompt, ",")*2 > n, "It is a list of tags, and this model reads sentences.")
	add((c.family == draft.Tags || c.family == draft.Pony) && n > 75, "This model reads about 75 tokens; what comes last is lost.")
	add(c.family == draft.Video && c.reading.lexicon.still(c.reading.words), "Nothing moves in it: say what happens and what the camera does.")
	add(c.family == draft.Editing && findPhrase(tokens(prompt), editVerbs) < 0, "It does not say what to change: begin with a verb such as add, remove or replace.")
	for _, a := range c.assets() {
		add(!strings.Contains(strings.ToLower(prompt), strings.ToLower(a.Label)), "It does not mention the "+a.Kind+" "+a.Label+".")
	}
	if m := c.model; m != nil && m.Duration != nil {
		if s := c.args.Number("duration_seconds"); s > 0 && (s < m.Duration.Min || s > m.Duration.Max) {
			add(true, m.Name+" renders "+prose.Number(m.Duration.Min)+" to "+prose.Number(m.Duration.Max)+" seconds, not "+prose.Number(s)+".")
		}
	}
	return issues
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
