package paint

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// maxCount bounds how many of a thing are painted, and maxSubjects how many
// things: more would be too small to see.
const (
	maxCount    = 12
	maxSubjects = 8
	MaxPrompt   = 8000
	maxUnknown  = 40
)

// Read parses a prompt with the lexicon. It never fails: a prompt of unknown
// words becomes a scene that lists them.
func Read(prompt string) Scene {
	if len(prompt) > MaxPrompt {
		prompt = prompt[:MaxPrompt]
	}
	r := reader{words: lexicon.Words(), last: -1}
	r.reset()
	rest, quoted := CutQuotes(prompt)
	r.scene.Text = quoted
	for _, text := range quoted {
		r.mention(text, trait{group: "text", key: text})
	}
	tokens := lexicon.Tokenise(rest)
	for i := 0; i < len(tokens); {
		i += r.readPhrase(tokens[i:])
	}
	r.endPhrase()
	return r.finish()
}

// CutQuotes removes the quoted texts from a prompt: they are written, not
// painted.
func CutQuotes(prompt string) (rest string, quoted []string) {
	var b strings.Builder
	for {
		i := strings.IndexAny(prompt, "\"“«")
		if i < 0 {
			break
		}
		open, width := utf8.DecodeRuneInString(prompt[i:])
		closing := map[rune]string{'"': "\"", '“': "”", '«': "»"}[open]
		j := strings.Index(prompt[i+width:], closing)
		if j < 0 {
			break
		}
		b.WriteString(prompt[:i])
		b.WriteString(" , ")
		if text := strings.TrimSpace(prompt[i+width : i+width+j]); text != "" && len(quoted) < 4 {
			quoted = append(quoted, clip(text, 60))
		}
		prompt = prompt[i+width+j+len(closing):]
	}
	b.WriteString(prompt)
	return b.String(), quoted
}

func clip(s string, runes int) string {
	n := 0
	for i := range s {
		if n == runes {
			return s[:i]
		}
		n++
	}
	return s
}

// reader parses a prompt from left to right and keeps the attributes of the
// next noun.
type reader struct {
	words  *lexicon.Lexicon
	scene  Scene
	last   int  // the last subject, or -1
	living bool // the last subject is an animal or a person of the same phrase

	count    int
	size     float64
	colours  []pixel.Colour
	place    string
	action   string
	relation string
	without  bool

	pending     []mention // words about the next noun
	linking     mention   // the word of the relation, when it has a visible effect
	unknownWord bool      // a word without a meaning follows the pending ones
}

func (r *reader) reset() {
	r.count, r.size, r.colours, r.place, r.action = 0, 1, nil, "", ""
	r.pending, r.unknownWord = nil, false
}

// addPending keeps a word until its noun comes.
func (r *reader) addPending(word, group, key string) {
	r.pending = append(r.pending, mention{word, trait{group: group, key: key}})
}

// bindPending gives the pending words to a thing. A feeling that the thing cannot have
// is the mood of the picture.
func (r *reader) bindPending(t Thing) {
	for _, m := range r.pending {
		if m.of.group == "feeling" {
			r.mood(m)
			continue
		}
		m.of.thing = t.id
		r.mention(m.word, m.of)
	}
	r.pending = nil
}

// mood sets a mood of the picture.
func (r *reader) mood(m mention) {
	r.scene.Moods = AppendOnce(r.scene.Moods, m.of.key)
	r.mention(m.word, trait{group: "mood", key: m.of.key})
}

func (r *reader) mention(word string, of trait) {
	r.scene.mentions = append(r.scene.mentions, mention{word, of})
}

// addLost notes words that will have no effect.
func (r *reader) addLost(lost ...mention) {
	for _, m := range lost {
		if m.word != "" && len(r.scene.Lost) < maxUnknown {
			r.scene.Lost = AppendOnce(r.scene.Lost, m.word)
		}
	}
}

// endRelation ends a relation without an object.
func (r *reader) endRelation() {
	r.addLost(r.linking)
	r.relation, r.linking = "", mention{}
}

// newID returns the id of a new thing.
func (r *reader) newID() int {
	r.scene.things++
	return r.scene.things
}

