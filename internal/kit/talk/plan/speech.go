package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// fillVoice reads the language and the voice of speech.
func fillVoice(c *token.Clause, t *Task) {
	fillLanguage(c, t)
	a, ok := t.Tool.Argument("voice")
	if !ok {
		return
	}
	for i := c.Start; i < c.End; i++ {
		for _, v := range a.Enum {
			name, _ := v.(string)
			words := token.Tokenize(strings.ReplaceAll(name, "_", " "))
			if c.Used[i] || !c.MatchTokens(i, words) || !isVoicePosition(c, i, i+len(words)) {
				continue
			}
			end := i + len(words)
			for end < c.End && c.Tokens[end].Is("s", "'s", "voice") {
				end++
			}
			t.Args["voice"] = name
			c.Use(i, end)
			c.UseBefore(i, "in", "with", "using", "use", "by", "as", "the", "voice", "of", "named", "called", "speaker", "a")
			return
		}
		if c.Tokens[i].Kind == token.Word && strings.HasSuffix(c.Tokens[i].Text, "'s") && i+1 < c.End && c.Tokens[i+1].Is("voice") {
			if name := strings.ReplaceAll(strings.TrimSuffix(c.Tokens[i].Text, "'s"), " ", "_"); t.allows("voice", name) {
				t.Args["voice"] = name
				c.Use(i, i+2)
				c.UseBefore(i, "in", "with", "using", "use")
				return
			}
		}
	}
	fillVoiceStyle(c, t)
}

// isVoicePosition reports whether a name stands where a voice is named, not in the text to speak.
func isVoicePosition(c *token.Clause, from, to int) bool {
	return from > c.Start && c.Tokens[from-1].Is("by", "as", "using", "use", "of", "voice", "with", "named", "speaker", ":") || to < c.End &&
		c.Tokens[to].Is("voice", "reads", "says")
}

// fillLanguage reads the language: in German, with a French voice.
func fillLanguage(c *token.Clause, t *Task) {
	for i := c.Start; i < c.End; i++ {
		e := c.Match(i, c.End, "language")
		if e == nil || c.Used[i] {
			continue
		}
		led := i > c.Start && c.Tokens[i-1].Is("in", "speak", "speaking", "a", "into", "to", "language", ":")
		if !led && !(i+1 < c.End && c.Tokens[i+1].Is("voice", "accent", "speech", "language")) {
			continue
		}
		if other, found := strings.CutPrefix(e.Key, "other-"); found {
			t.AddNote("There is no voice for " + strings.ToUpper(other[:1]) + other[1:] + " here, so it is read as well as the voice can.")
		} else {
			t.Args["language"] = e.Key
		}
		if i+1 < c.End && c.Tokens[i+1].Is("voice", "accent") {
			return // the words stay for the style of the voice
		}
		c.Use(i, i+e.Len)
		c.UseBefore(i, "in", "speak", "speaking", "into", "language", ":", "it")
		return
	}
}

// voiceByGender has the voices for users who only name a gender.
var voiceByGender = map[string]string{"male": "ryan", "female": "serena"}

// fillVoiceStyle reads how a voice sounds: in a deep male voice, whispering.
func fillVoiceStyle(c *token.Clause, t *Task) {
	at := -1
	for i := c.Start; i < c.End; i++ {
		if c.Tokens[i].Is("voice", "tone", "accent") && !c.Used[i] {
			at = i
			break
		}
	}
	if at < 0 {
		for i := c.Start; i+2 < c.End; i++ { // like a radio announcer
			if e := c.Match(i+2, c.End, "manner"); e != nil && c.Tokens[i].Is("like", "as") && c.Tokens[i+1].Is("a", "an") && !c.Used[i] {
				t.Args["voiceDescription"] = c.Excerpt(i+1, i+2+e.Len)
				c.Use(i, i+2+e.Len)
				return
			}
		}
		if e := c.Peek("manner"); e != nil && strings.HasPrefix(e.Base, "whisper") {
			c.Take("manner", "manner")
			t.Args["voiceDescription"] = "a whispering voice"
		}
		return
	}
	from, gender, manner := at, "", false
	for from > c.Start && !c.Used[from-1] {
		i := from - 1
		if e := c.Match(i, c.End, "gender"); e != nil {
			gender = e.Key
		} else if c.Matches(i, c.End, "manner", "language") || c.Tokens[i].Is("pitched", "and", ",", "very", "slightly") {
			manner = true
		} else if !c.Tokens[i].Is("a", "an", "the") {
			break
		}
		from = i
		if c.Tokens[i].Is("a", "an", "the") {
			break
		}
	}
	words := token.TrimFirstWords(strings.ToLower(c.Excerpt(from, at)), "a", "an", "the")
	switch {
	case words == "":
		return
	case manner:
		t.Args["voiceDescription"] = "a " + words + " " + c.Tokens[at].Text
		if strings.ContainsRune("aeiou", rune(words[0])) {
			t.Args["voiceDescription"] = "an " + words + " " + c.Tokens[at].Text
		}
	case gender != "" && t.allows("voice", voiceByGender[gender]):
		t.Args["voice"] = voiceByGender[gender]
	default:
		return
	}
	c.Use(from, at+1)
	c.UseBefore(from, "in", "with", "using", "use", "by")
}

