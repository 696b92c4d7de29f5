package write_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/kit/write"
	"github.com/atelier-project/atelier/internal/yamldoc"
)

// Every line of a songbook ends on one of the words that rhyme.
func TestSongbooksRhyme(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("data/lyrics/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d songbooks, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var book map[string]any
		if err := yamldoc.Decode(name, text, &book); err != nil {
			t.Fatal(err)
		}
		for _, v := range book["rhymes"].([]any) {
			r := v.(map[string]any)
			var count = map[string]int{}
			for _, v := range r["lines"].([]any) {
				l := v.(map[string]any)
				line := l["text"].(string)
				words := strings.Fields(line)
				last := words[len(words)-1]
				if i := strings.LastIndexByte(last, '\''); i >= 0 {
					last = last[i+1:]
				}
				if !slices.Contains(r["ends"].([]any), any(last)) {
					t.Errorf("%s: %q ends on %q, which is not one of %v", name, line, last, r["ends"])
				}
				mood, _ := l["mood"].(string)
				count[mood]++
			}
			if count[""]+count["bright"] < 2 && count[""]+count["low"] < 2 {
				t.Errorf("%s: the sound %v has too few lines: %v", name, r["sound"], count)
			}
		}
	}
}

// A verse rhymes crosswise.
func TestVersesRhyme(t *testing.T) {
	t.Parallel()
	known, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	text := write.New(known).WriteLyrics(draft.Arguments{"prompt": "the harbour", "duration_seconds": 120.0}).Lyrics
	verse := regexp.MustCompile(`(?s)\[verse\]\n(.*?)\n\n`).FindStringSubmatch(text)
	rows := strings.Split(verse[1], "\n")
	rows = rows[len(rows)-4:]
	book, err := os.ReadFile("data/lyrics/en.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sound := func(line string) string {
		words := strings.Fields(line)
		last := words[len(words)-1]
		for _, row := range strings.Split(string(book), "\n") {
			if strings.Contains(row, "ends: [") && slices.Contains(strings.FieldsFunc(row, func(r rune) bool { return strings.ContainsRune("[], ", r) }), last) {
				return row
			}
		}
		return last
	}
	if sound(rows[0]) != sound(rows[2]) || sound(rows[1]) != sound(rows[3]) || sound(rows[0]) == sound(rows[1]) {
		t.Errorf("got %q, want it to rhyme crosswise", rows)
	}
}