// readPhrase reads one word or phrase and returns how many tokens it took.
func (r *reader) readPhrase(tokens []string) int {
	if tokens[0] == "," {
		r.endPhrase()
		return 1
	}
	for n := min(lexicon.MaxPhrase, len(tokens)); n > 0; n-- {
		if n > 1 && slices.Contains(tokens[:n], ",") {
			continue
		}
		phrase := strings.Join(tokens[:n], " ")
		if m, plural := r.words.Find(phrase); m != nil {
			if r.words.Loose(phrase) && !r.without {
				r.addLost(mention{word: phrase}) // something similar is painted
			}
			r.addMeaning(m, phrase, plural)
			return n
		}
	}
	if n, err := strconv.Atoi(tokens[0]); err == nil {
		if r.count = min(max(n, 1), maxCount); r.count == n {
			r.addPending(tokens[0], "count", "")
		} else {
			r.addLost(mention{word: tokens[0]})
		}
	} else if len(tokens[0]) > 1 {
		if r.unknownWord = len(r.pending) > 0; !slices.Contains(r.scene.Unknown, tokens[0]) && len(r.scene.Unknown) < maxUnknown {
			r.scene.Unknown = append(r.scene.Unknown, tokens[0])
		}
	}
	return 1
}

// endPhrase ends a phrase. Colours without a noun colour the picture, unless an
// unknown word follows them; a feeling without a noun is the mood of the
// picture.
func (r *reader) endPhrase() {
	for _, m := range r.pending {
		switch {
		case m.of.group == "colour" && !r.unknownWord:
			r.mention(m.word, m.of)
		case m.of.group == "feeling" && !r.living && !r.unknownWord:
			r.mood(m)
		default:
			r.addLost(m)
		}
	}
	if !r.unknownWord {
		for _, c := range r.colours {
			r.palette(c)
		}
	}
	r.reset()
	r.endRelation()
	r.without, r.living = false, false
}

func (r *reader) palette(c pixel.Colour) {
	if !slices.Contains(r.scene.Palette, c) && len(r.scene.Palette) < 6 {
		r.scene.Palette = append(r.scene.Palette, c)
	}
}

func (r *reader) addMeaning(m *lexicon.Meaning, word string, plural bool) {
	if r.without {
		switch m.Group {
		case "subject", "setting", "sky", "weather", "style", "mood", "colour", "season", "time":
			r.scene.Without = append(r.scene.Without, m.Key)
			return
		}
	}
	s := &r.scene
	of := trait{group: m.Group, key: m.Key}
	switch m.Group {
	case "subject":
		r.subject(m, word, plural)
	case "setting":
		s.Settings = r.addPlace(s.Settings, m, word)
	case "sky":
		s.Sky = r.addPlace(s.Sky, m, word)
	case "time":
		s.Time = m.Key
		r.mention(word, of)
	case "weather":
		s.Weather = AppendOnce(s.Weather, m.Key)
		r.mention(word, of)
	case "season":
		s.Season = m.Key
		r.mention(word, of)
	case "mood":
		if m.Attributes["feeling"] != "" {
			r.addPending(word, "feeling", m.Key)
			return
		}
		s.Moods = AppendOnce(s.Moods, m.Key)
		r.mention(word, of)
	case "style":
		s.Styles = AppendOnce(s.Styles, m.Key)
		r.mention(word, of)
	case "colour":
		if len(r.colours) == 3 {
			r.addLost(mention{word: word})
			return
		}
		r.colours = append(r.colours, pixel.ColourOf(m))
		r.addPending(word, "colour", m.Key)
	case "size":
		r.size = m.Number("value", 1)
		r.addPending(word, "size", "")
	case "count":
		r.count, _ = strconv.Atoi(m.Key)
		r.addPending(word, "count", "")
	case "framing":
		if m.Key == "symmetric" {
			s.Symmetric = true
		} else {
			s.Framing = m.Key
		}
		r.mention(word, of)
	case "place":
		// The place of the last subject, or of the next one when there is none
		// yet.
		if r.last >= 0 {
			s.Subjects[r.last].Place = m.Key
			r.mention(word, trait{group: "place", thing: s.Subjects[r.last].id})
		} else {
			r.place = m.Key
			r.addPending(word, "place", "")
		}
	case "action":
		if r.last >= 0 && r.relation == "" && s.Subjects[r.last].Action == "" {
			s.Subjects[r.last].Action = m.Key
			r.mention(word, trait{group: "action", thing: s.Subjects[r.last].id})
		} else {
			r.action = m.Key
			r.addPending(word, "action", "")
		}
	case "part":
		r.part(m.Key, word)
	case "relation":
		r.endRelation()
		if r.relation = m.Key; m.Attributes["plain"] == "" {
			r.linking = mention{word: word}
		}
	case "palette":
		for _, c := range r.colours {
			r.palette(c)
		}
		r.colours = nil
		r.pending = slices.DeleteFunc(r.pending, func(m mention) bool {
			if m.of.group == "colour" {
				r.mention(m.word, m.of)
			}
			return m.of.group == "colour"
		})
	case "unpainted":
		r.addLost(mention{word: word})
	case "without":
		r.without = true
	}
}

// AppendOnce adds a key that is not there yet.
func AppendOnce(in []string, key string) []string {
	if slices.Contains(in, key) {
		return in
	}
	return append(in, key)
}

