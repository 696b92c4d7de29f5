package compose

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/internal/wire"
)

// scene is one scene of a script.
type scene struct {
	Number int     `json:"scene"`
	Beat   string  `json:"beat"`
	Start  float64 `json:"start_seconds"`
	End    float64 `json:"end_seconds"`
	Visual string  `json:"visual"`
	Camera string  `json:"camera"`
	Audio  string  `json:"audio,omitempty"`
	Spoken string  `json:"spoken,omitempty"`
	Text   string  `json:"on_screen_text,omitempty"`
}

// manuscript is a script before it is formatted.
type manuscript struct {
	Title    string  `json:"title"`
	Type     string  `json:"script_type"`
	Seconds  float64 `json:"duration_seconds"`
	Aspect   string  `json:"aspect_ratio"`
	Platform string  `json:"platform,omitempty"`
	Style    string  `json:"style,omitempty"`
	Notes    string  `json:"notes,omitempty"`
	Scenes   []scene `json:"scenes"`

	kind *scriptType
}

// result formats a manuscript.
func (m manuscript) result(a arguments) Result {
	format := a.text("return_format")
	text := m.formatText()
	switch format {
	case "markdown":
		text = m.markdown()
	case "json":
		if b, err := wire.Marshal(m); err == nil {
			text = string(b)
		}
	}
	r := success(text, map[string]any{"script": text, "title": m.Title, "scenes": m.Scenes})
	r.Metadata = map[string]any{"script_type": m.Type, "duration_seconds": m.Seconds, "scene_count": len(m.Scenes), "aspect_ratio": m.Aspect, "return_format": orText(format, "script")}
	if d := a.text("destination_model"); d != "" {
		r.Metadata["destination_model"] = d
	}
	return r
}

// head is the line under the title.
func (m manuscript) head() string {
	parts := []string{m.kindTitle(), formatNumber(m.Seconds) + " s", m.Aspect}
	if m.Platform != "" {
		parts = append(parts, m.Platform)
	}
	if m.Style != "" {
		parts = append(parts, m.Style)
	}
	return strings.Join(parts, " | ")
}

func (m manuscript) kindTitle() string {
	if m.Type == "revision" {
		return "Revision"
	}
	return m.kind.Title
}

// formatText writes the script as it is read on a set; a video prompt is one paragraph.
func (m manuscript) formatText() string {
	var b strings.Builder
	if m.Type == "video_prompt" {
		for _, s := range m.Scenes {
			fmt.Fprintf(&b, "[%s-%ss] %s Camera: %s. ", formatNumber(s.Start), formatNumber(s.End), s.Visual, s.Camera)
		}
		if m.Style != "" {
			b.WriteString(toSentence("style: "+m.Style) + " ")
		}
		return b.String() + toSentence("sound: "+orText(m.Scenes[0].Audio, "natural ambience"))
	}
	fmt.Fprintf(&b, "%s\n%s\n", strings.ToUpper(m.Title), m.head())
	if m.Notes != "" {
		fmt.Fprintf(&b, "Note: %s\n", toSentence(m.Notes))
	}
	for _, s := range m.Scenes {
		fmt.Fprintf(&b, "\nSCENE %d - %s (%s-%s s)\n%s\nCamera: %s.\n", s.Number, strings.ToUpper(s.Beat), formatNumber(s.Start), formatNumber(s.End), s.Visual, s.Camera)
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
	if m.kind.Dialogue {
		return "SPEAKER"
	}
	return "VOICE-OVER"
}

func (m manuscript) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n*%s*\n", m.Title, m.head())
	if m.Notes != "" {
		fmt.Fprintf(&b, "\n> %s\n", toSentence(m.Notes))
	}
	for _, s := range m.Scenes {
		fmt.Fprintf(&b, "\n## %d. %s (%s-%s s)\n\n%s\n\n- **Camera:** %s\n", s.Number, upper(s.Beat), formatNumber(s.Start), formatNumber(s.End), s.Visual, s.Camera)
		if s.Audio != "" {
			fmt.Fprintf(&b, "- **Sound:** %s\n", s.Audio)
		}
		if s.Spoken != "" {
			fmt.Fprintf(&b, "- **%s:** “%s”\n", upper(strings.ToLower(m.who())), s.Spoken)
		}
		if s.Text != "" {
			fmt.Fprintf(&b, "- **On screen:** %s\n", s.Text)
		}
	}
	return strings.TrimSpace(b.String())
}
