package write

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

// limits are the constraints of a prompt: what to avoid, what to keep, how long it
// may be, and any other text of the caller, as sentences.
type limits struct {
	avoid    []string
	keep     []string
	maxWords int
	others   []string
}

// The names of the constraints that are used here.
var (
	avoidNames = []string{"avoid", "negative", "exclude", "must_avoid", "negative_prompt", "mustAvoid"}
	keepNames  = []string{"keep", "preserve", "must_preserve", "must_keep", "mustPreserve", "must_include", "include"}
	wordsNames = []string{"max_words", "maxWords", "word_limit"}
)

func readLimits(a draft.Arguments) (l limits) {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		list := draft.TextsIn(a[name])
		switch {
		case slices.Contains(avoidNames, name):
			for _, s := range list {
				l.avoid = append(l.avoid, chunks(s)...)
			}
		case slices.Contains(keepNames, name):
			l.keep = append(l.keep, list...)
		case slices.Contains(wordsNames, name):
			l.maxWords = max(0, a.Whole(name))
		case len(list) > 0:
			key := strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == ' ' }), " "))
			l.others = append(l.others, key+": "+strings.Join(list, ", "))
		}
	}
	return l
}

// text is everything that the constraints say, for reading.
func (l limits) text() string { return strings.Join(append(slices.Clone(l.keep), l.others...), " . ") }

// additions are what the assets and constraints add to a prompt.
func (c *commission) additions() (out []string) {
	for _, a := range c.assets() {
		out = append(out, a.words())
	}
	if len(c.limits.keep) > 0 {
		out = append(out, "keep "+prose.List(c.limits.keep))
	}
	out = append(out, c.limits.others...)
	// For models without a negative prompt it is a part of the prompt.
	if len(c.limits.avoid) > 0 && (c.family == draft.Sentences || c.family == draft.Editing || c.family == draft.Music) {
		out = append(out, "without "+prose.List(c.limits.avoid))
	}
	return out
}

// asset is a piece of media that a prompt refers to, numbered for each kind, as models count them.
type asset struct {
	draft.Asset
	number int
	named  bool // it has a label of its own
}

// roles say what an asset is for, in words.
var roles = map[string]string{
	"first_frame": "is the first frame: begin exactly there", "last_frame": "is the last frame: arrive exactly there", "reference": "is a reference for how things look",
	"identity": "shows who it is: keep that person recognisable", "style": "sets the style, not the content", "motion": "sets the movement to follow",
	"audio": "is the sound to follow", "source_video": "is the video to work from",
}

func (c *commission) assets() (out []asset) {
	counts := map[string]int{}
	for _, v := range c.args.List("assets") {
		m, _ := v.(map[string]any)
		in := draft.Arguments(m)
		kind := cmp.Or(in.Text("media_type"), "image")
		counts[kind]++
		label := cmp.Or(in.Text("label"), in.Text("id"))
		name := fmt.Sprintf("%s %d", kind, counts[kind])
		out = append(out, asset{draft.Asset{Kind: kind, Label: cmp.Or(label, name), Role: in.Text("role")}, counts[kind], label != ""})
	}
	return out
}

// words say what the asset is for.
func (a asset) words() string {
	name, does := fmt.Sprintf("%s %d", a.Kind, a.number), cmp.Or(roles[a.Role], "is a reference")
	if a.named {
		return fmt.Sprintf("%s (%s) %s", name, a.Label, does)
	}
	return name + " " + does
}

// kin are words related to those that a caller refuses.
var kin = map[string][]string{
	"people": {"figure", "figures", "hand", "hands", "person", "human", "face", "faces", "man", "woman"}, "person": {"figure", "people", "face"}, "text": {"lettering", "letters"},
	"blur": {"bokeh", "softly", "shallow"}, "bokeh": {"shallow", "softly"}, "shadow": {"shadows"}, "shadows": {"shadow"}, "flare": {"flares"}, "fog": {"haze", "mist"}, "steam": {"vapour"},
}

// hues are words that do not fit a picture without colour.
var hues = []string{"warm", "warmth", "golden", "blue", "blue-green", "cool", "colour", "coloured", "saturated"}

// negates reports whether the caller excludes a thing.
func (c *commission) negates(word string) bool {
	for i, w := range c.reading.words {
		if w != "no" && w != "without" && w != "not" && w != "avoid" && w != "never" {
			continue
		}
		for _, next := range c.reading.words[i+1 : min(len(c.reading.words), i+4)] {
			if next == word || next == word+"s" || next+"s" == word || slices.Contains(kin[next], word) {
				return true
			}
		}
	}
	for _, a := range c.limits.avoid {
		for _, w := range tokens(a) {
			if w == word || slices.Contains(kin[w], word) {
				return true
			}
		}
	}
	return false
}

// refused reports whether a fragment has something that the caller excludes.
func (c *commission) refused(fragment string) bool {
	if findPhrase(c.reading.words, []string{"black and white", "monochrome", "grayscale", "greyscale"}) >= 0 && findPhrase(tokens(fragment), hues) >= 0 {
		return true
	}
	return slices.ContainsFunc(tokens(fragment), c.negates)
}

func (c *commission) warn(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}
