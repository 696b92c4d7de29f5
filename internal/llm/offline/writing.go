package offline

import (
	"math"
	"strings"
)

// planPromptEnhancement plans a better prompt: of a quotation, of what stands behind a colon,
// or of what the last picture was made from.
func (r *interpretation) planPromptEnhancement(c *clause) {
	t := r.newTask("enhance_prompt", "enhance")
	if t == nil {
		return
	}
	target, tool := "image_prompt", "generate_image"
	switch {
	case c.contains("video", "clip", "animation", "movie"):
		target, tool = "video_prompt", "generate_video"
	case c.contains("edit", "editing"):
		target, tool = "edit_prompt", "edit_image"
	}
	t.args["target_output"], t.args["destination_tool"] = target, tool
	t.args["destination_model"] = r.planner.guide.defaultModel(tool)
	if found, _ := r.planner.models.take(c, tool); found != nil {
		t.args["destination_model"], t.args["model_title"] = found.selector, found.model.Name
	}
	switch {
	case c.contains("shorter", "shorten", "compress"):
		t.args["prompt_mode"] = "compress"
	case c.contains("longer", "expand", "detailed", "full"):
		t.args["prompt_mode"] = "expand"
	}
	if v, ok := c.takeDuration(); ok {
		t.args["duration_seconds"] = t.clamp("duration_seconds", v, " seconds")
	}
	if ratio, ok := c.takeAspectRatio(target == "video_prompt"); ok {
		t.args["aspect_ratio"] = ratio
	}
	wish := c.takeQuotation()
	if wish == "" {
		wish = c.readAfterWord("prompt", "prompts")
	}
	if wish == "" && len(r.state.last) > 0 {
		wish = r.state.last[len(r.state.last)-1].subject
	}
	t.args["prompt"], t.subject = wish, wish
	r.addOrAsk(t, "prompt", "Which prompt should I improve? Put it in quotation marks.")
}

// readAfterWord is what stands behind a word: after a colon, to the end of the
// message; after for, about or of, to the end of the clause.
func (c *clause) readAfterWord(words ...string) string {
	for i := c.start; i < c.end; i++ {
		if !c.tokens[i].is(words...) {
			continue
		}
		for k := i + 1; k < min(len(c.tokens), i+6); k++ {
			switch {
			case c.tokens[k].is(":") && k+1 < len(c.tokens):
				text := strings.TrimSpace(c.source[c.tokens[k].end:])
				c.use(c.start, len(c.tokens))
				return text
			case k < c.end && c.tokens[k].is("for", "about", "of", "on", "that", "to") && k+1 < c.end:
				return trimFirstWords(c.unused(k+1, c.end), "a", "an", "the", "image", "picture", "video", "clip", "photo", "of", "about", "showing")
			}
		}
		return c.unused(i+1, c.end)
	}
	return ""
}

// planLyrics plans the words of a song.
func (r *interpretation) planLyrics(c *clause) {
	t := r.newTask("compose_lyrics", "lyrics")
	if t == nil {
		return
	}
	if v, ok := c.takeDuration(); ok {
		t.args["duration_seconds"] = t.clamp("duration_seconds", v, " seconds")
	}
	for i := c.start; i < c.end; i++ {
		if e := c.match(i, c.end, "language"); e != nil && i > c.start && (c.tokens[i-1].is("in") || i+1 < c.end && c.tokens[i+1].is("lyrics")) {
			t.args["language"] = strings.TrimPrefix(e.key, "other-")
			c.use(i, i+e.len)
			c.useBefore(i, "in")
		}
	}
	c.useClosing()
	for i := c.start; i < c.end; i++ { // lyrics for a sad country song about …
		if c.tokens[i].is("for") && i+1 < c.end {
			h := c.findNounPhrase(i + 1)
			if h.noun != nil && h.noun.attr("kind") == "audio" {
				d := c.excerpt(h.start, h.nounAt+h.noun.len)
				t.args["music_prompt"] = trimFirstWords(d, "a", "an", "the", "my")
				c.use(i, h.nounAt+h.noun.len)
			}
			break
		}
	}
	topic := ""
	for i := c.start; i < c.end; i++ {
		if c.tokens[i].is("about", "on", "for", "of") && !c.used[i] && i+1 < c.end {
			topic = c.unused(i+1, c.end)
			break
		}
	}
	if topic == "" {
		topic = c.takeQuotation()
	}
	topic = r.resolvePronoun(topic)
	if music, ok := t.args["music_prompt"].(string); ok && topic == "" {
		topic = music
	}
	t.args["prompt"], t.subject = topic, topic
	r.addOrAsk(t, "prompt", "What should the song be about?")
}