// planSpeech plans speech: quoted text, or what follows the verb.
func (r *Interpretation) planSpeech(c *token.Clause, n int) {
	if r.repeatShortText(c, n) {
		return
	}
	t := r.newTask("generate_speech", "speak")
	if t == nil {
		return
	}
	text := c.TakeQuotation()
	c.Use(c.Start, c.Start+n)
	if c.Contains("my", "this", "recording", "clone", "same") && c.Contains("voice", "recording") && r.ResolveLatest("audio", c) != nil {
		if refs := r.resolveMedia(c, "audio"); len(refs) == 1 {
			t.SetMedia("voiceSourceIndex", refs...)
			for i := c.Start; i < c.End; i++ {
				if c.Tokens[i].Is("voice", "recording") {
					c.Use(i, i+1)
					c.UseBefore(i, "my", "this", "the", "in", "with", "using", "of", "same", "voice", "clone", "attached")
				}
			}
		}
	}
	r.FillArguments(c, t)
	if text == "" {
		text = readSpeech(c)
	}
	if limit, ok := t.Tool.Argument("prompt"); ok && limit.MaxLength > 0 && len([]rune(text)) > limit.MaxLength {
		text = string([]rune(text)[:limit.MaxLength])
		t.AddNote("The text is longer than one reading may be, so it stops early.")
	}
	t.Args["prompt"] = text
	t.Subject = text
	r.addOrAsk(t, "prompt", "Which text should be spoken? Put it in quotation marks.")
}

// readSpeech returns the text to speak when nothing is quoted: what follows a colon, to the end of the message, or the
// rest of the clause.
func readSpeech(c *token.Clause) string {
	for i := c.Start; i < c.End; i++ {
		if c.Tokens[i].Is(":") && !c.Used[i] && i+1 < len(c.Tokens) {
			text := strings.TrimSpace(c.Source[c.Tokens[i].End:])
			c.Use(i, len(c.Tokens))
			return text
		}
	}
	for i := c.Start; i < c.End; i++ { // skip words that lead to the text
		if c.Used[i] {
			continue
		}
		if !c.Tokens[i].Is("me", "this", "the", "text", "a", "an", "aloud", "loud", "out", "of", "saying", "that", "says", "following", "sentence", "words",
			"speech", "audio", "recording", "voiceover", "narration",
			"voice", "over", "into", "to", "us", "it", "reading", "line", "for", "with", "about", "clip", "message", "generate", "spoken", "tts", "please",
			"convert", "turn", "phrase", "passage", "article", "story") {
			break
		}
		c.Use(i, i+1)
	}
	return c.Unused(c.Start, c.End)
}

// repeatShortText answers "say hello" in words. Speech is for quotations, or when a voice is asked for.
func (r *Interpretation) repeatShortText(c *token.Clause, n int) bool {
	if !c.Tokens[c.Start].Is("say") || n != 1 {
		return false
	}
	if c.Contains("voice", "aloud", "loud", "speech", "audio", "recording", "spoken", "accent", "voiceover") || c.Peek("language") != nil ||
		c.Peek("manner") != nil {
		return false
	}
	words := 0
	for i := c.Start + 1; i < c.End; i++ {
		switch c.Tokens[i].Kind {
		case token.Quotation:
			if strings.Count(c.Tokens[i].Text, " ") >= 2 {
				return false
			}
			words++
		case token.Word, token.Number:
			words++
		}
	}
	if words == 0 || words > 3 && r.canCall("generate_speech") {
		return false
	}
	text := c.TakeQuotation()
	if text == "" {
		text = token.Tidy(c.Excerpt(c.Start+1, c.End))
	}
	if c.Tokens[min(c.Start+1, c.End-1)].Is("hello", "hi", "hey") && words <= 2 {
		text = phrase.Capitalize(text) + "!"
	}
	r.say(text)
	return true
}
