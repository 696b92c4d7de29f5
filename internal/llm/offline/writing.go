package offline

import (
	"math"
	"strings"
)

// enhance plans a better prompt: of a quotation, of what stands behind a colon,
// or of what the last picture was made from.
func (r *reading) enhance(c *clause) {
	t := r.task("enhance_prompt", "enhance")
	if t == nil {
		return
	}
	target, tool := "image_prompt", "generate_image"
	switch {
	case c.says("video", "clip", "animation", "movie"):
		target, tool = "video_prompt", "generate_video"
	case c.says("edit", "editing"):
		target, tool = "edit_prompt", "edit_image"
	}
	t.args["target_output"], t.args["destination_tool"] = target, tool
	t.args["destination_model"] = r.m.guide.defaultModel(tool)
	if found, _ := r.m.naming.takeModel(c, tool); found != nil {
		t.args["destination_model"], t.args["model_title"] = found.selector, found.model.Name
	}
	switch {
	case c.says("shorter", "shorten", "compress"):
		t.args["prompt_mode"] = "compress"
	case c.says("longer", "expand", "detailed", "full"):
		t.args["prompt_mode"] = "expand"
	}
	if v, ok := c.takeLength(); ok {
		t.args["duration_seconds"] = t.bounded("duration_seconds", v, " seconds")
	}
	if ratio, ok := c.takeRatio(target == "video_prompt"); ok {
		t.args["aspect_ratio"] = ratio
	}
	wish := c.takeQuote()
	if wish == "" {
		wish = c.behind("prompt", "prompts")
	}
	if wish == "" && len(r.s.last) > 0 {
		wish = r.s.last[len(r.s.last)-1].about
	}
	t.args["prompt"], t.about = wish, wish
	r.need(t, "prompt", "Which prompt should I improve? Put it in quotation marks.")
}

// behind is what stands behind a word: after a colon, to the end of the
// message; after for, about or of, to the end of the clause.
func (c *clause) behind(words ...string) string {
	for i := c.start; i < c.to; i++ {
		if !c.tokens[i].is(words...) {
			continue
		}
		for k := i + 1; k < min(len(c.tokens), i+6); k++ {
			switch {
			case c.tokens[k].is(":") && k+1 < len(c.tokens):
				text := strings.TrimSpace(c.src[c.tokens[k].to:])
				c.use(c.start, len(c.tokens))
				return text
			case k < c.to && c.tokens[k].is("for", "about", "of", "on", "that", "to") && k+1 < c.to:
				return dropFirst(c.rest(k+1, c.to), "a", "an", "the", "image", "picture", "video", "clip", "photo", "of", "about", "showing")
			}
		}
		return c.rest(i+1, c.to)
	}
	return ""
}

// lyrics plans the words of a song.
func (r *reading) lyrics(c *clause) {
	t := r.task("compose_lyrics", "lyrics")
	if t == nil {
		return
	}
	if v, ok := c.takeLength(); ok {
		t.args["duration_seconds"] = t.bounded("duration_seconds", v, " seconds")
	}
	for i := c.start; i < c.to; i++ {
		if e := c.entry(i, c.to, "language"); e != nil && i > c.start && (c.tokens[i-1].is("in") || i+1 < c.to && c.tokens[i+1].is("lyrics")) {
			t.args["language"] = strings.TrimPrefix(e.key, "other-")
			c.use(i, i+e.words)
			c.absorb(i, "in")
		}
	}
	c.takeTails()
	for i := c.start; i < c.to; i++ { // lyrics for a sad country song about …
		if c.tokens[i].is("for") && i+1 < c.to {
			h := c.head(i + 1)
			if h.noun != nil && h.noun.attr("kind") == "audio" {
				d := c.words(h.from, h.at+h.noun.words)
				t.args["music_prompt"] = dropFirst(d, "a", "an", "the", "my")
				c.use(i, h.at+h.noun.words)
			}
			break
		}
	}
	topic := ""
	for i := c.start; i < c.to; i++ {
		if c.tokens[i].is("about", "on", "for", "of") && !c.used[i] && i+1 < c.to {
			topic = c.rest(i+1, c.to)
			break
		}
	}
	if topic == "" {
		topic = c.takeQuote()
	}
	topic = r.antecedent(topic)
	if music, ok := t.args["music_prompt"].(string); ok && topic == "" {
		topic = music
	}
	t.args["prompt"], t.about = topic, topic
	r.need(t, "prompt", "What should the song be about?")
}

