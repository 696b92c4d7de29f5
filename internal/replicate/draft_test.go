package replicate_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/replicate"
)

// What another attempt repeats is not sent again, and nothing of one that differs.
func TestDraft(t *testing.T) {
	t.Parallel()
	var d replicate.Draft
	if !d.IsEmpty() {
		t.Error("something was sent")
	}
	for i, c := range []struct {
		restart    bool
		text, sent string
	}{
		{true, "A red", "A red"}, {false, " fox", " fox"}, {false, "", ""},
		{true, "A r", ""}, {false, "ed fox in", " in"}, {false, " the", " the"},
		{true, "A red hat", ""}, {false, " in the", ""},
		{true, "A red fox in the snow", " snow"},
	} {
		if c.restart {
			d.Restart()
		}
		if got := d.Add(c.text); got != c.sent {
			t.Errorf("%d: got %q, want %q", i, got, c.sent)
		}
	}
	if rest, ok := d.Rest("A red fox in the snow."); rest != "." || !ok {
		t.Errorf("got %q, %v", rest, ok)
	}
	if _, ok := d.Rest("A blue fox."); ok {
		t.Error("another text is taken for the same")
	}
}

// A long text costs no more for each of its pieces than a short one.
func TestLongDraft(t *testing.T) {
	t.Parallel()
	const pieces = 1 << 20
	var d replicate.Draft
	for range pieces {
		d.Add("word ")
	}
	if _, ok := d.Rest(strings.Repeat("word ", pieces)); !ok {
		t.Error("it is another text")
	}
}
