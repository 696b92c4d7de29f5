package offline

import "strings"

// fillVoice reads the language and the voice of speech.
func fillVoice(c *clause, t *task) {
	fillLanguage(c, t)
	a, ok := t.tool.Argument("voice")
	if !ok {
		return
	}
	for i := c.start; i < c.to; i++ {
		for _, v := range a.Enum {
			name, _ := v.(string)
			words := lex(strings.ReplaceAll(name, "_", " "))
			if c.used[i] || !c.follow(i, words) || !c.voiced(i, i+len(words)) {
				continue
			}
			end := i + len(words)
			for end < c.to && c.tokens[end].is("s", "'s", "voice") {
				end++
			}
			t.args["voice"] = name
			c.use(i, end)
			c.absorb(i, "in", "with", "using", "use", "by", "as", "the", "voice", "of", "named", "called", "speaker", "a")
			return
		}
		if c.tokens[i].kind == word && strings.HasSuffix(c.tokens[i].low, "'s") && i+1 < c.to && c.tokens[i+1].is("voice") {
			if name := strings.ReplaceAll(strings.TrimSuffix(c.tokens[i].low, "'s"), " ", "_"); t.allowed("voice", name) {
				t.args["voice"] = name
				c.use(i, i+2)
				c.absorb(i, "in", "with", "using", "use")
				return
			}
		}
	}
	fillManner(c, t)
}

// voiced reports whether a name stands where voices do, rather than in what is
// to be said.
func (c *clause) voiced(from, to int) bool {
	return from > c.start && c.tokens[from-1].is("by", "as", "using", "use", "of", "voice", "with", "named", "speaker", ":") || to < c.to &&
		c.tokens[to].is("voice", "reads", "says")
}

// fillLanguage reads the language: in German, with a French voice.
func fillLanguage(c *clause, t *task) {
	for i := c.start; i < c.to; i++ {
		e := c.entry(i, c.to, "language")
		if e == nil || c.used[i] {
			continue
		}
		led := i > c.start && c.tokens[i-1].is("in", "speak", "speaking", "a", "into", "to", "language", ":")
		if !led && !(i+1 < c.to && c.tokens[i+1].is("voice", "accent", "speech", "language")) {
			continue
		}
		if other, found := strings.CutPrefix(e.key, "other-"); found {
			t.note("There is no voice for " + strings.ToUpper(other[:1]) + other[1:] + " here, so it is read as well as the voice can.")
		} else {
			t.args["language"] = e.key
		}
		if i+1 < c.to && c.tokens[i+1].is("voice", "accent") {
			return // the words stay for the manner of the voice
		}
		c.use(i, i+e.words)
		c.absorb(i, "in", "speak", "speaking", "into", "language", ":", "it")
		return
	}
}

// Voices for those who only say whether a man or a woman should speak.
var genders = map[string]string{"male": "ryan", "female": "serena"}

// fillManner reads how a voice sounds: in a deep male voice, whispering.
func fillManner(c *clause, t *task) {
	at := -1
	for i := c.start; i < c.to; i++ {
		if c.tokens[i].is("voice", "tone", "accent") && !c.used[i] {
			at = i
			break
		}
	}
	if at < 0 {
		for i := c.start; i+2 < c.to; i++ { // like a radio announcer
			if e := c.entry(i+2, c.to, "manner"); e != nil && c.tokens[i].is("like", "as") && c.tokens[i+1].is("a", "an") && !c.used[i] {
				t.args["voiceDescription"] = c.words(i+1, i+2+e.words)
				c.use(i, i+2+e.words)
				return
			}
		}
		if e := c.peek("manner"); e != nil && strings.HasPrefix(e.one, "whisper") {
			c.take("manner", "manner")
			t.args["voiceDescription"] = "a whispering voice"
		}
		return
	}
	from, gender, manner := at, "", false
	for from > c.start && !c.used[from-1] {
		i := from - 1
		if e := c.entry(i, c.to, "gender"); e != nil {
			gender = e.key
		} else if c.has(i, c.to, "manner", "language") || c.tokens[i].is("pitched", "and", ",", "very", "slightly") {
			manner = true
		} else if !c.tokens[i].is("a", "an", "the") {
			break
		}
		from = i
		if c.tokens[i].is("a", "an", "the") {
			break
		}
	}
	words := dropFirst(strings.ToLower(c.words(from, at)), "a", "an", "the")
	switch {
	case words == "":
		return
	case manner:
		t.args["voiceDescription"] = "a " + words + " " + c.tokens[at].low
		if strings.ContainsRune("aeiou", rune(words[0])) {
			t.args["voiceDescription"] = "an " + words + " " + c.tokens[at].low
		}
	case gender != "" && t.allowed("voice", genders[gender]):
		t.args["voice"] = genders[gender]
	default:
		return
	}
	c.use(from, at+1)
	c.absorb(from, "in", "with", "using", "use", "by")
}

