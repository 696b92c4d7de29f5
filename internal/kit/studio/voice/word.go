package voice

import (
	_ "embed"
	"fmt"
	"strings"
)

// phone is a sound of a word with its stress.
type phone struct {
	*phoneme
	stress int
}

//go:embed data/lexicon.txt
var lexiconText string

var lexicon = func() map[string][]phone {
	m, err := parseLexicon(lexiconText)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return m
}()

func parseLexicon(text string) (map[string][]phone, error) {
	out := map[string][]phone{}
	for n, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		if out[fields[0]] != nil {
			return nil, fmt.Errorf("lexicon line %d: %s is there twice", n+1, fields[0])
		}
		for _, f := range fields[1:] {
			name := strings.TrimRight(f, "12")
			p := phone{phoneme: phonemes[name]}
			if p.phoneme == nil {
				return nil, fmt.Errorf("lexicon line %d: no sound %q", n+1, f)
			}
			if name != f {
				p.stress = int(f[len(f)-1] - '0')
			}
			out[fields[0]] = append(out[fields[0]], p)
		}
	}
	return out, nil
}

// pronounce gives the sounds of a word of lower-case letters and apostrophes:
// from the lexicon, else as a form or compound of words in it, else by its
// spelling.
func pronounce(word string) []phone {
	word = strings.Trim(word, "'")
	if p, ok := lexicon[word]; ok {
		return p
	}
	if p := inflected(word); p != nil {
		return p
	}
	if p := compound(word); p != nil {
		return p
	}
	if head, ok := strings.CutSuffix(word, "'s"); ok && head != "" {
		return plural(pronounce(head))
	}
	return assignStress(strings.ReplaceAll(word, "'", ""), soundOut(word))
}

func sounds(names ...string) []phone {
	out := make([]phone, len(names))
	for i, n := range names {
		out[i].phoneme = phonemes[n]
	}
	return out
}

func join(parts ...[]phone) []phone {
	var out []phone
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// plural adds the s of a plural, of "she runs", and of "John's".
func plural(p []phone) []phone {
	if len(p) == 0 {
		return sounds("S")
	}
	switch last := p[len(p)-1]; {
	case strings.Contains(" S Z SH ZH CH JH ", " "+last.name+" "):
		return join(p, sounds("IH", "Z"))
	case last.voiced():
		return join(p, sounds("Z"))
	}
	return join(p, sounds("S"))
}

// past adds the ed of the past tense.
func past(p []phone) []phone {
	switch last := p[len(p)-1]; {
	case last.name == "T" || last.name == "D":
		return join(p, sounds("IH", "D"))
	case last.voiced():
		return join(p, sounds("D"))
	}
	return join(p, sounds("T"))
}

// suffixes that change nothing in the word before them.
var suffixes = []struct {
	letters string
	sounds  []phone
}{
	{"ly", sounds("L", "IY")}, {"ness", sounds("N", "AX", "S")}, {"less", sounds("L", "AX", "S")},
	{"ful", sounds("F", "AX", "L")}, {"ment", sounds("M", "AX", "N", "T")}, {"er", sounds("ER")},
	{"est", sounds("AX", "S", "T")}, {"ing", sounds("IH", "NG")}, {"y", sounds("IY")}, {"ward", sounds("W", "ER", "D")},
	{"wards", sounds("W", "ER", "D", "Z")}, {"ship", sounds("SH", "IH", "P")}, {"able", sounds("AX", "B", "AX", "L")},
}

// inflected finds the word in the lexicon that this one is a form of.
func inflected(word string) []phone {
	for _, ending := range [][2]string{{"'s", ""}, {"s", ""}, {"es", ""}, {"ies", "y"}} {
		head, ok := strings.CutSuffix(word, ending[0])
		if !ok || strings.HasSuffix(word, "ss") || ending[0] == "es" && !endsInSibilant(head) {
			continue
		}
		if p := lexicon[head+ending[1]]; p != nil {
			return plural(p)
		}
	}
	if head, ok := strings.CutSuffix(word, "ed"); ok {
		if p := base(head, true); p != nil {
			return past(p)
		}
	}
	for _, s := range suffixes {
		// "comment" is not "come" with an ending, nor "apply" an apple.
		dropped := isVowel(s.letters[0]) && s.letters != "y"
		if head, ok := strings.CutSuffix(word, s.letters); ok {
			if p := base(head, dropped); p != nil {
				return join(p, s.sounds)
			}
		}
		if head, ok := strings.CutSuffix(word, s.letters+"s"); ok {
			if p := base(head, dropped); p != nil {
				return plural(join(p, s.sounds))
			}
		}
	}
	if rest, ok := strings.CutPrefix(word, "un"); ok && len(rest) > 3 {
		if p := lexicon[rest]; p != nil {
			return join([]phone{{phonemes["AH"], 2}, {phonemes["N"], 0}}, p)
		}
	}
	return nil
}

// endsInSibilant reports whether a noun takes es in the plural.
func endsInSibilant(s string) bool {
	for _, end := range []string{"s", "x", "z", "ch", "sh", "o"} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return false
}

// base finds the word that stands before an ending. A final e that the ending
// may have dropped comes first: "using" is of "use", not of "us".
func base(s string, dropped bool) []phone {
	if len(s) < 2 {
		return nil
	}
	if p := lexicon[s+"e"]; p != nil && dropped {
		return p
	}
	if p := lexicon[s]; p != nil {
		return p
	}
	if n := len(s); s[n-1] == s[n-2] && lexicon[s[:n-1]] != nil {
		return lexicon[s[:n-1]]
	}
	if head, ok := strings.CutSuffix(s, "i"); ok {
		return lexicon[head+"y"]
	}
	return nil
}

// compound finds two words of the lexicon side by side; the first carries the
// stress.
func compound(word string) []phone {
	for cut := len(word) - 3; cut >= 3; cut-- {
		a, b := lexicon[word[:cut]], lexicon[word[cut:]]
		if a == nil || b == nil {
			continue
		}
		out := join(a, b)
		for i := range out {
			if i >= len(a) && out[i].stress == 1 {
				out[i].stress = 2
			}
		}
		return out
	}
	return nil
}
