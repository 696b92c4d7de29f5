package token_test

import (
	"reflect"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

func loadLexicon(t *testing.T) *token.Lexicon {
	t.Helper()
	l, err := token.LoadLexicon()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTokenize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                                nil,
		"It's 1,024x768!":                 {"it's", "1024", "x768", "!"},
		"a black-and-white photo":         {"a", "black", "and", "white", "photo"},
		`say "Hello  World" twice`:        {"say", "Hello  World", "twice"},
		"see https://example.org/a.png, ": {"see", "https://example.org/a.png", ","},
		"5'4\" tall":                      {"5", "'", "4", "\"", "tall"},
	} {
		var got []string
		for _, tok := range token.Tokenize(text) {
			got = append(got, tok.Text)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestSplitClauses(t *testing.T) {
	t.Parallel()
	l := loadLexicon(t)
	for text, want := range map[string][]string{
		"draw a fox and animate it":             {"draw a fox", "animate it"},
		"draw a fox and a bear":                 {"draw a fox and a bear"},
		"Please draw a wall with a photo.":      {"draw a wall with a photo"},
		"1. a fox\n2. a bear":                   {"a fox", "a bear"},
		"Draw Mr. Fox, then upscale it to 4k!?": {"Draw Mr. Fox", "upscale it to 4k"},
	} {
		var got []string
		for _, c := range l.Parse(text).SplitClauses() {
			got = append(got, c.Excerpt(c.Start, c.End))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestCorrectSpelling(t *testing.T) {
	t.Parallel()
	l := loadLexicon(t)
	for text, want := range map[string]string{"darw a fox": "draw a fox", "a vidoe": "a video", "a fox": "a fox"} {
		if got := l.CorrectSpelling(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
