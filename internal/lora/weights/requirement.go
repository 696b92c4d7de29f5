package weights

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/atelier-project/atelier/internal/codec/safetensors"
)

// triggerNames are the entries of the metadata in which trainers and editors of
// metadata write the words that a LoRA was trained with.
var triggerNames = []string{"modelspec.trigger_phrase", "ss_trigger_words", "trigger_phrase", "trigger_words", "trigger_word"}

// maxTrigger is the characters of trigger words that are shown.
const maxTrigger = 100

// Requirements are the rules for the use of an accepted file, as sentences for its
// owner. Most files have none.
func Requirements(familyName string, h *safetensors.Header) []string {
	list := slices.Clone(families[familyName].requirements)
	for _, name := range triggerNames {
		if words := cleanTrigger(h.Metadata[name]); words != "" {
			return append(list, fmt.Sprintf("Write “%s” in the prompt: the LoRA was trained with it.", words))
		}
	}
	return list
}

// cleanTrigger gives trigger words on one line, or nothing where the text, which its
// author wrote, has characters that words do not have or is too long to be words.
func cleanTrigger(text string) string {
	if len(text) > 4*maxTrigger {
		return ""
	}
	words := []rune(strings.Join(strings.Fields(text), " "))
	if len(words) > maxTrigger || !slices.ContainsFunc(words, unicode.IsLetter) {
		return ""
	}
	for _, r := range words {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ,.-_'()+&", r) {
			return ""
		}
	}
	return string(words)
}
