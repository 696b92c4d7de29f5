package picture

import (
	"strings"
	"testing"
)

// Every subject of the lexicon can be painted at every shape of canvas.
// paintEvery is how many words there are to one that is painted: all are, but few
// under the race detector, which makes painting ten times slower.
var paintEvery = 1

func TestEverySubjectPaints(t *testing.T) {
	t.Parallel()
	sizes := [][2]int{{64, 64}, {160, 48}, {48, 150}}
	for n, name := range sortedKeys(words().keys) {
		m := words().keys[name]
		switch m.group {
		case "subject":
			if m.attributes["make"] == "" && drawings()[m.text("draw", m.key)] == nil {
				t.Errorf("subject %s has neither a drawing nor a painter", m.key)
			}
		case "setting", "sky", "weather", "time", "style", "season", "framing":
		default:
			continue
		}
		if n%paintEvery != 0 {
			continue
		}
		for i, s := range sizes {
			scene := Scene{}
			thing := Thing{Key: m.key, Word: m.key, Count: 1 + i*2, Size: 1, On: -1, HeldBy: -1}
			switch m.group {
			case "subject":
				scene.Subjects = []Thing{thing}
			case "setting":
				scene.Settings = []Thing{thing}
			case "sky":
				scene.Sky = []Thing{thing}
			case "weather":
				scene = Read("a house")
				scene.Weather = []string{m.key}
			case "time":
				scene.Time = m.key
			case "season":
				scene = Read("a tree")
				scene.Season = m.key
			case "style":
				scene = Read("a cat and a house on a hill")
				scene.Styles = []string{m.key}
			case "framing":
				scene = Read("a dog in the park")
				scene.Framing = m.key
			}
			if _, err := PaintScene(t.Context(), scene, LookOf("krea2_turbo"), s[0], s[1], int64(i), float64(i), nil); err != nil {
				t.Errorf("%s at %v: %v", name, s, err)
			}
		}
	}
}

func TestDrawingsAreWhole(t *testing.T) {
	t.Parallel()
	for name, d := range drawings() {
		if len(d.colours) == 0 || len(d.parts) == 0 {
			t.Errorf("%s has no colours or no parts", name)
		}
		known := map[string]bool{"": true, "lit": true, "black": true, "white": true}
		for _, c := range d.colours {
			if !known[c.tone.name] {
				t.Errorf("%s: colour %s is made from %q, which is not above it", name, c.name, c.tone.name)
			}
			known[c.name] = true
		}
		for _, p := range d.parts {
			if !known[p.tone.name] {
				t.Errorf("%s: a %s has the unknown colour %q", name, p.verb, p.tone.name)
			}
			if _, ok := d.joints[p.joint]; p.joint != "" && !ok {
				t.Errorf("%s: a %s turns on the unknown joint %q", name, p.verb, p.joint)
			}
			if _, ok := d.picks[p.pick]; p.pick != "" && !ok {
				t.Errorf("%s: a %s hangs on the unknown pick %q", name, p.verb, p.pick)
			}
		}
		if b := d.extent(); b.width() < 10 || b.height() < 10 {
			t.Errorf("%s fills only %v", name, b)
		}
	}
}

func TestDataRefersToWhatExists(t *testing.T) {
	t.Parallel()
	for name, m := range manners() {
		if words().keys["style "+name] == nil {
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
	for _, k := range sortedKeys(words().keys) {
		m := words().keys[k]
		if m.group == "style" {
			if _, ok := manners()[m.key]; !ok {
				t.Errorf("style word %s has no line in style.txt", m.key)
			}
		}
		if m.group == "colour" {
			if _, ok := hex(m.attributes["value"]); !ok {
				t.Errorf("colour %s has no value", m.key)
			}
		}
	}
	for w := range words().words {
		if w != strings.ToLower(w) || strings.Count(w, " ") >= maxPhrase {
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