// scriptTypes are the types of script by their words.
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

// platforms are where clips are shown.
var platforms = []string{"tiktok", "youtube", "instagram", "facebook", "linkedin", "tv", "cinema", "snapchat"}

// planScript plans a script or storyboard.
func (r *interpretation) planScript(c *clause) {
	if e := c.peek("undoable", "code"); e != nil {
		r.refuse(e)
		return
	}
	t := r.newTask("compose_script", "script")
	if t == nil {
		return
	}
	for _, s := range scriptTypes {
		if c.contains(s.words...) && t.allows("script_type", s.name) {
			t.args["script_type"] = s.name
			break
		}
	}
	for _, p := range platforms {
		if c.contains(p) {
			t.args["platform"] = p
			break
		}
	}
	fillScenePlan(c, t)
	c.useClosing()
	if c.contains("markdown") {
		t.args["return_format"] = "markdown"
	} else if c.contains("json") {
		t.args["return_format"] = "json"
	}
	brief := ""
	for i := c.start; i < c.end; i++ {
		if (c.tokens[i].is("about", "for", "of", "on", "where", "showing") || c.tokens[i].is(":")) && !c.used[i] && i+1 < c.end {
			brief = c.unused(i+1, c.end)
			if c.tokens[i].is("for") && len(brief) < 4 {
				continue
			}
			break
		}
	}
	t.args["brief"], t.subject = brief, brief
	r.addOrAsk(t, "brief", "What should the script be about?")
}

// fillScenePlan reads length, number of scenes and shape of a plan.
func fillScenePlan(c *clause, t *task) {
	if v, ok := c.takeDuration(); ok {
		t.args["duration_seconds"] = t.clamp("duration_seconds", v, " seconds")
	}
	for i := c.start; i < c.end; i++ {
		v, n := c.matchNumber(i, c.end)
		if n > 0 && i+n < c.end && c.tokens[i+n].is("scene", "scenes", "shots", "parts", "panels", "pictures", "images", "frames") && v >= 1 {
			t.args["scene_count"] = math.Round(t.clamp("scene_count", v, ""))
			c.use(i, i+n+1)
			c.useBefore(i, "with", "in", "of", "and", "a")
			break
		}
	}
	if ratio, ok := c.takeAspectRatio(true); ok && t.allows("aspect_ratio", ratio) {
		t.args["aspect_ratio"] = ratio
	}
	if e := c.peek("style"); e != nil && t.hasArgument("style") {
		t.args["style"] = e.base
	}
}

// planArrangement plans the structure of an instrumental piece.
func (r *interpretation) planArrangement(c *clause) {
	t := r.newTask("compose_instrumental", "arrange")
	if t == nil {
		return
	}
	if v, ok := c.takeDuration(); ok {
		t.args["duration_seconds"] = t.clamp("duration_seconds", v, " seconds")
	}
	at := c.start
	if e := c.match(at, c.end, "verb"); e != nil {
		at += e.len
	}
	what := trimFirstWords(c.unused(at, c.end), "the", "a", "an", "structure", "arrangement", "form", "of", "for", "out")
	t.args["prompt"], t.subject = what, what
	r.addOrAsk(t, "prompt", "What should the piece be like?")
}

