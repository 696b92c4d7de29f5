package offline

import "strings"

// fillVoice reads the language and the voice of speech.
func fillVoice(c *clause, t *task) {
	fillLanguage(c, t)
	a, ok := t.tool.Argument("voice")
	if !ok {
		return
	}
	for i := c.start; i < c.end; i++ {
		for _, v := range a.Enum {
			name, _ := v.(string)
			words := tokenize(strings.ReplaceAll(name, "_", " "))
			if c.used[i] || !c.matchTokens(i, words) || !c.isVoicePosition(i, i+len(words)) {
				continue
			}
			end := i + len(words)
			for end < c.end && c.tokens[end].is("s", "'s", "voice") {
				end++
			}
			t.args["voice"] = name
			c.use(i, end)
			c.useBefore(i, "in", "with", "using", "use", "by", "as", "the", "voice", "of", "named", "called", "speaker", "a")
			return
		}
		if c.tokens[i].kind == word && strings.HasSuffix(c.tokens[i].text, "'s") && i+1 < c.end && c.tokens[i+1].is("voice") {
			if name := strings.ReplaceAll(strings.TrimSuffix(c.tokens[i].text, "'s"), " ", "_"); t.allows("voice", name) {
				t.args["voice"] = name
				c.use(i, i+2)
				c.useBefore(i, "in", "with", "using", "use")
				return
			}
		}
	}
	fillVoiceStyle(c, t)
}

// isVoicePosition reports whether a name stands where voices do, rather than in what is
// to be said.
func (c *clause) isVoicePosition(from, to int) bool {
	return from > c.start && c.tokens[from-1].is("by", "as", "using", "use", "of", "voice", "with", "named", "speaker", ":") || to < c.end &&
		c.tokens[to].is("voice", "reads", "says")
}

// fillLanguage reads the language: in German, with a French voice.
func fillLanguage(c *clause, t *task) {
	for i := c.start; i < c.end; i++ {
		e := c.match(i, c.end, "language")
		if e == nil || c.used[i] {
			continue
		}
		led := i > c.start && c.tokens[i-1].is("in", "speak", "speaking", "a", "into", "to", "language", ":")
		if !led && !(i+1 < c.end && c.tokens[i+1].is("voice", "accent", "speech", "language")) {
			continue
		}
		if other, found := strings.CutPrefix(e.key, "other-"); found {
			t.addNote("There is no voice for " + strings.ToUpper(other[:1]) + other[1:] + " here, so it is read as well as the voice can.")
		} else {
			t.args["language"] = e.key
		}
		if i+1 < c.end && c.tokens[i+1].is("voice", "accent") {
			return // the words stay for the manner of the voice
		}
		c.use(i, i+e.len)
		c.useBefore(i, "in", "speak", "speaking", "into", "language", ":", "it")
		return
	}
}

// Voices for those who only say whether a man or a woman should speak.
var voiceByGender = map[string]string{"male": "ryan", "female": "serena"}

// fillVoiceStyle reads how a voice sounds: in a deep male voice, whispering.
func fillVoiceStyle(c *clause, t *task) {
	at := -1
	for i := c.start; i < c.end; i++ {
		if c.tokens[i].is("voice", "tone", "accent") && !c.used[i] {
			at = i
			break
		}
	}
	if at < 0 {
		for i := c.start; i+2 < c.end; i++ { // like a radio announcer
			if e := c.match(i+2, c.end, "manner"); e != nil && c.tokens[i].is("like", "as") && c.tokens[i+1].is("a", "an") && !c.used[i] {
				t.args["voiceDescription"] = c.excerpt(i+1, i+2+e.len)
				c.use(i, i+2+e.len)
				return
			}
		}
		if e := c.peek("manner"); e != nil && strings.HasPrefix(e.base, "whisper") {
			c.take("manner", "manner")
			t.args["voiceDescription"] = "a whispering voice"
		}
		return
	}
	from, gender, manner := at, "", false
	for from > c.start && !c.used[from-1] {
		i := from - 1
		if e := c.match(i, c.end, "gender"); e != nil {
			gender = e.key
		} else if c.matches(i, c.end, "manner", "language") || c.tokens[i].is("pitched", "and", ",", "very", "slightly") {
			manner = true
		} else if !c.tokens[i].is("a", "an", "the") {
			break
		}
		from = i
		if c.tokens[i].is("a", "an", "the") {
			break
		}
	}
	words := trimFirstWords(strings.ToLower(c.excerpt(from, at)), "a", "an", "the")
	switch {
	case words == "":
		return
	case manner:
		t.args["voiceDescription"] = "a " + words + " " + c.tokens[at].text
		if strings.ContainsRune("aeiou", rune(words[0])) {
			t.args["voiceDescription"] = "an " + words + " " + c.tokens[at].text
		}
	case gender != "" && t.allows("voice", voiceByGender[gender]):
		t.args["voice"] = voiceByGender[gender]
	default:
		return
	}
	c.use(from, at+1)
	c.useBefore(from, "in", "with", "using", "use", "by")
}

