package write

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

// scriptbook is the kinds of scripts that the rules can write.
type scriptbook struct {
	Types     []*scriptType     `yaml:"types"`
	Cameras   map[string]string `yaml:"cameras"`
	Platforms []*platform       `yaml:"platforms"`
}

// scriptType is a kind of script: its beats, and how long it usually is.
type scriptType struct {
	Name     string  `yaml:"name"`
	Title    string  `yaml:"title"`
	Seconds  float64 `yaml:"seconds"` // of the whole
	Scene    float64 `yaml:"scene"`   // of one scene
	Dialogue bool    `yaml:"dialogue"`
	Voice    bool    `yaml:"voice"` // a voice over the picture
	Beats    []*beat `yaml:"beats"`
}

// beat is what happens in one scene.
type beat struct {
	Name   string  `yaml:"name"`
	Keep   int     `yaml:"keep"`
	Weight float64 `yaml:"weight"`
	Visual string  `yaml:"visual"`
	Camera string  `yaml:"camera"`
	Line   string  `yaml:"line"`
	Text   string  `yaml:"text"` // on the screen
}

// platform is where something is shown, and what that asks for.
type platform struct {
	Words  []string `yaml:"words"`
	Aspect string   `yaml:"aspect"`
	Note   string   `yaml:"note"`
}

// frame decides everything about a script except its scenes.
func (rules *Rules) frame(a draft.Arguments) (draft.Script, *scriptType, reading) {
	brief := a.Text("brief")
	r := rules.words.read(topic(brief), brief, a.Text("style"), a.Text("first_frame_description"))
	kind := a.Text("script_type")
	if kind == "" {
		kind = guessScript(r.words)
	}
	m := draft.Script{Type: kind, Title: title(topic(brief)), Aspect: a.Text("aspect_ratio"), Platform: a.Text("platform"), Style: a.Text("style"), Seconds: a.Number("duration_seconds")}
	var form *scriptType
	for _, t := range rules.words.scripts.Types {
		if t.Name == kind || kind == "revision" && t.Name == "storyboard" {
			form = t
		}
	}
	if m.Label, m.Dialogue = form.Title, form.Dialogue; kind == "revision" {
		m.Label = "Revision"
	}
	for _, p := range rules.words.scripts.Platforms {
		if findPhrase(tokens(m.Platform), p.Words) >= 0 {
			m.Aspect, m.Notes = cmp.Or(m.Aspect, p.Aspect), p.Note
			break
		}
	}
	m.Aspect = cmp.Or(m.Aspect, "16:9")
	if m.Seconds == 0 {
		if m.Seconds = form.Seconds; a.Whole("scene_count") > 0 {
			m.Seconds = min(300, float64(a.Whole("scene_count"))*form.Scene)
		}
	}
	return m, form, r
}

// guessScript is the kind of script that a brief asks for.
func guessScript(words []string) string {
	for _, t := range []struct {
		name  string
		words []string
	}{
		{"trailer", []string{"trailer", "teaser"}}, {"campaign", []string{"campaign"}}, {"ad_script", []string{"ad", "advert", "advertisement", "commercial", "spot", "promo", "launch"}},
		{"social_short", []string{"tiktok", "reel", "short", "shorts", "social"}}, {"talking_head", []string{"talking head", "explainer", "tutorial", "presenter", "speaks to camera"}},
		{"screenplay", []string{"screenplay", "short film", "dialogue", "drama"}}, {"video_prompt", []string{"video prompt", "prompt"}},
	} {
		if findPhrase(words, t.words) >= 0 {
			return t.name
		}
	}
	return "storyboard"
}

// WriteScript writes a script.
func (rules *Rules) WriteScript(a draft.Arguments) draft.Script {
	m, form, r := rules.frame(a)
	described := sentences(a.Verbatim("brief"))
	if len(described) > 0 {
		described[0] = topic(described[0])
	}
	count := a.Whole("scene_count")
	if count == 0 {
		count = min(max(int(math.Round(m.Seconds/form.Scene)), 1), 12)
		if len(described) >= 3 && len(described) <= 12 {
			count = len(described) // the brief has its own scenes
		} else {
			count = min(count, len(form.Beats))
		}
	}
	beats := form.choose(count)
	w := &scriptwriter{rules: rules, reading: r, kind: form, dice: dice(a), topic: shortTopic(a.Text("brief")), views: slices.Clone(r.subject.Views)}
	w.dice.Shuffle(max(0, len(w.views)-1), func(i, j int) { w.views[i+1], w.views[j+1] = w.views[j+1], w.views[i+1] })
	if m.Type == "revision" || len(described) >= 3 {
		w.described = spread(described, count)
	}
	if all := prose.Cut(prose.Unstopped(topic(a.Text("brief"))), 300); len(all) > len(w.topic)+2 {
		w.whole = all
	}
	times := share(m.Seconds, beats)
	start := 0.0
	for i, b := range beats {
		m.Scenes = append(m.Scenes, w.scene(i, b, start, start+times[i]))
		start += times[i]
	}
	m.Scenes[len(m.Scenes)-1].End = m.Seconds
	if first := a.Text("first_frame_description"); first != "" {
		m.Scenes[0].Visual = prose.Sentence("open exactly on this frame: "+prose.Unstopped(first)) + " " + m.Scenes[0].Visual
	}
	if a.Text("first_frame_data_url") != "" || a.Text("last_frame_data_url") != "" {
		m.Warnings = append(m.Warnings, "The frames were sent but not looked at: that takes a language model that sees. Describe them in first_frame_description.")
	}
	return m
}

