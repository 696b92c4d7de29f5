package chat

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// shelf is the media of a conversation: what the caller sent, which negative
// indices address, and what was made, which the others do.
type shelf struct {
	sent []piece
	made []atelier.MediaReference
}

// piece is something that the caller sent: beside the request, in the session
// or inside a message. What has its bytes inside itself is stored when a tool
// first needs it.
type piece struct {
	atelier.MediaReference
	label string
	shown bool // inside a message
}

// link finds the media that earlier answers have linked to.
var link = regexp.MustCompile(`!?\[([^\]]*)\]\((https?://[^\s)]+)\)`)

// newShelf holds what came beside a request, and what was made before it.
func newShelf(q *Request) *shelf {
	s := &shelf{}
	for _, m := range q.Media {
		name, _ := m.Said["filename"].(string)
		s.sent = append(s.sent, piece{MediaReference: m, label: strings.TrimSpace("sent by the user " + name)})
	}
	for _, m := range q.Messages {
		if m.Role != "assistant" {
			continue
		}
		s.collect(m.Text())
	}
	s.made = s.made[max(0, len(s.made)-maxMade):]
	return s
}

// maxMade is how much of what was made before a conversation can address: the
// newest. The model is told of every piece.
const maxMade = 256

// collect adds what an earlier answer has linked to.
func (s *shelf) collect(text string) {
	for {
		found := link.FindStringSubmatchIndex(text)
		if found == nil {
			return
		}
		url := text[found[4]:found[5]]
		if kind := kindOf(url); kind != "" {
			s.made = append(s.made, reference(kind, url))
		}
		if len(s.made) >= 2*maxMade { // an answer may hold a link every few letters
			s.made = append(s.made[:0], s.made[len(s.made)-maxMade:]...)
		}
		text = text[found[1]:]
	}
}

// show adds the images inside the messages of a request. They come behind
// everything else that was sent.
func (s *shelf) show(q *Request) {
	for _, m := range q.Messages {
		for _, p := range m.Content {
			if isImage(p) {
				s.sent = append(s.sent, piece{MediaReference: reference("image", p.URL), label: "shown by the user", shown: true})
			}
		}
	}
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

// of lists what was made of a kind, in its order.
func (s *shelf) of(kind catalog.Kind) (out []atelier.MediaReference) {
	for _, m := range s.made {
		if kind == anyKind || m.Kind == string(kind) {
			out = append(out, m)
		}
	}
	return out
}

// beside counts what was sent of a kind outside of messages.
func (s *shelf) beside(kind string) (n int) {
	for _, p := range s.sent {
		if p.Kind == kind && !p.shown {
			n++
		}
	}
	return n
}

// index is where a piece of media is, by its URL.
func (s *shelf) index(kind, url string) (int, bool) {
	sent, made := 0, 0
	for _, p := range s.sent {
		if p.Kind == kind {
			if sent++; p.URL == url {
				return -sent, true
			}
		}
	}
	for _, m := range s.made {
		if m.Kind == kind {
			if m.URL == url {
				return made, true
			}
			made++
		}
	}
	return 0, false
}

// describe tells the model what there is to address.
func (s *shelf) describe() string {
	var lines []string
	count := map[string]int{}
	for _, p := range s.sent {
		count[p.Kind]++
		lines = append(lines, fmt.Sprintf("%s %d: %s", p.Kind, -count[p.Kind], p.label))
	}
	clear(count)
	for _, m := range s.made {
		lines = append(lines, fmt.Sprintf("%s %d: made earlier", m.Kind, count[m.Kind]))
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
		kind := a.Kind
		if !slices.Contains(addressed, kind) {
			if content, ok := a.Metadata["content"]; ok {
				heard["content"] = content
			}
			continue
		}
		at, known := s.index(kind, a.URL)
		if !known {
			at = len(s.of(catalog.Kind(kind)))
			s.made = append(s.made, reference(kind, a.URL))
		}
		assets = append(assets, map[string]any{"kind": kind, "index": at})
	}
	if assets != nil {
		heard["output_assets"] = assets
	}
	return heard
}

// anyKind is the kind of an argument that takes media of every kind.
const anyKind catalog.Kind = "any"

// addressed are the kinds of media that have indices.
var addressed = []string{"image", "video", "audio", "model"}