// speak plans speech: quoted text, or what stands behind the verb.
func (r *reading) speak(c *clause, n int) {
	if r.echoes(c, n) {
		return
	}
	t := r.task("generate_speech", "speak")
	if t == nil {
		return
	}
	text := c.takeQuote()
	c.use(c.start, c.start+n)
	if c.says("my", "this", "recording", "clone", "same") && c.says("voice", "recording") && r.latest("audio", c) != nil {
		if refs := r.refs(c, "audio"); len(refs) == 1 {
			t.address("voiceSourceIndex", refs...)
			for i := c.start; i < c.to; i++ {
				if c.tokens[i].is("voice", "recording") {
					c.use(i, i+1)
					c.absorb(i, "my", "this", "the", "in", "with", "using", "of", "same", "voice", "clone", "attached")
				}
			}
		}
	}
	r.fill(c, t)
	if text == "" {
		text = c.spoken()
	}
	if limit, ok := t.tool.Argument("prompt"); ok && limit.MaxLength > 0 && len([]rune(text)) > limit.MaxLength {
		text = string([]rune(text)[:limit.MaxLength])
		t.note("The text is longer than one reading may be, so it stops early.")
	}
	t.args["prompt"] = text
	t.about = text
	r.need(t, "prompt", "Which text should be spoken? Put it in quotation marks.")
}

// takeQuote finds the first quotation.
func (c *clause) takeQuote() string {
	for i := c.start; i < c.to; i++ {
		if c.tokens[i].kind == quote && !c.used[i] {
			c.use(i, i+1)
			return c.tokens[i].low
		}
	}
	return ""
}

// spoken is the text to speak when nothing is quoted: what stands behind a
// colon, to the end of the message, or the rest of the clause.
func (c *clause) spoken() string {
	for i := c.start; i < c.to; i++ {
		if c.tokens[i].is(":") && !c.used[i] && i+1 < len(c.tokens) {
			text := strings.TrimSpace(c.src[c.tokens[i].to:])
			c.use(i, len(c.tokens))
			return text
		}
	}
	for i := c.start; i < c.to; i++ { // small words that lead to the text
		if c.used[i] {
			continue
		}
		if !c.tokens[i].is("me", "this", "the", "text", "a", "an", "aloud", "loud", "out", "of", "saying", "that", "says", "following", "sentence", "words",
			"speech", "audio", "recording", "voiceover", "narration",
			"voice", "over", "into", "to", "us", "it", "reading", "line", "for", "with", "about", "clip", "message", "generate", "spoken", "tts", "please",
			"convert", "turn", "phrase", "passage", "article", "story") {
			break
		}
		c.use(i, i+1)
	}
	return c.rest(c.start, c.to)
}

// echoes answers "say hello" and "reply with OK" in words: a voice is for what
// is quoted, or when a voice is asked for.
func (r *reading) echoes(c *clause, n int) bool {
	if !c.tokens[c.start].is("say") || n != 1 {
		return false
	}
	if c.says("voice", "aloud", "loud", "speech", "audio", "recording", "spoken", "accent", "voiceover") || c.peek("language") != nil || c.peek("manner") != nil {
		return false
	}
	words := 0
	for i := c.start + 1; i < c.to; i++ {
		switch c.tokens[i].kind {
		case quote:
			if strings.Count(c.tokens[i].low, " ") >= 2 {
				return false
			}
			words++
		case word, number:
			words++
		}
	}
	if words == 0 || words > 3 && r.can("generate_speech") {
		return false
	}
	text := c.takeQuote()
	if text == "" {
		text = tidy(c.words(c.start+1, c.to))
	}
	if c.tokens[min(c.start+1, c.to-1)].is("hello", "hi", "hey") && words <= 2 {
		text = capital(text) + "!"
	}
	r.say(text)
	return true
}
