package paint

import (
	"bytes"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/worktest"
)

// carriers are prompts in which a word can do what it is for.
var carriers = []string{
	"%s", "a car at night, %s", "a %s car", "%s cats", "a horse %s", "a boat on the sea, %s", "a man %s a guitar", "a train %s a bridge", "a cat %s a chair",
	"a woman with red %s", "a house with a red %s", "a boat with a red %s", "a flower with blue %s", "a dragon with red %s", "a lion with a blue %s",
	"a man with green %s", "a snowman with a green %s", "an astronaut with a green %s",
}

// Whatever word of the lexicon counts as understood changes the picture: it is
// painted with the word and without it. And every word that stands for something
// counts as understood somewhere, unless it is marked as not painted.
func TestEveryUnderstoodWordIsSeen(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	const w, h, at = 64, 48, 2.4 // a moment at which what moves has moved
	paint := func(s Scene) ([]*image.NRGBA, error) {
		img, err := PaintScene(t.Context(), s, Look{Texture: 1}, w, h, 5, at, nil)
		return []*image.NRGBA{img}, err
	}
	bare := map[string][]byte{} // carriers without a word
	for _, c := range carriers {
		img, err := paint(Read(fmt.Sprintf(c, "")))
		if err != nil {
			t.Fatal(err)
		}
		bare[c] = img[0].Pix
	}
	known := lexicon.Words()
	for _, word := range lexicon.SortedKeys(known.Words) {
		m := known.Words[word]
		said := m.Group != "ignore" && m.Group != "palette" && m.Group != "without" && !(m.Group == "relation" && m.Attributes["plain"] != "")
		if !said {
			continue
		}
		claimed, seen := false, false
		for _, c := range carriers {
			scene := Read(fmt.Sprintf(c, word))
			if slices.Contains(scene.NotUnderstood(), word) {
				continue
			}
			scene.mentions = slices.DeleteFunc(scene.mentions, func(m mention) bool { return m.word != word })
			var with []byte
			shown, err := scene.Painted(t.Context(), func(s Scene) ([]*image.NRGBA, error) {
				img, err := paint(s)
				if with == nil && err == nil {
					with = img[0].Pix
				}
				return img, err
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(scene.mentions) == 0 || slices.Contains(shown.NotUnderstood(), word) {
				continue
			}
			claimed = true
			if seen = !bytes.Equal(with, bare[c]); seen {
				break
			}
		}
		switch unpainted := known.Loose(word) || m.Group == "unpainted"; {
		case claimed && unpainted:
			t.Errorf("%q is marked as not painted and counts as understood", word)
		case claimed && !seen:
			t.Errorf("%q counts as understood and changes nothing", word)
		case !claimed && !unpainted:
			t.Errorf("%q (%s %s) is never understood: it does not belong in the lexicon", word, m.Group, m.Key)
		}
	}
}

func TestWhatIsNotPaintedIsNotUnderstood(t *testing.T) {
	t.Parallel()
	tests := []struct{ prompt, understood, not string }{
		{"a man with a beard", "man", "beard"},
		{"a man with a red beard", "man", "beard, red"},
		{"a living room", "in: room (nearest to living room)", "living room"},
		{"a blue sofa", "blue chair (nearest to sofa)", "sofa"},
		{"a sad robot", "robot", "sad"},
		{"a robot that is sad", "robot", "sad"},
		{"a fire", "campfire (nearest to fire)", "fire"},
		{"a sad forest", "in: forest; mood: sad", ""},
		{"two moons over a lake", "in: lake; sky: moon", "two"},
		{"20 cats", "12 cat", "20"},
		{"a windy desert", "in: desert", "windy"},
		{"the sea on a windy day", "in: sea; time: day; weather: wind", ""},
		{"a cat in a room", "cat; in: room", ""},
		{"a snowy winter forest at night", "in: forest; time: night; weather: snow", ""},
		{"a knight riding a horse behind a fluffy dog", "knight and horse and dog", "behind, fluffy"},
		{"a table in the sea", "in: table", "sea"},
		{"a cat, a dog without clouds", "cat and dog; without: clouds", ""},
		{"three cats, one dog", "3 cat and dog", ""},
	}
	for _, tt := range tests {
		s, err := Request{Prompt: tt.prompt, Width: 768, Height: 512, Seed: 4}.Painted(t.Context(), Paint)
		if err != nil {
			t.Fatal(err)
		}
		not := strings.Join(s.NotUnderstood(), ", ")
		if s.Unknown = nil; Describe(s) != tt.understood || not != tt.not {
			t.Errorf("%q\n got %s, not %q\nwant %s, not %q", tt.prompt, Describe(s), not, tt.understood, tt.not)
		}
	}
}