// addPlace adds a place or a thing of the sky, once.
func (r *reader) addPlace(in []Thing, m *lexicon.Meaning, word string) []Thing {
	t := find(in, m.Key)
	if t == nil && len(in) < maxSubjects {
		in = append(in, Thing{Key: m.Key, Word: word, Count: max(r.count, 1), Colours: r.colours, Size: r.size, Place: r.place, On: -1, HeldBy: -1, id: r.newID()})
		t = &in[len(in)-1]
		r.bindPending(*t)
	}
	r.noteWord(t, m, word)
	r.endRelation()
	return in
}

// noteWord notes the word for a thing, or that there are too many things, and
// drops what was said about it and could not be bound.
func (r *reader) noteWord(t *Thing, m *lexicon.Meaning, word string) {
	if t != nil {
		r.mention(word, trait{group: m.Group, key: m.Key, thing: t.id})
	} else {
		r.addLost(mention{word: word})
	}
	r.addLost(r.pending...)
	r.reset()
}

func (r *reader) subject(m *lexicon.Meaning, word string, plural bool) {
	s := &r.scene
	kind := m.Attributes["kind"]
	if r.living = kind == "person" || kind == "animal"; r.living {
		r.pending = slices.DeleteFunc(r.pending, func(m mention) bool {
			if m.of.group == "feeling" {
				r.addLost(m) // expressions and postures are not painted
			}
			return m.of.group == "feeling"
		})
	}
	if i := slices.IndexFunc(s.Subjects, func(t Thing) bool { return t.Key == m.Key && len(r.colours) == 0 }); i >= 0 && r.count == 0 {
		r.last = i // the same noun again, as in "a cat, cute cat"
		r.noteWord(&s.Subjects[i], m, word)
		return
	}
	if len(s.Subjects) >= maxSubjects {
		r.noteWord(nil, m, word)
		return
	}
	count := r.count
	if count == 0 && plural {
		count = 3
	}
	t := Thing{
		Key: m.Key, Word: word, Count: min(max(count, 1), maxCount), Colours: r.colours, Size: r.size, Place: r.place, Action: r.action,
		On: -1, HeldBy: -1, id: r.newID(),
	}
	at := len(s.Subjects)
	if r.last >= 0 {
		before := &s.Subjects[r.last]
		link := func(group string, thing int) {
			if r.linking.word != "" {
				r.mention(r.linking.word, trait{group: group, thing: thing})
				r.linking = mention{}
			}
		}
		switch r.relation {
		case "on":
			before.On = at
			link("on", before.id)
		case "in":
			if m.Attributes["holds"] != "" {
				before.On = at
				link("on", before.id)
			}
		case "over":
			if before.Action == "" {
				before.Action = "fly"
				link("action", before.id)
			}
		case "hold":
			if r.words.Subject(before.Key).Attributes["kind"] == "person" && m.Attributes["hold"] != "" {
				t.HeldBy = r.last
				link("held", t.id)
			}
		}
	}
	s.Subjects = append(s.Subjects, t)
	r.last = at
	r.bindPending(t)
	r.noteWord(&t, m, word)
	r.endRelation()
}

// part colours a part of the last subject.
func (r *reader) part(name, word string) {
	if r.last < 0 || len(r.colours) == 0 {
		r.addLost(mention{word: word})
		return
	}
	t := &r.scene.Subjects[r.last]
	if t.Parts == nil {
		t.Parts = map[string]pixel.Colour{}
	}
	t.Parts[name] = r.colours[0]
	of := trait{group: "part", key: name, thing: t.id}
	first := true
	r.pending = slices.DeleteFunc(r.pending, func(m mention) bool {
		if m.of.group != "colour" {
			return false
		}
		if first {
			r.mention(m.word, of)
		} else {
			r.addLost(m)
		}
		first = false
		return true
	})
	r.mention(word, of)
	r.colours = nil
}

// finish decides what needs the whole prompt: the subject of a portrait, and
// what the prompt excludes.
func (r *reader) finish() Scene {
	s := r.scene
	if i := slices.IndexFunc(s.Subjects, func(t Thing) bool { return t.Key == "portrait" }); i >= 0 {
		s.Framing = "bust"
		if len(s.Subjects) > 1 {
			for k := range s.mentions {
				if of := &s.mentions[k].of; of.group == "subject" && of.key == "portrait" {
					*of = trait{group: "framing", key: "bust"}
				}
			}
			without := s.Without
			s.Exclude("portrait")
			s.Without = without
		}
	}
	if len(s.Without) > 0 {
		keys := slices.Clone(s.Without)
		s.Without = nil
		s.Exclude(keys...)
	}
	return s
}
