package chat

import (
	"fmt"
	"strings"
)

// labels are the texts of links to media that cannot be embedded.
var labels = map[string]string{"video": "Video", "audio": "Audio", "model": "3D model"}

// markdown is what an outcome adds to the answer: an image is embedded, other
// media linked with a label.
func (o Outcome) markdown(follows bool) string {
	var lines []string
	if o.Note != "" {
		lines = append(lines, o.Note)
	}
	for i, a := range o.Made {
		switch a.Kind {
		case "image":
			lines = append(lines, fmt.Sprintf("![%s %d](%s)", strings.ReplaceAll(o.Tool, "_", " "), i+1, a.URL))
		case "video", "audio", "model":
			lines = append(lines, fmt.Sprintf("[%s %d](%s)", labels[a.Kind], i+1, a.URL))
		}
	}
	if lines == nil {
		return ""
	}
	text := strings.Join(lines, "\n\n") + "\n\n"
	if follows {
		text = "\n\n" + text
	}
	return text
}
