package voice

import "strings"

// endings determine the stress of a word, counted in syllables from the end:
// "sta-tion" has it on the last but one.
var endings = []struct {
	letters string
	back    int
}{
	{"ation", 1}, {"tion", 1}, {"sion", 1}, {"cian", 1}, {"cial", 1}, {"tial", 1}, {"cious", 1}, {"tious", 1},
	{"ity", 2}, {"ities", 2}, {"ify", 2}, {"ical", 2}, {"ically", 2}, {"ology", 2}, {"ologist", 2}, {"graphy", 2}, {"ic", 1}, {"ics", 1},
	{"eer", 0}, {"ette", 0}, {"esque", 0}, {"ee", 0}, {"ious", 2}, {"ian", 2}, {"ate", 2}, {"ates", 2}, {"ated", 2}, {"ating", 2}, {"ator", 3}, {"ators", 3}, {"ative", 3}, {"ary", 3}, {"ory", 3}, {"ized", 2}, {"izes", 2}, {"izing", 2}, {"ise", 2}, {"ize", 2},
}

// prefixes are not stressed in words of two syllables.
var prefixes = []string{"a", "be", "com", "con", "de", "dis", "em", "en", "ex", "for", "im", "in", "mis", "ob", "per", "pre", "pro", "re", "sub", "sur", "trans", "un"}

// assignStress puts the stress on a word that was sounded out by its spelling, and
// reduces the short vowels without stress.
func assignStress(word string, names []string) []phone {
	out := sounds(names...)
	var vowels []int
	for i, p := range out {
		if p.kind.vocalic() {
			vowels = append(vowels, i)
		}
	}
	n := len(vowels)
	if n == 0 {
		return out
	}
	// The endings of verbs and of the plural do not count.
	if last := out[vowels[n-1]].name; n > 1 && last == "IH" && (strings.HasSuffix(word, "ing") || strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "es")) {
		n--
	}
	main := 0
	switch {
	case n == 1:
	default:
		main = max(0, n-3)
		if n == 2 {
			main = 0
			for _, p := range prefixes {
				// "a" is a prefix of "alone" but not of "apple".
				if rest, ok := strings.CutPrefix(word, p); ok && len(rest) >= 3 && (len(p) > 1 || !strings.HasPrefix(rest, string(rest[0])+string(rest[0])) && isConsonant(rest[0])) && out[vowels[1]].name != "AX" && out[vowels[1]].name != "ER" && !strings.HasSuffix(word, "y") {
					main = 1
					break
				}
			}
		}
		for _, e := range endings {
			if strings.HasSuffix(word, e.letters) || strings.HasSuffix(word, e.letters+"s") {
				main = max(0, n-1-e.back)
				break
			}
		}
	}
	// The reduced vowel is not stressed when another one can be.
	if out[vowels[main]].name == "AX" && n > 1 {
		for k := range vowels {
			if out[vowels[k]].name != "AX" {
				main = k
				break
			}
		}
	}
	for k, i := range vowels {
		switch {
		case k == main:
			out[i].stress = 1
			if out[i].name == "AX" {
				out[i].phoneme = phonemes["AH"]
			}
		case out[i].name == "EH":
			// "moment" is reduced, "offset" is not.
			if k > main && i+1 < len(out) && strings.Contains(" N L M ", " "+out[i+1].name+" ") {
				out[i].phoneme = phonemes["AX"]
			}
		case strings.Contains(" AE AH AA ", " "+out[i].name+" "):
			if k == main+1 || k+1 == main || k == n-1 {
				out[i].phoneme = phonemes["AX"]
			}
		case out[i].kind == diphthong && (k+2 == main || k == main+2):
			out[i].stress = 2
		}
	}
	return out
}
