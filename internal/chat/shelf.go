package chat

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
)

// shelf is the media of a conversation: what the caller sent, which negative
// indices address, and what was made, which the others do.
type shelf struct {
	sent   []atelier.MediaReference
	inline []llm.Part // images in messages, stored when a tool first needs them
	made   []atelier.MediaReference
}

// link finds the media that earlier answers have linked to.
var link = regexp.MustCompile(`!?\[([^\]]*)\]\((https?://[^\s)]+)\)`)

func newShelf(q Request) *shelf {
	s := &shelf{sent: q.Media}
	for _, m := range q.Messages {
		for _, p := range m.Content {
			if p.Type == "image_url" {
				s.inline = append(s.inline, p)
			}
		}
		if m.Role != "assistant" {
			continue
		}
		for _, found := range link.FindAllStringSubmatch(m.Text(), -1) {
			if kind := kindOf(found[2]); kind != "" {
				s.made = append(s.made, reference(kind, found[2]))
			}
		}
	}
	return s
}

func reference(kind, url string) atelier.MediaReference {
	return atelier.MediaReference{Kind: kind, URL: url, Said: map[string]any{"kind": kind, "url": url}}
}

// kindOf tells the kind of media that a URL leads to, by its extension.
func kindOf(url string) string {
	path, _, _ := strings.Cut(url, "?")
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 {
		return ""
	}
	switch strings.ToLower(path[dot:]) {
	case ".png", ".jpg", ".jpeg", ".webp", ".gif":
		return "image"
	case ".mp4", ".mov", ".webm":
		return "video"
	case ".wav", ".mp3", ".flac", ".m4a":
		return "audio"
	case ".glb":
		return "model"
	}
	return ""
}

// describe tells the model what there is to address.
func (s *shelf) describe() string {
	var lines []string
	count := map[string]int{}
	add := func(kind, where string, index int) {
		lines = append(lines, fmt.Sprintf("%s %d: %s", kind, index, where))
	}
	for _, m := range s.sent {
		count[m.Kind]++
		name, _ := m.Said["filename"].(string)
		add(m.Kind, strings.TrimSpace("sent by the user "+name), -count[m.Kind])
	}
	for range s.inline {
		count["image"]++
		add("image", "shown by the user", -count["image"])
	}
	clear(count)
	for _, m := range s.made {
		add(m.Kind, "made earlier", count[m.Kind])
		count[m.Kind]++
	}
	if lines == nil {
		return ""
	}
	return "Media that tools can address by index:\n" + strings.Join(lines, "\n")
}

// put adds what a tool has made, and returns what the model hears of it: the
// indices of the media instead of its links.
func (s *shelf) put(o outcome) map[string]any {
	heard := map[string]any{}
	for k, v := range o.result {
		if k != "artifacts" && k != "output_assets" {
			heard[k] = v
		}
	}
	var assets []any
	for _, a := range o.made {
		if kind := a.Kind; kind == "image" || kind == "video" || kind == "audio" || kind == "model" {
			index := 0
			for _, m := range s.made {
				if m.Kind == kind {
					index++
				}
			}
			s.made = append(s.made, reference(kind, a.URL))
			assets = append(assets, map[string]any{"kind": kind, "index": index})
		} else if content, ok := a.Metadata["content"]; ok {
			heard["content"] = content
		}
	}
	if assets != nil {
		heard["output_assets"] = assets
	}
	return heard
}
