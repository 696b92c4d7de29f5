package atelier

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Nearest is the name of a list that a wrong one probably means, or empty: it differs in a
// few letters or in how its words are joined, or shares a word.
func Nearest(wrong string, names []string) string {
	words := strings.Split(snakeCase(Excerpt(wrong)), "_")
	for i, word := range words {
		words[i] = cmp.Or(synonyms[word], word)
	}
	spelled := strings.Join(words, "_")
	best, least := "", 0
	for _, name := range names {
		right := snakeCase(name)
		far := distance(spelled, right)
		parts, shared := strings.Split(right, "_"), 0
		for _, word := range words {
			if len(word) > 2 && slices.Contains(parts, word) {
				shared++
			}
		}
		if shared == 0 && far > len(right)/3 {
			continue
		}
		if far -= 4 * shared; best == "" || far < least {
			best, least = name, far
		}
	}
	return best
}

// synonyms are other words for those in the names of tools.
var synonyms = map[string]string{
	"pic": "image", "picture": "image", "img": "image", "clip": "video", "movie": "video", "film": "video",
	"create": "generate", "make": "generate", "song": "music", "audio": "music", "voice": "speech", "tts": "speech", "bg": "background",
}

// DidYouMean is the nearest name of a list in brackets, for a message that refuses a wrong
// one. It is empty where none is near.
func DidYouMean(wrong string, names []string) string {
	if nearest := Nearest(wrong, names); nearest != "" {
		return " (did you mean " + nearest + "?)"
	}
	return ""
}

// Excerpt is as much of a caller's name as is quoted and compared.
func Excerpt(name string) string {
	n := 0
	for at := range name {
		if n++; n > 64 {
			return name[:at] + "…"
		}
	}
	return name
}

// snakeCase spells generateImage and Generate-Image as tools are: generate_image.
func snakeCase(name string) string {
	var b strings.Builder
	gap := true
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			if !gap {
				b.WriteByte('_')
			}
			gap = true
			continue
		case unicode.IsUpper(r) && !gap:
			b.WriteByte('_')
		}
		gap = unicode.IsUpper(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.TrimSuffix(b.String(), "_")
}

// distance is the number of bytes to insert, delete or replace to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
