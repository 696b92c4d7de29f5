package ateliertest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// heard is a form with sound as JSON: its texts, its path, and the name and length of the file.
func heard(r *http.Request) ([]byte, error) {
	form, err := r.MultipartReader()
	if err != nil {
		return nil, err
	}
	out := map[string]any{"path": r.URL.Path}
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return json.Marshal(out)
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		if part.FileName() != "" {
			out[part.FormName()], out["bytes"] = part.FileName(), len(content)
		} else {
			out[part.FormName()] = string(content)
		}
	}
}

// write answers with what was said, as JSON.
func (a Answer) write(w http.ResponseWriter) {
	var text strings.Builder
	for _, p := range a.Pieces {
		text.WriteString(p.Content)
	}
	w.Header().Set("Content-Type", "application/json")
	answer := map[string]any{"text": text.String()}
	if a.Usage[0] > 0 {
		answer["usage"] = map[string]any{"type": "tokens", "input_tokens": a.Usage[0], "output_tokens": a.Usage[1]}
	}
	_ = json.NewEncoder(w).Encode(answer)
}
