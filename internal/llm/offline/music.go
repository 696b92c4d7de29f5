package offline

import "strings"

// fillMusic reads tempo, key and time.
func fillMusic(c *clause, t *task) {
	if v, ok := c.takeTempo(); ok {
		t.args["bpm"] = t.clamp("bpm", v, " beats a minute")
	}
	if key := c.takeKey(); key != "" {
		t.args["keyscale"] = key
	}
	if v, ok := c.takeTimeSignature(); ok && t.allows("timesig", v) {
		t.args["timesig"] = v
	}
}

// takeTempo finds beats a minute: at 90 bpm, tempo of 120.
func (c *clause) takeTempo() (float64, bool) {
	for i := c.start; i < c.end; i++ {
		if c.used[i] || c.tokens[i].kind != number {
			continue
		}
		end := i + 1
		switch {
		case end < c.end && c.tokens[end].is("bpm"):
			end++
		case end+2 < c.end && c.tokens[end].is("beats") && c.tokens[end+1].is("per", "a") && c.tokens[end+2].is("minute"):
			end += 3
		default:
			continue
		}
		c.use(i, end)
		c.useBefore(i, "at", "with", "a", "tempo", "of", "around", "about", "and", "is", "the")
		return c.tokens[i].value, true
	}
	return c.takeNumber("tempo", "bpm")
}

// takeKey finds a key: in A minor, in the key of C sharp major.
func (c *clause) takeKey() string {
	for i := c.start; i+1 < c.end; i++ {
		tok := c.tokens[i]
		if c.used[i] || tok.kind != word || len(tok.text) != 1 || tok.text[0] > 'g' {
			continue
		}
		end, sign := i+1, ""
		switch {
		case c.tokens[end].is("#", "sharp", "♯"):
			end, sign = end+1, "#"
		case c.tokens[end].is("flat", "♭"):
			end, sign = end+1, "b"
		}
		if end >= c.end || !c.tokens[end].is("major", "minor", "maj", "min") {
			continue
		}
		scale := "major"
		if strings.HasPrefix(c.tokens[end].text, "min") {
			scale = "minor"
		}
		c.use(i, end+1)
		c.useBefore(i, "in", "the", "key", "of", "and", "with", "a")
		return strings.ToUpper(tok.text) + sign + " " + scale
	}
	return ""
}

// takeTimeSignature finds the beats in a bar: 3/4, in 6/8 time.
func (c *clause) takeTimeSignature() (float64, bool) {
	for i := c.start; i+2 < c.end; i++ {
		if c.used[i] || c.tokens[i].kind != number || !c.tokens[i+1].is("/") || c.tokens[i+2].kind != number {
			continue
		}
		if beats := c.tokens[i+2].value; beats != 4 && beats != 8 && beats != 2 {
			continue
		}
		end := i + 3
		for end < c.end && c.tokens[end].is("time", "signature", "beat") {
			end++
		}
		c.use(i, end)
		c.useBefore(i, "in", "a", "with", "and", "the")
		return c.tokens[i].value, true
	}
	return 0, false
}

// planMusic plans music without words.
func (r *interpretation) planMusic(c *clause, h nounPhrase) {
	t := r.newTask("generate_music", "make")
	if t == nil {
		return
	}
	c.take("vocal", "none")
	r.fillArguments(c, t)
	t.args["prompt"] = c.readPrompt(h)
	r.addOrAsk(t, "prompt", "What should the music be like? A few words are enough, such as calm piano or fast rock with drums.")
}

// planSong plans a song: its words first, unless they are given.
func (r *interpretation) planSong(c *clause, h nounPhrase) {
	if c.peek("vocal", "none") != nil {
		r.planMusic(c, h)
		return
	}
	t := r.newTask("generate_music", "make")
	if t == nil {
		return
	}
	words := c.takeLyrics()
	c.take("vocal", "some")
	r.fillArguments(c, t)
	d := c.readDescription(h)
	style, topic := splitStyle(d)
	topic = r.resolvePronoun(trimFirstWords(topic, "for"))
	kind := "song"
	if h.noun != nil && h.noun.attr("of") == "song" {
		kind = h.noun.base
	}
	switch {
	case words != "":
		t.args["lyrics"] = words
	case topic == "":
		r.ask(t, "prompt", "What should the song be about?")
		return
	}
	manner := strings.TrimSpace(style + " " + kind)
	t.args["prompt"], t.subject = manner, manner
	if topic != "" {
		t.args["prompt"], t.subject = manner+" about "+topic, manner+" about "+topic
	}
	if words == "" && r.canCall("compose_lyrics") {
		w := r.addNewTask("compose_lyrics", "lyrics")
		w.args["prompt"] = topic
		w.subject = topic
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
		t.addNote("It has no words: compose_lyrics, which writes them, is not among the tools of this request.")
	}
	r.addTask(t)
}

// resolvePronoun is what a description that is only a pronoun stands for.
func (r *interpretation) resolvePronoun(s string) string {
	switch strings.ToLower(s) {
	case "it", "this", "that", "them", "him", "her", "the same", "the same thing":
		if t := r.lastRequest(); t != nil && t.label() != "" {
			return t.label()
		}
	}
	return s
}

// splitStyle parts the manner of a song from what it is about: "a jazz song about
// rain" has its manner before the noun, "a song about rain in the style of
// jazz" behind.
func splitStyle(d description) (style, topic string) {
	style, topic = d.modifiers, d.rest
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
	for i := c.start; i < c.end; i++ {
		if c.tokens[i].kind == quotation && (strings.ContainsRune(c.tokens[i].text, '\n') || strings.Count(c.tokens[i].text, " ") >= 3 || c.contains("lyrics", "words", "text")) {
			c.use(i, i+1)
			c.useBefore(i, "the", "lyrics", "these", "with", "words", ":", "following", "text", "are", "and", "a", "singing", "that", "goes")
			return c.tokens[i].text
		}
	}
	for i := c.start; i+2 < len(c.tokens); i++ {
		if c.tokens[i].is("lyrics", "words") && c.tokens[i+1].is(":") && i < c.end {
			text := strings.TrimSpace(c.source[c.tokens[i+1].end:])
			c.use(i, len(c.tokens))
			c.useBefore(i, "the", "these", "with", "following", "my")
			return text
		}
	}
	return ""
}
