package voice

import (
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

//go:embed data/words.json
var wordsJSON []byte

// readings holds the readings of numbers, signs and abbreviations.
var readings = func() (b struct {
	Abbreviations map[string]string
	Letters       map[string]string
	Symbols       map[string]string
	Money         map[string][2]string
	Languages     map[string][]string
}) {
	if err := json.Unmarshal(wordsJSON, &b); err != nil {
		panic(err) // the file is part of the program
	}
	return b
}()

// clause is a phrase between two pauses.
type clause struct {
	words []string // lower-case letters and apostrophes
	mark  rune     // the punctuation at its end
}

// folded maps letters with diacritics to plain ones.
var folded = strings.NewReplacer(
	"à", "a", "á", "a", "â", "a", "ã", "a", "ä", "a", "å", "a", "ā", "a", "æ", "ae", "ç", "c", "č", "c", "è", "e", "é", "e", "ê", "e", "ë", "e", "ē", "e",
	"ì", "i", "í", "i", "î", "i", "ï", "i", "ñ", "n", "ò", "o", "ó", "o", "ô", "o", "õ", "o", "ö", "o", "ø", "o", "ō", "o", "œ", "oe", "š", "s", "ß", "ss",
	"ù", "u", "ú", "u", "û", "u", "ü", "u", "ū", "u", "ý", "y", "ÿ", "y", "ž", "z", "’", "'", "‘", "'", "…", ". ", "—", ", ", "–", ", ", "“", " ", "”", " ", "\"", " ",
)

// maxClause is the number of words after which a text without punctuation gets
// a pause.
const maxClause = 22

// clauses reads a text: numbers, signs and abbreviations become words, and
// punctuation separates clauses. Characters without a sound in English are
// ignored.
func clauses(text string) []clause {
	var out []clause
	var now clause
	end := func(mark rune) {
		if len(now.words) > 0 {
			now.mark = mark
			out = append(out, now)
			now = clause{}
		}
	}
	say := func(words ...string) {
		for _, w := range words {
			now.words = append(now.words, strings.Fields(w)...)
		}
		if len(now.words) >= maxClause {
			end(',')
		}
	}
	runes := []rune(folded.Replace(strings.ToValidUTF8(text, " ")))
	for i := 0; i < len(runes); {
		r := runes[i]
		switch {
		case r >= '0' && r <= '9':
			n := numberEnd(runes[i:])
			i += n
			tail := wordEnd(runes[i:])
			say(quantity(string(runes[i-n:i]), string(runes[i:i+tail]))...)
			i += tail
			if i < len(runes) && runes[i] == '%' {
				say("percent")
				i++
			}
		case readings.Money[string(r)] != [2]string{} && i+1 < len(runes) && runes[i+1] >= '0' && runes[i+1] <= '9':
			n := numberEnd(runes[i+1:])
			say(money(string(runes[i+1:i+1+n]), readings.Money[string(r)])...)
			i += 1 + n
		case asciiLetter(r):
			n := wordEnd(runes[i:])
			word := string(runes[i : i+n])
			dotted := i+n < len(runes) && runes[i+n] == '.'
			i += n
			said, short := read(word, dotted)
			say(said...)
			if short && dotted {
				i++ // the full stop belongs to the abbreviation
			}
		default:
			if s := readings.Symbols[string(r)]; s != "" {
				say(s)
			}
			switch {
			case strings.ContainsRune(".!?,;:", r):
				end(r)
			case strings.ContainsRune("。！？", r):
				end('.')
			case r == '(' || r == ')' || r == '[' || r == ']' || r == '\n' && i+1 < len(runes) && runes[i+1] == '\n':
				end(',')
			}
			i++
		}
	}
	end('.')
	return out
}

func asciiLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func wordEnd(r []rune) int {
	n := 0
	for n < len(r) && (asciiLetter(r[n]) || n > 0 && r[n] == '\'' && n+1 < len(r) && asciiLetter(r[n+1])) {
		n++
	}
	return n
}

// numberEnd takes points, commas and colons along when a digit follows them.
func numberEnd(r []rune) int {
	n := 0
	digit := func(i int) bool { return i < len(r) && r[i] >= '0' && r[i] <= '9' }
	for digit(n) || n < len(r) && strings.ContainsRune(".,:", r[n]) && digit(n+1) {
		n++
	}
	return n
}

// quantity returns the words of a number with its unit.
func quantity(num, tail string) []string {
	tail = strings.ToLower(tail)
	switch tail {
	case "st", "nd", "rd", "th":
		if n, err := strconv.ParseUint(num, 10, 64); err == nil && n < 1e15 {
			return ordinal(n)
		}
		return number(num)
	case "s":
		out := number(num)
		out[len(out)-1] += "s"
		return out
	case "":
		return number(num)
	}
	said, _ := read(tail, true)
	return append(number(num), said...)
}

// money returns the words of an amount, with the currency behind the number.
func money(num string, coin [2]string) []string {
	whole, part, _ := strings.Cut(num, ".")
	name := coin[1]
	if whole == "1" {
		name = coin[0]
	}
	out := append(number(whole+"."), name)
	if len(part) == 2 && part != "00" {
		out = append(out, number(strings.TrimLeft(part, "0"))...)
	}
	return out
}

// read returns how a word is read: as it is, as what it abbreviates, or letter
// by letter.
func read(word string, dotted bool) (said []string, short bool) {
	low := strings.ToLower(word)
	if full := readings.Abbreviations[low]; full != "" && (dotted || len(low) != 2 || low == "ok" || low == "tv" || low == "ai" || low == "km" || low == "kg") {
		return strings.Fields(full), true
	}
	if lexicon[low] != nil && (len(word) > 1 || low == "a" || low == "i") {
		return []string{low}, false
	}
	capitals := strings.ToUpper(word) == word && len(word) <= 4 && len(word) > 1
	if len(word) == 1 || !strings.ContainsAny(low, vowelLetters) && len(word) <= 6 || capitals && !speakable(low) {
		var out []string
		for _, r := range low {
			if unicode.IsLetter(r) {
				out = append(out, strings.Fields(readings.Letters[string(r)])...)
			}
		}
		return out, len(word) == 1
	}
	return []string{low}, false
}

// speakable reports whether capitals are a word, such as NASA, and not letters.
func speakable(low string) bool {
	if len(low) < 4 {
		return false
	}
	for i := 1; i < len(low); i++ {
		if isVowel(low[i]) == isVowel(low[i-1]) {
			return false
		}
	}
	return true
}
