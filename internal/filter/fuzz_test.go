package filter_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/filter"
	"github.com/atelier-project/atelier/internal/worktest"
)

// Every text gets a verdict quickly, and the same text always gets the same one.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{
		"", "a", "nude", "n u d e", "p*rn", "no nudity, gore or porn", "12yo", "12歳のビキニ", "裸 体", "ヌーーード", "пopно", "\xff\xfe nude \x80",
		"n\u0336u\u0336de", "\u3099か\u3099", "\u1109\u1166\u11a8", "***", "n**e", "@ $ ! |", "a.b-c_d/e", "###", "___", "ｎｕｄｅ", "🅝🅤🅓🅔", "ﷺ", "ǆ",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v filter.Verdict
		var err error
		took := worktest.CPUTime(func() { v, err = builtIn.Check(context.Background(), text) })
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if v.Flagged != (len(v.Categories) > 0) || !slices.IsSorted(v.Categories) {
			t.Fatalf("%q: got %+v, want sorted categories when flagged and only then", text, v)
		}
		if worktest.TooLong(took, time.Second+time.Duration(len(text))*100*time.Microsecond) {
			t.Fatalf("%d bytes took %v", len(text), took)
		}
		again, _ := builtIn.Check(context.Background(), text)
		if again.Flagged != v.Flagged || !slices.Equal(again.Categories, v.Categories) {
			t.Fatalf("%q: got %+v, then %+v", text, v, again)
		}
	})
}

// A file of terms is read or refused, without a panic.
func FuzzTerms(f *testing.F) {
	for _, s := range []string{
		"", "[sexual]\nnude, naked|bare skin", "[safe]\nnude _ lipstick", "[minor]\n#yo, # year old", "[sexual]\nporn*", "[missing]\nx",
		"x", "[sexual]\n*", "[sexual]\n|", "[sexual]\n#", "[sexual]\na* b", "[sexual]\n,,,//", "[", "]", "[sexual]\n\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 || strings.Count(text, "|") > 12 {
			t.Skip() // alternatives multiply
		}
		if err := filter.ReadTerms(text); err != nil && !strings.HasPrefix(err.Error(), "terms.txt:") {
			t.Fatalf("%q: got %v, want an error that names the line", text, err)
		}
	})
}
