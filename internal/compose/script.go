package compose

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
	"github.com/atelier-project/atelier/internal/wire"
)

// scriptByRules runs compose_script by rules.
func (e *Engine) scriptByRules(a arguments) Result {
	d := e.rules.WriteScript(a)
	r := manuscript{d}.result(a)
	r.Warnings = d.Warnings
	return r
}

// scriptFromModel is compose_script from the scenes of a model. Their lengths are
// scaled to the one that was asked for.
func (e *Engine) scriptFromModel(a arguments, x answer) (Result, error) {
	list := x.list("scenes")
	if want := a.Whole("scene_count"); len(list) == 0 || len(list) > 12 || want > 0 && len(list) != want {
		return Result{}, improve("scenes must hold %s, not %d", cmp.Or(map[bool]string{true: fmt.Sprintf("exactly %d", want)}[want > 0], "1 to 12"), len(list))
	}
	d := e.rules.WriteScript(a)
	d.Title, d.Scenes = prose.Cut(cmp.Or(x.text("title"), d.Title), 120), nil
	total := 0.0
	for i, v := range list {
		in, _ := v.(map[string]any)
		s := answer(in)
		if s.number("seconds") <= 0 || utf8.RuneCountInString(s.text("visual")) < 3 {
			return Result{}, improve("scenes[%d] must have a visual and positive seconds", i)
		}
		total += s.number("seconds")
	}
	at := 0.0
	for i, v := range list {
		in, _ := v.(map[string]any)
		s := answer(in)
		begin := at
		at += s.number("seconds") * d.Seconds / total
		d.Scenes = append(d.Scenes, draft.Scene{
			Number: i + 1, Beat: cmp.Or(s.text("beat"), "scene"), Start: draft.Tenths(begin), End: draft.Tenths(at), Visual: prose.Sentence(s.text("visual")),
			Camera: prose.Unstopped(cmp.Or(s.text("camera"), "medium shot")), Audio: prose.Unstopped(s.text("audio")), Spoken: s.text("spoken"), Text: s.text("on_screen_text"),
		})
	}
	d.Scenes[len(d.Scenes)-1].End = d.Seconds
	return manuscript{d}.result(a), nil
}

// manuscript formats a script.
type manuscript struct{ draft.Script }

// result formats a manuscript.
func (m manuscript) result(a arguments) Result {
	format := a.Text("return_format")
	text := m.formatText()
	switch format {
	case "markdown":
		text = m.markdown()
	case "json":
		if b, err := wire.Marshal(m.Script); err == nil {
			text = string(b)
		}
	}
	r := success(text, map[string]any{"script": text, "title": m.Title, "scenes": m.Scenes})
	r.Metadata = map[string]any{"script_type": m.Type, "duration_seconds": m.Seconds, "scene_count": len(m.Scenes), "aspect_ratio": m.Aspect, "return_format": cmp.Or(format, "script")}
	if d := a.Text("destination_model"); d != "" {
		r.Metadata["destination_model"] = d
	}
	return r
}

// head is the line under the title.
func (m manuscript) head() string {
	parts := []string{m.Label, prose.Number(m.Seconds) + " s", m.Aspect}
	if m.Platform != "" {
		parts = append(parts, m.Platform)
	}
	if m.Style != "" {
		parts = append(parts, m.Style)
	}
	return strings.Join(parts, " | ")
}

// formatText writes the script as it is read on a set; a video prompt is one paragraph.
func (m manuscript) formatText() string {
	var b strings.Builder
	if m.Type == "video_prompt" {
		for _, s := range m.Scenes {
			fmt.Fprintf(&b, "[%s-%ss] %s Camera: %s. ", prose.Number(s.Start), prose.Number(s.End), s.Visual, s.Camera)
		}
		if m.Style != "" {
			b.WriteString(prose.Sentence("style: "+m.Style) + " ")
		}
		return b.String() + prose.Sentence("sound: "+cmp.Or(m.Scenes[0].Audio, "natural ambience"))
	}
	fmt.Fprintf(&b, "%s\n%s\n", strings.ToUpper(m.Title), m.head())
	if m.Notes != "" {
		fmt.Fprintf(&b, "Note: %s\n", prose.Sentence(m.Notes))
	}
	for _, s := range m.Scenes {
		fmt.Fprintf(&b, "\nSCENE %d - %s (%s-%s s)\n%s\nCamera: %s.\n", s.Number, strings.ToUpper(s.Beat), prose.Number(s.Start), prose.Number(s.End), s.Visual, s.Camera)
		if s.Audio != "" {
			fmt.Fprintf(&b, "Sound: %s.\n", s.Audio)
		}
		if s.Spoken != "" {
			fmt.Fprintf(&b, "%s: \"%s\"\n", m.who(), s.Spoken)
		}
		if s.Text != "" {
			fmt.Fprintf(&b, "On screen: %s\n", s.Text)
		}
	}
	return strings.TrimSpace(b.String())
}

func (m manuscript) who() string {
	if m.Dialogue {
		return "SPEAKER"
	}
	return "VOICE-OVER"
}

func (m manuscript) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n*%s*\n", m.Title, m.head())
	if m.Notes != "" {
		fmt.Fprintf(&b, "\n> %s\n", prose.Sentence(m.Notes))
	}
	for _, s := range m.Scenes {
		fmt.Fprintf(&b, "\n## %d. %s (%s-%s s)\n\n%s\n\n- **Camera:** %s\n", s.Number, prose.Upper(s.Beat), prose.Number(s.Start), prose.Number(s.End), s.Visual, s.Camera)
		if s.Audio != "" {
			fmt.Fprintf(&b, "- **Sound:** %s\n", s.Audio)
		}
		if s.Spoken != "" {
			fmt.Fprintf(&b, "- **%s:** “%s”\n", prose.Upper(strings.ToLower(m.who())), s.Spoken)
		}
		if s.Text != "" {
			fmt.Fprintf(&b, "- **On screen:** %s\n", s.Text)
		}
	}
	return strings.TrimSpace(b.String())
}