// planWorkflow plans a workflow, or says where its planner is.
func (r *interpretation) planWorkflow(c *clause) {
	t := r.newTask("compose_workflow", "workflow")
	if t == nil {
		return
	}
	r.fillWorkflow(c, t)
	t.args["brief"] = c.readBrief("workflow", "pipeline", "production", "campaign", "project")
	t.subject = t.args["brief"].(string)
	r.addOrAsk(t, "brief", "What should the workflow make?")
}

// planTemplate plans a reusable template.
func (r *interpretation) planTemplate(c *clause) {
	t := r.newTask("compose_workflow_template", "template")
	if t == nil {
		return
	}
	r.fillWorkflow(c, t)
	title := c.takeTitle()
	brief := c.readBrief("template", "workflow")
	if title == "" {
		title = makeTitle(brief)
	}
	t.args["brief"], t.subject = brief, brief
	if title != "" {
		t.args["name"] = title
	}
	r.addOrAsk(t, "brief", "What should the template make?")
}

func (r *interpretation) fillWorkflow(c *clause, t *task) {
	c.useClosing()
	fillScenePlan(c, t)
	if c.contains("music", "sound", "audio", "soundtrack", "song", "voiceover", "narration", "speech") {
		t.args["include_audio"] = true
	}
	if v, ok := c.takeNumber("budget", "most", "units"); ok && v >= 1 {
		t.args["max_estimated_capacity_units"] = math.Round(v)
	}
	models := map[string]any{}
	for _, k := range [][2]string{{"image", "generate_image"}, {"video", "animate_photo"}, {"music", "generate_music"}} {
		for i := c.start; i < c.end; i++ {
			if a, n := r.planner.models.findAt(c.text, i, c.end, k[1], r.planner.models.isDistinctive(c.tokens[i])); a != nil && !c.used[i] {
				models[k[0]] = a.selector
				c.useModelName(i, i+n)
				break
			}
		}
	}
	if len(models) > 0 {
		t.args["destination_models"] = models
	}
}

// readBrief is what a plan is for: what stands behind for, to, that or a colon.
func (c *clause) readBrief(nouns ...string) string {
	at := c.start
	for i := c.start; i < c.end; i++ {
		if c.tokens[i].is(nouns...) {
			at = i + 1
		}
	}
	if at == c.start {
		if e := c.match(at, c.end, "verb"); e != nil {
			at += e.len
		}
	}
	if at < len(c.tokens) && c.tokens[min(at, len(c.tokens)-1)].is(":") {
		text := strings.TrimSpace(c.source[c.tokens[at].end:])
		c.use(c.start, len(c.tokens))
		return text
	}
	return trimFirstWords(c.unused(at, c.end), "for", "to", "that", "which", "of", "about", "makes", "with", ":")
}

// takeTitle finds a name: called Portrait Maker, named "Ads".
func (c *clause) takeTitle() string {
	for i := c.start; i+1 < c.end; i++ {
		if !c.tokens[i].is("called", "named", "titled", "entitled", "name") {
			continue
		}
		at := i + 1
		if c.tokens[at].is("it", ":") && at+1 < c.end {
			at++
		}
		if c.tokens[at].kind == quotation {
			c.use(i, at+1)
			return truncate(c.tokens[at].text, 200)
		}
		end := at
		for end < c.end && c.tokens[end].kind == word && !c.matches(end, c.end, "prep") {
			end++
		}
		if end > at {
			c.use(i, end)
			return truncate(c.excerpt(at, end), 200)
		}
	}
	return ""
}

// makeTitle makes a title of the first words of a brief.
func makeTitle(brief string) string {
	words := strings.Fields(trimFirstWords(brief, "a", "an", "the"))
	title := strings.Trim(strings.Join(words[:min(5, len(words))], " "), ",.:;")
	if title == "" {
		return ""
	}
	return truncate(capitalize(title), 200)
}
