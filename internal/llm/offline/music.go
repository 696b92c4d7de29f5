package offline

import (
	"strings"

	"github.com/atelier-project/atelier/internal/llm/offline/slot"
	"github.com/atelier-project/atelier/internal/llm/offline/token"
)

// fillMusic reads tempo, key and time.
func fillMusic(c *token.Clause, t *task) {
	if v, ok := slot.TakeTempo(c); ok {
		t.args["bpm"] = t.clamp("bpm", v, " beats a minute")
	}
	if key := slot.TakeKey(c); key != "" {
		t.args["keyscale"] = key
	}
	if v, ok := slot.TakeTimeSignature(c); ok && t.allows("timesig", v) {
		t.args["timesig"] = v
	}
}

// planMusic plans music without words.
func (r *interpretation) planMusic(c *token.Clause, h slot.NounPhrase) {
	t := r.newTask("generate_music", "make")
	if t == nil {
		return
	}
	c.Take("vocal", "none")
	r.fillArguments(c, t)
	t.args["prompt"] = slot.ReadPrompt(c, h)
	r.addOrAsk(t, "prompt", "What should the music be like? A few words are enough, such as calm piano or fast rock with drums.")
}

// planSong plans a song: its words first, unless they are given.
func (r *interpretation) planSong(c *token.Clause, h slot.NounPhrase) {
	if c.Peek("vocal", "none") != nil {
		r.planMusic(c, h)
		return
	}
	t := r.newTask("generate_music", "make")
	if t == nil {
		return
	}
	words := takeLyrics(c)
	c.Take("vocal", "some")
	r.fillArguments(c, t)
	d := slot.ReadDescription(c, h)
	style, topic := splitStyle(d)
	topic = r.resolvePronoun(token.TrimFirstWords(topic, "for"))
	kind := "song"
	if h.Noun != nil && h.Noun.Attr("of") == "song" {
		kind = h.Noun.Base
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
		if e := c.Peek("language"); e != nil {
			w.args["language"] = strings.TrimPrefix(e.Key, "other-")
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
func splitStyle(d slot.Description) (style, topic string) {
	style, topic = d.Modifiers, d.Rest
	low := strings.ToLower(topic)
	for _, cue := range []string{", in the style of ", " in the style of ", " in a ", ", "} {
		i := strings.LastIndex(low, cue)
		if i < 0 || cue == " in a " && !strings.HasSuffix(low, " style") {
			continue
		}
		style = token.Tidy(style + " " + strings.TrimSuffix(topic[i+len(cue):], " style"))
		topic = topic[:i]
		break
	}
	return token.Tidy(style), token.Tidy(topic)
}

// takeLyrics finds words to sing: a quotation with some length, or what stands
// behind "lyrics:".
func takeLyrics(c *token.Clause) string {
	for i := c.Start; i < c.End; i++ {
		if c.Tokens[i].Kind == token.Quotation && (strings.ContainsRune(c.Tokens[i].Text, '\n') || strings.Count(c.Tokens[i].Text, " ") >= 3 || c.Contains("lyrics", "words", "text")) {
			c.Use(i, i+1)
			c.UseBefore(i, "the", "lyrics", "these", "with", "words", ":", "following", "text", "are", "and", "a", "singing", "that", "goes")
			return c.Tokens[i].Text
		}
	}
	for i := c.Start; i+2 < len(c.Tokens); i++ {
		if c.Tokens[i].Is("lyrics", "words") && c.Tokens[i+1].Is(":") && i < c.End {
			text := strings.TrimSpace(c.Source[c.Tokens[i+1].End:])
			c.Use(i, len(c.Tokens))
			c.UseBefore(i, "the", "these", "with", "following", "my")
			return text
		}
	}
	return ""
}