// scripts are the types of script by their words.
var scripts = []struct {
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

// script plans a script or storyboard.
func (r *reading) script(c *clause) {
	if e := c.peek("undoable", "code"); e != nil {
		r.undoable(e)
		return
	}
	t := r.task("compose_script", "script")
	if t == nil {
		return
	}
	for _, s := range scripts {
		if c.says(s.words...) && t.allowed("script_type", s.name) {
			t.args["script_type"] = s.name
			break
		}
	}
	for _, p := range platforms {
		if c.says(p) {
			t.args["platform"] = p
			break
		}
	}
	fillPlan(c, t)
	c.takeTails()
	if c.says("markdown") {
		t.args["return_format"] = "markdown"
	} else if c.says("json") {
		t.args["return_format"] = "json"
	}
	brief := ""
	for i := c.start; i < c.to; i++ {
		if (c.tokens[i].is("about", "for", "of", "on", "where", "showing") || c.tokens[i].is(":")) && !c.used[i] && i+1 < c.to {
			brief = c.rest(i+1, c.to)
			if c.tokens[i].is("for") && len(brief) < 4 {
				continue
			}
			break
		}
	}
	t.args["brief"], t.about = brief, brief
	r.need(t, "brief", "What should the script be about?")
}

// fillPlan reads length, number of scenes and shape of a plan.
func fillPlan(c *clause, t *task) {
	if v, ok := c.takeLength(); ok {
		t.args["duration_seconds"] = t.bounded("duration_seconds", v, " seconds")
	}
	for i := c.start; i < c.to; i++ {
		v, n := c.amount(i, c.to)
		if n > 0 && i+n < c.to && c.tokens[i+n].is("scene", "scenes", "shots", "parts", "panels", "pictures", "images", "frames") && v >= 1 {
			t.args["scene_count"] = math.Round(t.bounded("scene_count", v, ""))
			c.use(i, i+n+1)
			c.absorb(i, "with", "in", "of", "and", "a")
			break
		}
	}
	if ratio, ok := c.takeRatio(true); ok && t.allowed("aspect_ratio", ratio) {
		t.args["aspect_ratio"] = ratio
	}
	if e := c.peek("style"); e != nil && t.takes("style") {
		t.args["style"] = e.one
	}
}

// arrange plans the structure of an instrumental piece.
func (r *reading) arrange(c *clause) {
	t := r.task("compose_instrumental", "arrange")
	if t == nil {
		return
	}
	if v, ok := c.takeLength(); ok {
		t.args["duration_seconds"] = t.bounded("duration_seconds", v, " seconds")
	}
	at := c.start
	if e := c.entry(at, c.to, "verb"); e != nil {
		at += e.words
	}
	what := dropFirst(c.rest(at, c.to), "the", "a", "an", "structure", "arrangement", "form", "of", "for", "out")
	t.args["prompt"], t.about = what, what
	r.need(t, "prompt", "What should the piece be like?")
}

// workflow plans a workflow, or says where its planner is.
func (r *reading) workflow(c *clause) {
	t := r.task("compose_workflow", "workflow")
	if t == nil {
		return
	}
	r.plan(c, t)
	t.args["brief"] = c.brief("workflow", "pipeline", "production", "campaign", "project")
	t.about = t.args["brief"].(string)
	r.need(t, "brief", "What should the workflow make?")
}

// template plans a reusable template.
func (r *reading) template(c *clause) {
	t := r.task("compose_workflow_template", "template")
	if t == nil {
		return
	}
	r.plan(c, t)
	title := c.takeTitle()
	brief := c.brief("template", "workflow")
	if title == "" {
		title = titleOf(brief)
	}
	t.args["brief"], t.about = brief, brief
	if title != "" {
		t.args["name"] = title
	}
	r.need(t, "brief", "What should the template make?")
}

func (r *reading) plan(c *clause, t *task) {
	c.takeTails()
	fillPlan(c, t)
	if c.says("music", "sound", "audio", "soundtrack", "song", "voiceover", "narration", "speech") {
		t.args["include_audio"] = true
	}
	if v, ok := c.takeValue("budget", "most", "units"); ok && v >= 1 {
		t.args["max_estimated_capacity_units"] = math.Round(v)
	}
	models := map[string]any{}
	for _, k := range [][2]string{{"image", "generate_image"}, {"video", "animate_photo"}, {"music", "generate_music"}} {
		for i := c.start; i < c.to; i++ {
			if a, n := r.m.naming.at(c.text, i, c.to, k[1], r.m.naming.telling(c.tokens[i])); a != nil && !c.used[i] {
				models[k[0]] = a.selector
				c.takeName(i, i+n)
				break
			}
		}
	}
	if len(models) > 0 {
		t.args["destination_models"] = models
	}
}

// brief is what a plan is for: what stands behind for, to, that or a colon.
func (c *clause) brief(nouns ...string) string {
	at := c.start
	for i := c.start; i < c.to; i++ {
		if c.tokens[i].is(nouns...) {
			at = i + 1
		}
	}
	if at == c.start {
		if e := c.entry(at, c.to, "verb"); e != nil {
			at += e.words
		}
	}
	if at < len(c.tokens) && c.tokens[min(at, len(c.tokens)-1)].is(":") {
		text := strings.TrimSpace(c.src[c.tokens[at].to:])
		c.use(c.start, len(c.tokens))
		return text
	}
	return dropFirst(c.rest(at, c.to), "for", "to", "that", "which", "of", "about", "makes", "with", ":")
}

// takeTitle finds a name: called Portrait Maker, named "Ads".
func (c *clause) takeTitle() string {
	for i := c.start; i+1 < c.to; i++ {
		if !c.tokens[i].is("called", "named", "titled", "entitled", "name") {
			continue
		}
		at := i + 1
		if c.tokens[at].is("it", ":") && at+1 < c.to {
			at++
		}
		if c.tokens[at].kind == quote {
			c.use(i, at+1)
			return cut(c.tokens[at].low, 200)
		}
		end := at
		for end < c.to && c.tokens[end].kind == word && !c.has(end, c.to, "prep") {
			end++
		}
		if end > at {
			c.use(i, end)
			return cut(c.words(at, end), 200)
		}
	}
	return ""
}

// titleOf makes a title of the first words of a brief.
func titleOf(brief string) string {
	words := strings.Fields(dropFirst(brief, "a", "an", "the"))
	title := strings.Trim(strings.Join(words[:min(5, len(words))], " "), ",.:;")
	if title == "" {
		return ""
	}
	return cut(capital(title), 200)
}