// choose returns so many beats of a kind: the most important, in their order; the
// middle ones are repeated when there are more scenes than beats.
func (t *scriptType) choose(count int) []*beat {
	order := slices.Clone(t.Beats)
	sort.SliceStable(order, func(i, j int) bool { return order[i].Keep < order[j].Keep })
	keep := map[*beat]int{}
	for i := range count {
		if i < len(order) {
			keep[order[i]]++
			continue
		}
		middle := t.Beats[1 : len(t.Beats)-1]
		keep[middle[(i-len(order))%len(middle)]]++
	}
	var out []*beat
	for _, b := range t.Beats {
		for range keep[b] {
			out = append(out, b)
		}
	}
	return out
}

// share divides a length by the weights of beats, in tenths of a second.
func share(length float64, beats []*beat) []float64 {
	total, done, last := 0.0, 0.0, 0.0
	for _, b := range beats {
		total += b.Weight
	}
	out := make([]float64, len(beats))
	for i, b := range beats {
		done += b.Weight
		at := math.Round(length*done/total*10) / 10
		if i == len(beats)-1 {
			at = length
		}
		out[i] = math.Round((at-last)*1000) / 1000
		last = at
	}
	return out
}

// spread distributes the sentences of a brief to so many scenes, in order.
func spread(described []string, count int) []string {
	out := make([]string, count)
	if len(described) >= count {
		for i := range out {
			out[i] = prose.Cut(strings.Join(described[i*len(described)/count:(i+1)*len(described)/count], ". "), maxScene)
		}
		return out
	}
	for i, s := range described {
		out[i*count/len(described)] = prose.Cut(s, maxScene)
	}
	return out
}

// maxScene bounds the description of one scene, in characters.
const maxScene = 1500

// scriptwriter fills beats.
type scriptwriter struct {
	rules *Rules
	reading
	kind      *scriptType
	dice      *rand.Rand
	topic     string
	whole     string // the topic, when it needs more words
	views     []string
	described []string
	seen      []string
	next      int
	moved     int
}

func (w *scriptwriter) scene(i int, b *beat, start, end float64) draft.Scene {
	s := draft.Scene{Number: i + 1, Beat: b.Name, Start: draft.Tenths(start), End: draft.Tenths(end), Camera: w.rules.words.scripts.Cameras[b.Camera], Text: w.fill(b.Text)}
	s.Visual = prose.Sentence(w.fill(b.Visual))
	if i < len(w.described) && w.described[i] != "" {
		s.Visual = prose.Sentence(w.described[i])
	} else if i > 0 && slices.Contains(w.seen, s.Visual) { // a repeated beat
		s.Visual = prose.Sentence(w.fill("{topic}: {view}"))
	}
	w.seen = append(w.seen, s.Visual)
	own, described := w.reading, i < len(w.described) && w.described[i] != ""
	if described { // its place may differ from that of the others
		if own = w.lexicon.read(s.Visual); own.subject == w.lexicon.Other {
			own.subject = w.subject
		}
	}
	if w.kind.Name == "talking_head" { // the place is the speaker's, whatever the talk is about
		own.subject, own.setting = w.lexicon.Subjects[0], nil
	}
	if i == 0 && !described && w.whole != "" {
		s.Visual = prose.Paragraph(w.whole, s.Visual)
	}
	if i == 0 || described {
		s.Visual = prose.Paragraph(prose.Unstopped(s.Visual), own.lit(w.dice))
	}
	if s.Audio = own.ambience(i); described && own.setting != nil {
		s.Audio = own.setting.Sound
	}
	if w.kind.Dialogue || w.kind.Voice {
		s.Spoken = fitting(w.fill(b.Line), end-start)
	}
	return s
}

// lit is the light of a scene, unless it names its own.
func (r reading) lit(dice *rand.Rand) string {
	switch {
	case r.hasDecided("light"):
		return ""
	case r.setting != nil:
		return pick(dice, r.setting.Light)
	}
	return pick(dice, r.subject.Light)
}

// ambience is the sounds of a scene: of the place and of the subject in turn.
func (r reading) ambience(i int) string {
	if r.setting != nil && (i%2 == 0 || r.subject.Sound == "") {
		return r.setting.Sound
	}
	return r.subject.Sound
}

// fill puts the topic and what suits it into a beat.
func (w *scriptwriter) fill(s string) string {
	if strings.Contains(s, "{view}") && len(w.views) > 0 {
		s = strings.ReplaceAll(s, "{view}", w.views[w.next%len(w.views)])
		w.next++
	}
	if strings.Contains(s, "{motion}") && len(w.subject.Motion) > 0 {
		s = strings.ReplaceAll(s, "{motion}", w.subject.Motion[w.moved%len(w.subject.Motion)])
		w.moved++
	}
	return strings.NewReplacer("{topic}", w.topic, "{Topic}", prose.Upper(w.topic), "{TOPIC}", strings.ToUpper(title(w.topic))).Replace(s)
}

// wordsPerSecond is how fast people speak.
const wordsPerSecond = 2.5

// fitting is the line if it can be spoken in the time, or empty.
func fitting(line string, seconds float64) string {
	if float64(len(strings.Fields(line))) > seconds*wordsPerSecond+1 {
		if i := strings.IndexAny(line, ".,"); i > 0 && i < len(line)-1 {
			return fitting(prose.Sentence(line[:i]), seconds)
		}
		return ""
	}
	return line
}

// shortTopic is what a brief is about in a few words, for the middle of a
// sentence.
func shortTopic(brief string) string {
	s := topic(brief)
	for _, mark := range []string{". ", "; ", ": ", " - ", ", ", "! ", "? ", " where ", " while ", " who ", " that ", " which ", " with ", " and then "} {
		if i := strings.Index(s, mark); i > 3 {
			s = s[:i]
		}
	}
	return lower(prose.Cut(prose.Unstopped(s), 80))
}
