package picture

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxCount bounds how many of a thing are painted, and maxSubjects how many
// things: more would be a crowd of dots.
const (
	maxCount    = 12
	maxSubjects = 8
	maxPrompt   = 8000
)

// Read understands a prompt as far as the lexicon reaches. It never fails: a
// prompt of unknown words becomes a scene that lists them.
func Read(prompt string) Scene {
	if len(prompt) > maxPrompt {
		prompt = prompt[:maxPrompt]
	}
	r := reader{words: words(), last: -1}
	r.reset()
	rest, quoted := quotes(prompt)
	r.scene.Text = quoted
	tokens := tokenise(rest)
	for i := 0; i < len(tokens); {
		i += r.step(tokens[i:])
	}
	r.pause()
	return r.finish()
}

// quotes takes the quoted texts out of a prompt: they are to be written, not
// painted.
func quotes(prompt string) (rest string, quoted []string) {
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

// tokenise answers lower-case words, and "," where the prompt pauses.
func tokenise(s string) (out []string) {
	s = strings.ReplaceAll(strings.ToLower(s), "'s", "")
	word := func(from, to int) {
		if from < to {
			out = append(out, s[from:to])
		}
	}
	start := 0
	for i, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			continue
		}
		word(start, i)
		start = i + len(string(r))
		if r == unicode.ReplacementChar {
			start = i + 1
		}
		if strings.ContainsRune(",.;:!?()\n|", r) && len(out) > 0 && out[len(out)-1] != "," {
			out = append(out, ",")
		}
	}
	word(min(start, len(s)), len(s))
	return out
}

// reader walks over a prompt and keeps what was said about the noun to come.
type reader struct {
	words *lexicon
	scene Scene
	last  int // the last subject, or -1

	count    int
	size     float64
	colours  []Colour
	place    string
	action   string
	relation string
	without  bool
}

func (r *reader) reset() { r.count, r.size, r.colours, r.place, r.action = 0, 1, nil, "", "" }

// step reads one word or phrase and answers how many tokens it took.
func (r *reader) step(tokens []string) int {
	if tokens[0] == "," {
		r.pause()
		return 1
	}
	for n := min(maxPhrase, len(tokens)); n > 0; n-- {
		if n > 1 && slices.Contains(tokens[:n], ",") {
			continue
		}
		phrase := strings.Join(tokens[:n], " ")
		if m, plural := r.words.find(phrase); m != nil {
			r.take(m, phrase, plural)
			return n
		}
	}
	if n, err := strconv.Atoi(tokens[0]); err == nil {
		r.count = min(max(n, 1), maxCount)
	} else if len(tokens[0]) > 1 && !slices.Contains(r.scene.Unknown, tokens[0]) && len(r.scene.Unknown) < 40 {
		r.scene.Unknown = append(r.scene.Unknown, tokens[0])
	}
	return 1
}

// pause ends what was said together. Colours without a noun colour the picture.
func (r *reader) pause() {
	for _, c := range r.colours {
		r.palette(c)
	}
	r.reset()
	r.relation, r.without = "", false
}

func (r *reader) palette(c Colour) {
	if !slices.Contains(r.scene.Palette, c) && len(r.scene.Palette) < 6 {
		r.scene.Palette = append(r.scene.Palette, c)
	}
}

func (r *reader) take(m *meaning, word string, plural bool) {
	if r.without {
		switch m.group {
		case "subject", "setting", "sky", "weather", "style", "mood", "colour", "season", "time":
			r.scene.Without = append(r.scene.Without, m.key)
			return
		}
	}
	s := &r.scene
	switch m.group {
	case "subject":
		r.subject(m, word, plural)
	case "setting":
		s.Settings = r.note(s.Settings, m, word)
	case "sky":
		s.Sky = r.note(s.Sky, m, word)
	case "time":
		s.Time = m.key
	case "weather":
		s.Weather = once(s.Weather, m.key)
	case "season":
		s.Season = m.key
	case "mood":
		s.Moods = once(s.Moods, m.key)
	case "style":
		s.Styles = once(s.Styles, m.key)
	case "colour":
		if len(r.colours) < 3 {
			r.colours = append(r.colours, m.colour())
		}
	case "size":
		r.size = m.number("value", 1)
	case "count":
		r.count, _ = strconv.Atoi(m.key)
	case "framing":
		if m.key == "symmetric" {
			s.Symmetric = true
		} else {
			s.Framing = m.key
		}
	case "place":
		r.placed(m.key)
	case "action":
		if r.last >= 0 && r.relation == "" && s.Subjects[r.last].Action == "" {
			s.Subjects[r.last].Action = m.key
		} else {
			r.action = m.key
		}
	case "part":
		r.part(m.key)
	case "relation":
		r.relation = m.key
	case "palette":
		for _, c := range r.colours {
			r.palette(c)
		}
		r.colours = nil
	case "without":
		r.without = true
	}
}

func once(in []string, key string) []string {
	if slices.Contains(in, key) {
		return in
	}
	return append(in, key)
}

// note adds a place or a thing of the sky, once.
func (r *reader) note(in []Thing, m *meaning, word string) []Thing {
	if find(in, m.key) == nil && len(in) < maxSubjects {
		in = append(in, Thing{Key: m.key, Word: word, Count: max(r.count, 1), Colours: r.colours, Size: r.size, Place: r.place, On: -1, HeldBy: -1})
	}
	r.reset()
	r.relation = ""
	return in
}

func (r *reader) subject(m *meaning, word string, plural bool) {
	s := &r.scene
	if len(s.Subjects) >= maxSubjects {
		r.reset()
		return
	}
	if i := slices.IndexFunc(s.Subjects, func(t Thing) bool { return t.Key == m.key && len(r.colours) == 0 }); i >= 0 && r.count == 0 {
		r.last = i // the same noun again, as in "a cat, cute cat"
		r.reset()
		return
	}
	count := r.count
	if count == 0 && plural {
		count = 3
	}
	t := Thing{Key: m.key, Word: word, Count: min(max(count, 1), maxCount), Colours: r.colours, Size: r.size, Place: r.place, Action: r.action, On: -1, HeldBy: -1}
	at := len(s.Subjects)
	if r.last >= 0 {
		before := &s.Subjects[r.last]
		switch r.relation {
		case "on":
			before.On = at
		case "in":
			if m.attributes["holds"] != "" {
				before.On = at
			}
		case "over":
			if before.Action == "" {
				before.Action = "fly"
			}
		case "hold":
			if r.words.subject(before.Key).attributes["kind"] == "person" && m.attributes["hold"] != "" {
				t.HeldBy = r.last
			}
		}
	}
	s.Subjects = append(s.Subjects, t)
	r.last = at
	r.reset()
	r.relation = ""
}

// placed says where the last subject is, or the next when none is named yet.
func (r *reader) placed(where string) {
	if r.last >= 0 {
		r.scene.Subjects[r.last].Place = where
	} else {
		r.place = where
	}
}

// part colours a part of the last subject.
func (r *reader) part(name string) {
	if r.last >= 0 && len(r.colours) > 0 {
		t := &r.scene.Subjects[r.last]
		if t.Parts == nil {
			t.Parts = map[string]Colour{}
		}
		t.Parts[name] = r.colours[0]
		r.colours = nil
	}
}

// finish settles what single words could not: who a portrait is of, and what a
// prompt excluded.
func (r *reader) finish() Scene {
	s := r.scene
	if i := slices.IndexFunc(s.Subjects, func(t Thing) bool { return t.Key == "portrait" }); i >= 0 {
		s.Framing = "bust"
		if len(s.Subjects) > 1 {
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
