package voice

import (
	"fmt"
	"strings"
	"unicode"
)

// espeakNames are the languages of the interface and what espeak-ng calls them.
var espeakNames = map[string]string{
	"english": "en-us", "chinese": "cmn", "japanese": "ja", "korean": "ko", "german": "de",
	"french": "fr-fr", "russian": "ru", "portuguese": "pt-br", "spanish": "es", "italian": "it",
}

// languageOf returns the language of a text: the requested one, or the one
// detected from its script and its common words.
func languageOf(asked, text string) (string, error) {
	asked = strings.ToLower(strings.TrimSpace(asked))
	if asked != "" && asked != "auto" {
		if espeakNames[asked] == "" {
			return "", fmt.Errorf("speak: the language %q is not known", asked)
		}
		return asked, nil
	}
	count := map[string]int{}
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			count["japanese"] += 3 // kana distinguish Japanese from Chinese
		case unicode.Is(unicode.Han, r):
			count["chinese"]++
		case unicode.Is(unicode.Hangul, r):
			count["korean"]++
		case unicode.Is(unicode.Cyrillic, r):
			count["russian"]++
		case unicode.Is(unicode.Latin, r):
			count["latin"]++
		}
	}
	best := "latin"
	for _, l := range []string{"japanese", "chinese", "korean", "russian"} {
		if 3*count[l] > count[best] && (best == "latin" || count[l] > count[best]) {
			best = l
		}
	}
	if best != "latin" {
		return best, nil
	}
	best = "english"
	seen := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		for l, words := range readings.Languages {
			for _, s := range words {
				if s == w {
					seen[l]++
				}
			}
		}
	}
	for _, l := range []string{"german", "french", "spanish", "italian", "portuguese"} {
		if seen[l] > seen[best] && seen[l] >= 2 {
			best = l
		}
	}
	return best, nil
}
