package slot_test

import (
	"fmt"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// Each function finds its value and leaves the rest of the clause.
func TestTake(t *testing.T) {
	t.Parallel()
	l, err := token.LoadLexicon()
	if err != nil {
		t.Fatal(err)
	}
	duration := func(c *token.Clause) any { v, _ := slot.TakeDuration(c); return v }
	size := func(c *token.Clause) any { w, h, _ := slot.TakeSize(c); return fmt.Sprint(w, "x", h) }
	ratio := func(c *token.Clause) any { v, _ := slot.TakeAspectRatio(c, false); return v }
	span := func(c *token.Clause) any { v, _ := slot.TakeSpan(c); return v }
	tempo := func(c *token.Clause) any { v, _ := slot.TakeTempo(c); return v }
	key := func(c *token.Clause) any { return slot.TakeKey(c) }
	negative := func(c *token.Clause) any { return slot.TakeNegativePrompt(c) }
	scale := func(c *token.Clause) any { v, _ := slot.TakeScale(c); return v }
	for _, k := range []struct {
		text string
		take func(*token.Clause) any
		want any
		rest string
	}{
		{"a fox, 10 seconds long", duration, 10.0, "a fox"},
		{"a clip of a fox for two and a half minutes", duration, 150.0, "a clip of a fox"},
		{"the fashion of the 1920s", duration, 0.0, "the fashion of the 1920s"},
		{"a fox at 1024x768 in snow", size, "1024x768", "a fox in snow"},
		{"a fox in 16:9", ratio, "16:9", "a fox"},
		{"a square table", ratio, "", "a square table"},
		{"blur it from 1:02 to 1:05", span, slot.Span{From: 62, To: 65}, "blur it"},
		{"calm piano at 90 bpm", tempo, 90.0, "calm piano"},
		{"calm piano in C sharp minor", key, "C# minor", "calm piano"},
		{"a street without people or cars", negative, "people, cars", "a street"},
		{"enlarge it by a factor of 3", scale, 3.0, "enlarge it"},
	} {
		c := l.Parse(k.text).SplitClauses()[0]
		if got := k.take(c); got != k.want {
			t.Errorf("%q: got %v, want %v", k.text, got, k.want)
		}
		if got := c.Unused(c.Start, c.End); got != k.rest {
			t.Errorf("%q: got rest %q, want %q", k.text, got, k.rest)
		}
	}
}
