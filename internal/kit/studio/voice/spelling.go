package voice

import (
	_ "embed"
	"fmt"
	"strings"
)

// spellingRule is the sound of some letters in a context.
type spellingRule struct {
	left, letters, right string
	sounds               []string
}

//go:embed data/spelling.txt
var spellingText string

// spellingRules are indexed by their first letter.
var spellingRules = func() map[byte][]spellingRule {
	m, err := parseSpelling(spellingText)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return m
}()

func parseSpelling(text string) (map[byte][]spellingRule, error) {
	out := map[byte][]spellingRule{}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "# ") || line == "#" {
			continue
		}
		head, tail, ok := strings.Cut(line, "=")
		left, rest, open := strings.Cut(strings.TrimSpace(head), "[")
		letters, right, shut := strings.Cut(rest, "]")
		if !ok || !open || !shut || letters == "" {
			return nil, fmt.Errorf("spelling line %d: %q", n+1, line)
		}
		r := spellingRule{left, letters, right, strings.Fields(tail)}
		for _, s := range r.sounds {
			if phonemes[s] == nil {
				return nil, fmt.Errorf("spelling line %d: no sound %q", n+1, s)
			}
		}
		out[letters[0]] = append(out[letters[0]], r)
	}
	return out, nil
}

// soundOut sounds out a word of lower-case letters and apostrophes.
func soundOut(word string) []string {
	var out []string
	for i := 0; i < len(word); {
		step := 1
		for _, r := range spellingRules[word[i]] {
			if strings.HasPrefix(word[i:], r.letters) && fitsLeft(word[:i], r.left) && fitsRight(word[i+len(r.letters):], r.right) {
				out = append(out, r.sounds...)
				step = len(r.letters)
				break
			}
		}
		i += step
	}
	return out
}

const vowelLetters = "aeiouy"

func isVowel(b byte) bool     { return strings.IndexByte(vowelLetters, b) >= 0 }
func isConsonant(b byte) bool { return b >= 'a' && b <= 'z' && !isVowel(b) }

// fitsRight compares what follows with a pattern, from left to right.
func fitsRight(text, pattern string) bool {
	if pattern == "" {
		return true
	}
	c, rest := pattern[0], pattern[1:]
	switch c {
	case '_':
		return (text == "" || text[0] == '\'') && fitsRight(text, rest)
	case '#':
		n := 0
		for n < len(text) && isVowel(text[n]) {
			n++
		}
		return n > 0 && (fitsRight(text[n:], rest) || n > 1 && fitsRight(text[1:], rest))
	case ':':
		n := 0
		for n < len(text) && isConsonant(text[n]) {
			n++
		}
		for ; n >= 0; n-- {
			if fitsRight(text[n:], rest) {
				return true
			}
		}
		return false
	case '%':
		for _, ending := range []string{"ers", "er", "es", "ed", "ing", "ely", "e"} {
			if tail, ok := strings.CutPrefix(text, ending); ok && (tail == "" || tail[0] == '\'') && fitsRight(tail, rest) {
				return true
			}
		}
		return false
	}
	return text != "" && fitsOne(text[0], c) && fitsRight(text[1:], rest)
}

// fitsLeft compares what came before with a pattern, from right to left.
func fitsLeft(text, pattern string) bool {
	if pattern == "" {
		return true
	}
	c, rest := pattern[len(pattern)-1], pattern[:len(pattern)-1]
	switch c {
	case '_':
		return text == "" && fitsLeft(text, rest)
	case '#':
		n := len(text)
		for n > 0 && isVowel(text[n-1]) {
			n--
		}
		return n < len(text) && (fitsLeft(text[:n], rest) || n < len(text)-1 && fitsLeft(text[:len(text)-1], rest))
	case ':':
		n := len(text)
		for n > 0 && isConsonant(text[n-1]) {
			n--
		}
		for ; n <= len(text); n++ {
			if fitsLeft(text[:n], rest) {
				return true
			}
		}
		return false
	case '&':
		for _, two := range []string{"ch", "sh"} {
			if head, ok := strings.CutSuffix(text, two); ok && fitsLeft(head, rest) {
				return true
			}
		}
	case '@':
		for _, two := range []string{"th", "ch", "sh"} {
			if head, ok := strings.CutSuffix(text, two); ok && fitsLeft(head, rest) {
				return true
			}
		}
	}
	return text != "" && fitsOne(text[len(text)-1], c) && fitsLeft(text[:len(text)-1], rest)
}

// fitsOne compares one letter with one sign of a pattern.
func fitsOne(b, sign byte) bool {
	switch sign {
	case '^':
		return isConsonant(b)
	case '.':
		return strings.IndexByte("bdgjlmnrvwz", b) >= 0
	case '+':
		return b == 'e' || b == 'i' || b == 'y'
	case '&':
		return strings.IndexByte("scgzxj", b) >= 0
	case '@':
		return strings.IndexByte("tsrdlznj", b) >= 0
	}
	return b == sign
}
