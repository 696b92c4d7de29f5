package offline

import (
	"strings"

	"github.com/atelier-project/atelier/internal/llm/offline/phrase"
)

// describeFile words the technical facts of a file in a sentence, empty when they
// are not in the shape that extract_metadata has.
func describeFile(v any) string {
	all, _ := v.(map[string]any)
	file, ok := all["file"].(map[string]any)
	if !ok {
		return ""
	}
	format, _ := file["format"].(string)
	kind, _ := file["kind"].(string)
	parts := []string{strings.TrimSpace("A " + format + " file")}
	if part, ok := all[kind].(map[string]any); ok {
		number := func(name string) float64 { f, _ := part[name].(float64); return f }
		if w, h := number("width"), number("height"); w > 0 && h > 0 {
			parts = append(parts, phrase.FormatNumber(w)+" by "+phrase.FormatNumber(h)+" pixels")
		}
		if s := number("durationSeconds"); s > 0 {
			parts = append(parts, phrase.FormatNumber(s)+" seconds long")
		}
		if f := number("frameRate"); f > 0 {
			parts = append(parts, phrase.FormatNumber(f)+" frames a second")
		}
		if f := number("sampleRate"); f > 0 {
			parts = append(parts, phrase.FormatNumber(f)+" samples a second")
		}
		if codec, ok := part["codec"].(string); ok && codec != "" {
			parts = append(parts, "codec "+codec)
		}
		if sound, ok := part["hasAudio"].(bool); ok {
			parts = append(parts, map[bool]string{true: "with sound", false: "without sound"}[sound])
		}
	}
	if size, ok := file["sizeBytes"].(float64); ok {
		parts = append(parts, phrase.FormatNumber(size)+" bytes")
	}
	return strings.Join(parts, ", ") + "."
}
