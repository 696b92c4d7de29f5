package intent_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/kit/talk/intent"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

func TestRecognize(t *testing.T) {
	t.Parallel()
	l, err := token.LoadLexicon()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := intent.LoadRules()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]intent.Act{
		"draw a fox":                       "make",
		"animate my photo":                 "animate",
		"remove the background":            "cutout",
		"upscale it to 4k":                 "upscale",
		"turn it into a 3d model":          "model3d",
		"add subtitles to the clip":        "subtitle",
		"replace seconds 2 to 4 with rain": "replace-segment",
		"write lyrics about rain":          "lyrics",
		"the weather in Paris":             "",
	} {
		if got, _ := intent.Recognize(rules, l.Parse(text).SplitClauses()[0]); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestIsQuestion(t *testing.T) {
	t.Parallel()
	l, err := token.LoadLexicon()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"How long can a clip be?": true, "what is this": true, "draw a fox": false, "can you draw a fox?": false} {
		if got := intent.IsQuestion(l.Parse(text).SplitClauses()[0]); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
