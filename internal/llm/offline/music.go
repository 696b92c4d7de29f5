package offline

import "strings"

// fillMusic reads tempo, key and time.
func fillMusic(c *clause, t *task) {
	if v, ok := c.takeTempo(); ok {
		t.args["bpm"] = t.bounded("bpm", v, " beats a minute")
	}
	if key := c.takeKey(); key != "" {
		t.args["keyscale"] = key
	}
	if v, ok := c.takeTime(); ok && t.allowed("timesig", v) {
		t.args["timesig"] = v
	}
}

// takeTempo finds beats a minute: at 90 bpm, tempo of 120.
func (c *clause) takeTempo() (float64, bool) {
	for i := c.start; i < c.to; i++ {
		if c.used[i] || c.tokens[i].kind != number {
			continue
		}
		end := i + 1
		switch {
		case end < c.to && c.tokens[end].is("bpm"):
			end++
		case end+2 < c.to && c.tokens[end].is("beats") && c.tokens[end+1].is("per", "a") && c.tokens[end+2].is("minute"):
			end += 3
		default:
			continue
		}
		c.use(i, end)
		c.absorb(i, "at", "with", "a", "tempo", "of", "around", "about", "and", "is", "the")
		return c.tokens[i].value, true
	}
	return c.takeValue("tempo", "bpm")
}

// takeKey finds a key: in A minor, in the key of C sharp major.
func (c *clause) takeKey() string {
	for i := c.start; i+1 < c.to; i++ {
		tok := c.tokens[i]
		if c.used[i] || tok.kind != word || len(tok.low) != 1 || tok.low[0] > 'g' {
			continue
		}
		end, sign := i+1, ""
		switch {
		case c.tokens[end].is("#", "sharp", "♯"):
			end, sign = end+1, "#"
		case c.tokens[end].is("flat", "♭"):
			end, sign = end+1, "b"
		}
		if end >= c.to || !c.tokens[end].is("major", "minor", "maj", "min") {
			continue
		}
		scale := "major"
		if strings.HasPrefix(c.tokens[end].low, "min") {
			scale = "minor"
		}
		c.use(i, end+1)
		c.absorb(i, "in", "the", "key", "of", "and", "with", "a")
		return strings.ToUpper(tok.low) + sign + " " + scale
	}
	return ""
}

// takeTime finds the beats in a bar: 3/4, in 6/8 time.
func (c *clause) takeTime() (float64, bool) {
	for i := c.start; i+2 < c.to; i++ {
		if c.used[i] || c.tokens[i].kind != number || !c.tokens[i+1].is("/") || c.tokens[i+2].kind != number {
			continue
		}
		if beats := c.tokens[i+2].value; beats != 4 && beats != 8 && beats != 2 {
			continue
		}
		end := i + 3
		for end < c.to && c.tokens[end].is("time", "signature", "beat") {
			end++
		}
		c.use(i, end)
		c.absorb(i, "in", "a", "with", "and", "the")
		return c.tokens[i].value, true
	}
	return 0, false
}

// makeMusic plans music without words.
func (r *reading) makeMusic(c *clause, h head) {
	t := r.task("generate_music", "make")
	if t == nil {
		return
	}
	c.take("vocal", "none")
	r.fill(c, t)
	t.args["prompt"] = c.describe(h)
	r.need(t, "prompt", "What should the music be like? A few words are enough, such as calm piano or fast rock with drums.")
}

// makeSong plans a song: its words first, unless they are given.
func (r *reading) makeSong(c *clause, h head) {
	if c.peek("vocal", "none") != nil {
		r.makeMusic(c, h)
		return
	}
	t := r.task("generate_music", "make")
	if t == nil {
		return
	}
	words := c.takeLyrics()
	c.take("vocal", "some")
	r.fill(c, t)
	d := c.description(h)
	style, topic := styled(d)
	topic = r.antecedent(dropFirst(topic, "for"))
	kind := "song"
	if h.noun != nil && h.noun.attr("of") == "song" {
		kind = h.noun.one
	}
	switch {
	case words != "":
		t.args["lyrics"] = words
	case topic == "":
		r.ask(t, "prompt", "What should the song be about?")
		return
	}
	manner := strings.TrimSpace(style + " " + kind)
	t.args["prompt"], t.about = manner, manner
	if topic != "" {
		t.args["prompt"], t.about = manner+" about "+topic, manner+" about "+topic
	}
	if words == "" && r.can("compose_lyrics") {
		w := r.insert("compose_lyrics", "lyrics")
		w.args["prompt"] = topic
		w.about = topic
		if manner != "song" {
			w.args["music_prompt"] = manner
		}
		if v, ok := t.args["duration"].(float64); ok {
			w.args["duration_seconds"] = v
		}
		if e := c.peek("language"); e != nil {
			w.args["language"] = strings.TrimPrefix(e.key, "other-")
		}
		t.lyrics = w
	} else if words == "" {
		t.note("It has no words: compose_lyrics, which writes them, is not among the tools of this request.")
	}
	r.add(t)
}

// antecedent is what a description that is only a pronoun stands for.
func (r *reading) antecedent(s string) string {
	switch strings.ToLower(s) {
	case "it", "this", "that", "them", "him", "her", "the same", "the same thing":
		if t := r.base(); t != nil && t.label() != "" {
			return t.label()
		}
	}
	return s
}

// styled parts the manner of a song from what it is about: "a jazz song about
// rain" has its manner before the noun, "a song about rain in the style of
// jazz" behind.
func styled(d description) (style, topic string) {
	style, topic = d.before, d.rest
	low := strings.ToLower(topic)
	for _, cue := range []string{", in the style of ", " in the style of ", " in a ", ", "} {
		i := strings.LastIndex(low, cue)
		if i < 0 || cue == " in a " && !strings.HasSuffix(low, " style") {
			continue
		}
		style = tidy(style + " " + strings.TrimSuffix(topic[i+len(cue):], " style"))
		topic = topic[:i]
		break
	}
	return tidy(style), tidy(topic)
}

// takeLyrics finds words to sing: a quotation with some length, or what stands
// behind "lyrics:".
func (c *clause) takeLyrics() string {
	for i := c.start; i < c.to; i++ {
		if c.tokens[i].kind == quote && (strings.ContainsRune(c.tokens[i].low, '\n') || strings.Count(c.tokens[i].low, " ") >= 3 || c.says("lyrics", "words", "text")) {
			c.use(i, i+1)
			c.absorb(i, "the", "lyrics", "these", "with", "words", ":", "following", "text", "are", "and", "a", "singing", "that", "goes")
			return c.tokens[i].low
		}
	}
	for i := c.start; i+2 < len(c.tokens); i++ {
		if c.tokens[i].is("lyrics", "words") && c.tokens[i+1].is(":") && i < c.to {
			text := strings.TrimSpace(c.src[c.tokens[i+1].to:])
			c.use(i, len(c.tokens))
			c.absorb(i, "the", "these", "with", "following", "my")
			return text
		}
	}
	return ""
}