// planSpeech plans speech: quoted text, or what stands behind the verb.
func (r *interpretation) planSpeech(c *clause, n int) {
	if r.repeatShortText(c, n) {
		return
	}
	t := r.newTask("generate_speech", "speak")
	if t == nil {
		return
	}
	text := c.takeQuotation()
	c.use(c.start, c.start+n)
	if c.contains("my", "this", "recording", "clone", "same") && c.contains("voice", "recording") && r.resolveLatest("audio", c) != nil {
		if refs := r.resolveMedia(c, "audio"); len(refs) == 1 {
			t.setMedia("voiceSourceIndex", refs...)
			for i := c.start; i < c.end; i++ {
				if c.tokens[i].is("voice", "recording") {
					c.use(i, i+1)
					c.useBefore(i, "my", "this", "the", "in", "with", "using", "of", "same", "voice", "clone", "attached")
				}
			}
		}
	}
	r.fillArguments(c, t)
	if text == "" {
		text = c.readSpeech()
	}
	if limit, ok := t.tool.Argument("prompt"); ok && limit.MaxLength > 0 && len([]rune(text)) > limit.MaxLength {
		text = string([]rune(text)[:limit.MaxLength])
		t.addNote("The text is longer than one reading may be, so it stops early.")
	}
	t.args["prompt"] = text
	t.subject = text
	r.addOrAsk(t, "prompt", "Which text should be spoken? Put it in quotation marks.")
}

// takeQuotation finds the first quotation.
func (c *clause) takeQuotation() string {
	for i := c.start; i < c.end; i++ {
		if c.tokens[i].kind == quotation && !c.used[i] {
			c.use(i, i+1)
			return c.tokens[i].text
		}
	}
	return ""
}

// readSpeech is the text to speak when nothing is quoted: what stands behind a
// colon, to the end of the message, or the rest of the clause.
func (c *clause) readSpeech() string {
	for i := c.start; i < c.end; i++ {
		if c.tokens[i].is(":") && !c.used[i] && i+1 < len(c.tokens) {
			text := strings.TrimSpace(c.source[c.tokens[i].end:])
			c.use(i, len(c.tokens))
			return text
		}
	}
	for i := c.start; i < c.end; i++ { // small words that lead to the text
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
	return c.unused(c.start, c.end)
}

// repeatShortText answers "say hello" and "reply with OK" in words: a voice is for what
// is quoted, or when a voice is asked for.
func (r *interpretation) repeatShortText(c *clause, n int) bool {
	if !c.tokens[c.start].is("say") || n != 1 {
		return false
	}
	if c.contains("voice", "aloud", "loud", "speech", "audio", "recording", "spoken", "accent", "voiceover") || c.peek("language") != nil || c.peek("manner") != nil {
		return false
	}
	words := 0
	for i := c.start + 1; i < c.end; i++ {
		switch c.tokens[i].kind {
		case quotation:
			if strings.Count(c.tokens[i].text, " ") >= 2 {
				return false
			}
			words++
		case word, number:
			words++
		}
	}
	if words == 0 || words > 3 && r.canCall("generate_speech") {
		return false
	}
	text := c.takeQuotation()
	if text == "" {
		text = tidy(c.excerpt(c.start+1, c.end))
	}
	if c.tokens[min(c.start+1, c.end-1)].is("hello", "hi", "hey") && words <= 2 {
		text = capitalize(text) + "!"
	}
	r.say(text)
	return true
}
