package plan

import (
	"math"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// planPromptEnhancement plans a better prompt: for a quotation, for the text after a colon, or for the last picture.
func (r *Interpretation) planPromptEnhancement(c *token.Clause, _ int) {
	t := r.newTask("enhance_prompt", "enhance")
	if t == nil {
		return
	}
	target, tool := "image_prompt", "generate_image"
	switch {
	case c.Contains("video", "clip", "animation", "movie"):
		target, tool = "video_prompt", "generate_video"
	case c.Contains("edit", "editing"):
		target, tool = "edit_prompt", "edit_image"
	}
	t.Args["target_output"], t.Args["destination_tool"] = target, tool
	t.Args["destination_model"] = r.planner.Guide.DefaultModel(tool)
	if found, _ := r.planner.models().Take(c, tool); found != nil {
		t.Args["destination_model"], t.Args["model_title"] = found.Selector, found.Model.Name
	}
	switch {
	case c.Contains("shorter", "shorten", "compress"):
		t.Args["prompt_mode"] = "compress"
	case c.Contains("longer", "expand", "detailed", "full"):
		t.Args["prompt_mode"] = "expand"
	}
	fillDuration(c, t, "duration_seconds")
	if ratio, ok := slot.TakeAspectRatio(c, target == "video_prompt"); ok {
		t.Args["aspect_ratio"] = ratio
	}
	wish := c.TakeQuotation()
	if wish == "" {
		wish = readAfterWord(c, "prompt", "prompts")
	}
	if wish == "" && len(r.state.Last) > 0 {
		wish = r.state.Last[len(r.state.Last)-1].Subject
	}
	t.Args["prompt"], t.Subject = wish, wish
	r.addOrAsk(t, "prompt", "Which prompt should I improve? Put it in quotation marks.")
}

// readAfterWord returns what follows a word: after a colon, to the end of the message; after for, about or of, to the
// end of the clause.
func readAfterWord(c *token.Clause, words ...string) string {
	for i := c.Start; i < c.End; i++ {
		if !c.Tokens[i].Is(words...) {
			continue
		}
		for k := i + 1; k < min(len(c.Tokens), i+6); k++ {
			switch {
			case c.Tokens[k].Is(":") && k+1 < len(c.Tokens):
				text := strings.TrimSpace(c.Source[c.Tokens[k].End:])
				c.Use(c.Start, len(c.Tokens))
				return text
			case k < c.End && c.Tokens[k].Is("for", "about", "of", "on", "that", "to") && k+1 < c.End:
				return token.TrimFirstWords(c.Unused(k+1, c.End), "a", "an", "the", "image", "picture", "video", "clip", "photo", "of", "about", "showing")
			}
		}
		return c.Unused(i+1, c.End)
	}
	return ""
}

func (r *Interpretation) planLyrics(c *token.Clause, _ int) {
	t := r.newTask("compose_lyrics", "lyrics")
	if t == nil {
		return
	}
	fillDuration(c, t, "duration_seconds")
	for i := c.Start; i < c.End; i++ {
		if e := c.Match(i, c.End, "language"); e != nil && i > c.Start && (c.Tokens[i-1].Is("in") || i+1 < c.End && c.Tokens[i+1].Is("lyrics")) {
			t.Args["language"] = strings.TrimPrefix(e.Key, "other-")
			c.Use(i, i+e.Len)
			c.UseBefore(i, "in")
		}
	}
	c.UseClosing()
	for i := c.Start; i < c.End; i++ { // lyrics for a sad country song about …
		if c.Tokens[i].Is("for") && i+1 < c.End {
			h := slot.FindNounPhrase(c, i+1)
			if h.Noun != nil && h.Noun.Attr("kind") == "audio" {
				d := c.Excerpt(h.Start, h.NounAt+h.Noun.Len)
				t.Args["music_prompt"] = token.TrimFirstWords(d, "a", "an", "the", "my")
				c.Use(i, h.NounAt+h.Noun.Len)
			}
			break
		}
	}
	topic := ""
	for i := c.Start; i < c.End; i++ {
		if c.Tokens[i].Is("about", "on", "for", "of") && !c.Used[i] && i+1 < c.End {
			topic = c.Unused(i+1, c.End)
			break
		}
	}
	if topic == "" {
		topic = c.TakeQuotation()
	}
	topic = r.resolvePronoun(topic)
	if music, ok := t.Args["music_prompt"].(string); ok && topic == "" {
		topic = music
	}
	t.Args["prompt"], t.Subject = topic, topic
	r.addOrAsk(t, "prompt", "What should the song be about?")
}

var scriptTypes = []struct {
	name  string
	words []string
}{
	{"storyboard", []string{"storyboard", "storyboards"}},
	{"screenplay", []string{"screenplay", "screenplays", "film", "movie"}},
	{"trailer", []string{"trailer", "teaser"}},
	{"ad_script", []string{"ad", "advert", "advertisement", "commercial", "promo"}},
	{"social_short", []string{"tiktok", "reel", "reels", "short", "shorts", "instagram"}},
	{"talking_head", []string{"talking"}},
	{"campaign", []string{"campaign"}},
	{"video_prompt", []string{"shot"}},
}

var platforms = []string{"tiktok", "youtube", "instagram", "facebook", "linkedin", "tv", "cinema", "snapchat"}

func (r *Interpretation) planScript(c *token.Clause, _ int) {
	if e := c.Peek("unsupported", "code"); e != nil {
		r.refuse(e)
		return
	}
	t := r.newTask("compose_script", "script")
	if t == nil {
		return
	}
	for _, s := range scriptTypes {
		if c.Contains(s.words...) && t.allows("script_type", s.name) {
			t.Args["script_type"] = s.name
			break
		}
	}
	for _, p := range platforms {
		if c.Contains(p) {
			t.Args["platform"] = p
			break
		}
	}
	fillScenePlan(c, t)
	c.UseClosing()
	if c.Contains("markdown") {
		t.Args["return_format"] = "markdown"
	} else if c.Contains("json") {
		t.Args["return_format"] = "json"
	}
	brief := ""
	for i := c.Start; i < c.End; i++ {
		if (c.Tokens[i].Is("about", "for", "of", "on", "where", "showing") || c.Tokens[i].Is(":")) && !c.Used[i] && i+1 < c.End {
			brief = c.Unused(i+1, c.End)
			if c.Tokens[i].Is("for") && len(brief) < 4 {
				continue
			}
			break
		}
	}
	t.Args["brief"], t.Subject = brief, brief
	r.addOrAsk(t, "brief", "What should the script be about?")
}

// fillScenePlan reads duration, number of scenes, aspect ratio and style.
func fillScenePlan(c *token.Clause, t *Task) {
	fillDuration(c, t, "duration_seconds")
	for i := c.Start; i < c.End; i++ {
		v, n := c.MatchNumber(i, c.End)
		if n > 0 && i+n < c.End && c.Tokens[i+n].Is("scene", "scenes", "shots", "parts", "panels", "pictures", "images", "frames") && v >= 1 {
			t.Args["scene_count"] = math.Round(t.clamp("scene_count", v, ""))
			c.Use(i, i+n+1)
			c.UseBefore(i, "with", "in", "of", "and", "a")
			break
		}
	}
	if ratio, ok := slot.TakeAspectRatio(c, true); ok && t.allows("aspect_ratio", ratio) {
		t.Args["aspect_ratio"] = ratio
	}
	if e := c.Peek("style"); e != nil && t.HasArgument("style") {
		t.Args["style"] = e.Base
	}
}

func (r *Interpretation) planArrangement(c *token.Clause, _ int) {
	t := r.newTask("compose_instrumental", "arrange")
	if t == nil {
		return
	}
	fillDuration(c, t, "duration_seconds")
	at := c.Start
	if e := c.Match(at, c.End, "verb"); e != nil {
		at += e.Len
	}
	what := token.TrimFirstWords(c.Unused(at, c.End), "the", "a", "an", "structure", "arrangement", "form", "of", "for", "out")
	t.Args["prompt"], t.Subject = what, what
	r.addOrAsk(t, "prompt", "What should the piece be like?")
}

func (r *Interpretation) planWorkflow(c *token.Clause, _ int) {
	t := r.newTask("compose_workflow", "workflow")
	if t == nil {
		return
	}
	r.fillWorkflow(c, t)
	t.Args["brief"] = readBrief(c, "workflow", "pipeline", "production", "campaign", "project")
	t.Subject = t.Args["brief"].(string)
	r.addOrAsk(t, "brief", "What should the workflow make?")
}

func (r *Interpretation) planTemplate(c *token.Clause, _ int) {
	t := r.newTask("compose_workflow_template", "template")
	if t == nil {
		return
	}
	r.fillWorkflow(c, t)
	title := takeTitle(c)
	brief := readBrief(c, "template", "workflow")
	if title == "" {
		title = makeTitle(brief)
	}
	t.Args["brief"], t.Subject = brief, brief
	if title != "" {
		t.Args["name"] = title
	}
	r.addOrAsk(t, "brief", "What should the template make?")
}

func (r *Interpretation) fillWorkflow(c *token.Clause, t *Task) {
	c.UseClosing()
	fillScenePlan(c, t)
	if c.Contains("music", "sound", "audio", "soundtrack", "song", "voiceover", "narration", "speech") {
		t.Args["include_audio"] = true
	}
	if v, ok := slot.TakeNumber(c, "budget", "most", "units"); ok && v >= 1 {
		t.Args["max_estimated_capacity_units"] = math.Round(v)
	}
	models := map[string]any{}
	for _, k := range [][2]string{{"image", "generate_image"}, {"video", "animate_photo"}, {"music", "generate_music"}} {
		for i := c.Start; i < c.End; i++ {
			if a, n := r.planner.models().FindAt(c.Text, i, c.End, k[1], r.planner.models().IsDistinctive(c.Tokens[i])); a != nil && !c.Used[i] {
				models[k[0]] = a.Selector
				slot.UseModelName(c, i, i+n)
				break
			}
		}
	}
	if len(models) > 0 {
		t.Args["destination_models"] = models
	}
}

// readBrief returns what a workflow is for: what follows for, to, that or a colon.
func readBrief(c *token.Clause, nouns ...string) string {
	at := c.Start
	for i := c.Start; i < c.End; i++ {
		if c.Tokens[i].Is(nouns...) {
			at = i + 1
		}
	}
	if at == c.Start {
		if e := c.Match(at, c.End, "verb"); e != nil {
			at += e.Len
		}
	}
	if at < len(c.Tokens) && c.Tokens[min(at, len(c.Tokens)-1)].Is(":") {
		text := strings.TrimSpace(c.Source[c.Tokens[at].End:])
		c.Use(c.Start, len(c.Tokens))
		return text
	}
	return token.TrimFirstWords(c.Unused(at, c.End), "for", "to", "that", "which", "of", "about", "makes", "with", ":")
}

// takeTitle finds a title: called Portrait Maker, named "Ads".
func takeTitle(c *token.Clause) string {
	for i := c.Start; i+1 < c.End; i++ {
		if !c.Tokens[i].Is("called", "named", "titled", "entitled", "name") {
			continue
		}
		at := i + 1
		if c.Tokens[at].Is("it", ":") && at+1 < c.End {
			at++
		}
		if c.Tokens[at].Kind == token.Quotation {
			c.Use(i, at+1)
			return phrase.Truncate(c.Tokens[at].Text, 200)
		}
		end := at
		for end < c.End && c.Tokens[end].Kind == token.Word && !c.Matches(end, c.End, "prep") {
			end++
		}
		if end > at {
			c.Use(i, end)
			return phrase.Truncate(c.Excerpt(at, end), 200)
		}
	}
	return ""
}

func makeTitle(brief string) string {
	words := strings.Fields(token.TrimFirstWords(brief, "a", "an", "the"))
	title := strings.Trim(strings.Join(words[:min(5, len(words))], " "), ",.:;")
	if title == "" {
		return ""
	}
	return phrase.Truncate(phrase.Capitalize(title), 200)
}
