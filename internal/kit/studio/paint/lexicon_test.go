package paint

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
	"github.com/atelier-project/atelier/internal/worktest"
)

// Every subject of the lexicon can be painted at every shape of canvas.
func TestEverySubjectPaints(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	sizes := [][2]int{{64, 64}, {160, 48}, {48, 150}}
	for _, name := range lexicon.SortedKeys(lexicon.Words().Keys) {
		m := lexicon.Words().Keys[name]
		switch m.Group {
		case "subject":
			if m.Attributes["make"] == "" && vector.Drawings()[m.Text("draw", m.Key)] == nil {
				t.Errorf("subject %s has neither a drawing nor a painter", m.Key)
			}
		case "setting", "sky", "weather", "time", "style", "season", "framing":
		default:
			continue
		}
		for i, s := range sizes {
			scene := Scene{}
			thing := Thing{Key: m.Key, Word: m.Key, Count: 1 + i*2, Size: 1, On: -1, HeldBy: -1}
			switch m.Group {
			case "subject":
				scene.Subjects = []Thing{thing}
			case "setting":
				scene.Settings = []Thing{thing}
			case "sky":
				scene.Sky = []Thing{thing}
			case "weather":
				scene = Read("a house")
				scene.Weather = []string{m.Key}
			case "time":
				scene.Time = m.Key
			case "season":
				scene = Read("a tree")
				scene.Season = m.Key
			case "style":
				scene = Read("a cat and a house on a hill")
				scene.Styles = []string{m.Key}
			case "framing":
				scene = Read("a dog in the park")
				scene.Framing = m.Key
			}
			if _, err := PaintScene(t.Context(), scene, LookOf("krea2_turbo"), s[0], s[1], int64(i), float64(i), nil); err != nil {
				t.Errorf("%s at %v: %v", name, s, err)
			}
		}
	}
}

func TestDataRefersToWhatExists(t *testing.T) {
	t.Parallel()
	for name, m := range styleTable() {
		if lexicon.Words().Keys["style "+name] == nil {
			t.Errorf("style %s has no word", name)
		}
		for _, p := range m.passes {
			if passes[p] == nil {
				t.Errorf("style %s has the unknown pass %q", name, p)
			}
		}
	}
	for name, l := range looks() {
		for _, p := range l.Passes {
			if passes[p] == nil {
				t.Errorf("look %s has the unknown pass %q", name, p)
			}
		}
	}
	for _, k := range lexicon.SortedKeys(lexicon.Words().Keys) {
		m := lexicon.Words().Keys[k]
		if m.Group == "style" {
			if _, ok := styleTable()[m.Key]; !ok {
				t.Errorf("style word %s has no line in style.txt", m.Key)
			}
		}
		if m.Group == "colour" {
			if _, ok := pixel.Hex(m.Attributes["value"]); !ok {
				t.Errorf("colour %s has no value", m.Key)
			}
		}
	}
	for w := range lexicon.Words().Words {
		if w != strings.ToLower(w) || strings.Count(w, " ") >= lexicon.MaxPhrase {
			t.Errorf("word %q can never be found", w)
		}
	}
}

func TestLooks(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"z_image_turbo_bf16": "z_image_turbo", "z_image_bf16": "z_image", "krea2_identity_edit_v1_2": "krea2",
		"gpt-image-2.5-flare": "gpt-image-2.5-flare", "nobody": "neutral", "": "neutral",
	} {
		if got := LookOf(model).Name; got != want {
			t.Errorf("LookOf(%q) = %q, want %q", model, got, want)
		}
	}
}

func TestFontHasTheUsualLetters(t *testing.T) {
	t.Parallel()
	for _, r := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!?.,:'-+&()" {
		if len(font()[r]) == 0 {
			t.Errorf("no glyph for %q", r)
		}
	}
}
