package voice

import (
	"strings"
	"testing"
)

func say(word string) string {
	var out []string
	for _, p := range pronounce(word) {
		out = append(out, p.name)
	}
	return strings.Join(out, " ")
}

func TestPronunciation(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"hello": "HH AX L OW", "cat": "K AE T", "cats": "K AE T S", "dogs": "D AO G Z", "boxes": "B AA K S IH Z", "wanted": "W AA N T IH D", "walked": "W AO K T",
		"ship": "SH IH P", "rate": "R EY T", "nation": "N EY SH AX N", "making": "M EY K IH NG", "knight": "N AY T", "phone": "F OW N", "queen": "K W IY N",
		"bright": "B R AY T", "strange": "S T R EY N JH", "using": "Y UW Z IH NG", "happily": "HH AE P IY L IY", "sunlight": "S AH N L AY T", "tree": "T R IY",
		"unhappy": "AH N HH AE P IY", "john's": "JH AA N Z", "don't": "D OW N T", "cake": "K EY K", "gentle": "JH EH N T AX L",
	} {
		if got := say(word); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}

func TestReading(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"I have 3 cats.":                 "i have three cats.",
		"It costs $5.50, or 20%!":        "it costs five dollars fifty, or twenty percent!",
		"In 1984 and 2025":               "in nineteen eighty four and twenty twenty five.",
		"the 21st of May, 3.14":          "the twenty first of may, three point one four.",
		"Dr. Smith met Mrs. Jones":       "doctor smith met missus jones.",
		"1,234,567 at 10:30":             "one million two hundred thirty four thousand five hundred sixty seven at ten thirty.",
		"The CPU & the GPU":              "the see pee you and the jee pee you.",
		"Café naïve — déjà vu?":          "cafe naive, deja vu?",
		"00123":                          "zero zero one two three.",
		"\x00\x07 hello\t\nthere 🎵 (ok)": "hello there, okay,",
		"日本":                             "",
	} {
		var got strings.Builder
		for i, c := range clauses(text) {
			if i > 0 {
				got.WriteByte(' ')
			}
			got.WriteString(strings.Join(c.words, " ") + string(c.mark))
		}
		if got.String() != want {
			t.Errorf("%q is read as %q, want %q", text, got.String(), want)
		}
	}
}

func TestLanguageOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Hello there, how are you?": "english", "Guten Tag, ich bin der Müller und das ist gut": "german", "Bonjour, je suis dans la maison avec vous": "french",
		"你好，世界": "chinese", "こんにちは世界": "japanese", "안녕하세요": "korean", "Привет, как дела?": "russian", "Hola, cómo está el perro y la casa de los niños": "spanish",
		"ciao, questo è molto bello e non sono qui": "italian", "olá, você é muito bom e não está com o homem": "portuguese", "": "english",
	} {
		if got, _ := languageOf("auto", text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if _, err := languageOf("klingon", "x"); err == nil {
		t.Error("klingon is accepted")
	}
}

func TestSyllables(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{"shine a little light": 5, "over the mountain": 5, "strength": 1, "extra": 2, "la la la": 3, "": 0, "!!": 0} {
		if got := len(Syllables(line)); got != want {
			t.Errorf("%q: %d syllables, want %d", line, got, want)
		}
	}
}

func TestDataIsWhole(t *testing.T) {
	t.Parallel()
	if len(lexicon) < 700 || len(phonemes) < 38 || len(cast.Voices) != 9 {
		t.Errorf("%d words, %d sounds, %d voices", len(lexicon), len(phonemes), len(cast.Voices))
	}
	for name, v := range cast.Voices {
		if v != v.clamped() {
			t.Errorf("%s is out of range: %+v", name, v)
		}
	}
	for word, sounds := range lexicon {
		vowels := 0
		for _, s := range sounds {
			if s.kind.vocalic() {
				vowels++
			}
			if s.stress > 0 && !s.kind.vocalic() {
				t.Errorf("%s: stress on %s", word, s.name)
			}
		}
		if vowels == 0 {
			t.Errorf("%s has no vowel", word)
		}
	}
	for _, letters := range readings.Letters {
		for _, w := range strings.Fields(letters) {
			if lexicon[w] == nil && w != "are" {
				t.Errorf("the name of a letter, %q, is not in the lexicon", w)
			}
		}
	}
	if _, err := parsePhonemes("XX v 1 2"); err == nil {
		t.Error("a short line is accepted")
	}
	if _, err := parseSpelling("a[b]c"); err == nil {
		t.Error("a rule without sounds is accepted")
	}
	if _, err := parseLexicon("word QQ"); err == nil {
		t.Error("an unknown sound is accepted")
	}
}

// Whatever is written, reading it ends and stays within bounds. This is the part
// of speaking that text can upset, without the cost of the sound.
func FuzzReading(f *testing.F) {
	f.Add("Hello, world! 123 $4.50 e.g. 'tis NASA's 21st…")
	f.Add("\x00\xff\u202e🎵'''' 99999999999999999999.9,9:9 a'b 0:0 7s 007th")
	f.Add("bcdfghjklmnpqrstvwxz zzzzzz rhythm aeiouy")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range clauses(text) {
			if len(c.words) == 0 || len(c.words) > maxClause+200 {
				t.Fatalf("%d words in a clause", len(c.words))
			}
			segs := segmentsOf(c)
			timing(segs, 1)
			for _, s := range segs {
				if !(s.seconds > 0.005 && s.seconds < 1) {
					t.Fatalf("%s lasts %v s", s.name, s.seconds)
				}
			}
			for _, fr := range track(targetsOf(segs)) {
				for k := range fr.f {
					if !(fr.f[k] > 100 && fr.f[k] < 4000 && fr.b[k] > 0) {
						t.Fatalf("formants %v, bandwidths %v", fr.f, fr.b)
					}
				}
			}
		}
		Syllables(text)
	})
}

// Speaking leaves the table of sounds as it was: what one text bends must not be
// heard in the next.
func TestSpeakingLeavesTheSoundsAlone(t *testing.T) {
	before, err := parsePhonemes(phonemeText)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a quick green cook kept going back", "singing kings", "four new dark roads"} {
		if _, _, err := builtin(t.Context(), text, cast.Neutral, 1, 1, func(float64) {}); err != nil {
			t.Fatal(err)
		}
	}
	for name, p := range before {
		if *p != *phonemes[name] {
			t.Errorf("%s was changed: %+v, was %+v", name, *phonemes[name], *p)
		}
	}
}
