package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

func fillMusic(c *token.Clause, t *Task) {
	if v, ok := slot.TakeTempo(c); ok {
		t.Args["bpm"] = t.clamp("bpm", v, " beats a minute")
	}
	if key := slot.TakeKey(c); key != "" {
		t.Args["keyscale"] = key
	}
	if v, ok := slot.TakeTimeSignature(c); ok && t.allows("timesig", v) {
		t.Args["timesig"] = v
	}
}

// planMusic plans music without words.
func (r *Interpretation) planMusic(c *token.Clause, h slot.NounPhrase) {
	t := r.newTask("generate_music", "make")
	if t == nil {
		return
	}
	c.Take("vocal", "none")
	r.FillArguments(c, t)
	t.Args["prompt"] = slot.ReadPrompt(c, h)
	r.addOrAsk(t, "prompt", "What should the music be like? A few words are enough, such as calm piano or fast rock with drums.")
}

// planSong plans a song: its lyrics first, unless they are given.
func (r *Interpretation) planSong(c *token.Clause, h slot.NounPhrase) {
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
	r.FillArguments(c, t)
	d := slot.ReadDescription(c, h)
	style, topic := splitStyle(d)
	topic = r.resolvePronoun(token.TrimFirstWords(topic, "for"))
	kind := "song"
	if h.Noun != nil && h.Noun.Attr("of") == "song" {
		kind = h.Noun.Base
	}
	switch {
	case words != "":
		t.Args["lyrics"] = words
	case topic == "":
		r.ask(t, "prompt", "What should the song be about?")
		return
	}
	manner := strings.TrimSpace(style + " " + kind)
	t.Args["prompt"], t.Subject = manner, manner
	if topic != "" {
		t.Args["prompt"], t.Subject = manner+" about "+topic, manner+" about "+topic
	}
	if words == "" && r.canCall("compose_lyrics") {
		w := r.addNewTask("compose_lyrics", "lyrics")
		w.Args["prompt"] = topic
		w.Subject = topic
		if manner != "song" {
			w.Args["music_prompt"] = manner
		}
		if v, ok := t.Args["duration"].(float64); ok {
			w.Args["duration_seconds"] = v
		}
		if e := c.Peek("language"); e != nil {
			w.Args["language"] = strings.TrimPrefix(e.Key, "other-")
		}
		t.Lyrics = w
	} else if words == "" {
		t.AddNote("It has no words: compose_lyrics, which writes them, is not among the tools of this request.")
	}
	r.addTask(t)
}

// resolvePronoun returns what a description means that is only a pronoun.
func (r *Interpretation) resolvePronoun(s string) string {
	switch strings.ToLower(s) {
	case "it", "this", "that", "them", "him", "her", "the same", "the same thing":
		if t := r.lastRequest(); t != nil && t.Label() != "" {
			return t.Label()
		}
	}
	return s
}

// splitStyle separates the style of a song from its topic: "a jazz song about rain", "a song about rain in the style of
// jazz".
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

// takeLyrics finds lyrics: a long quotation, or what follows "lyrics:".
func takeLyrics(c *token.Clause) string {
	for i := c.Start; i < c.End; i++ {
		if c.Tokens[i].Kind == token.Quotation && (strings.ContainsRune(c.Tokens[i].Text, '\n') || strings.Count(c.Tokens[i].Text, " ") >= 3 ||
			c.Contains("lyrics", "words", "text")) {
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
