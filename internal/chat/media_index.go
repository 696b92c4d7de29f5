package chat

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/filetype"
)

// mediaIndex is the media of a conversation, as its model addresses it: what the
// caller sent by negative indices, and the results of tools by the others. Each
// kind is counted by itself.
type mediaIndex struct {
	sent  []sentMedia
	made  []atelier.MediaReference
	given []atelier.MediaReference // results that the request lists
}

// sentMedia is media that the caller sent: beside the messages, in the session or
// inside a message.
type sentMedia struct {
	Media
	label string
	shown bool // inside a message
}

// mediaLink finds the media that earlier answers link to.
var mediaLink = regexp.MustCompile(`!?\[([^\]]*)\]\((https?://[^\s)]+)\)`)

// newMediaIndex indexes what came beside the messages of a request, and what was
// made before it.
func newMediaIndex(q *Request) *mediaIndex {
	x := &mediaIndex{}
	for _, m := range q.Media {
		name, _ := m.Original["filename"].(string)
		x.sent = append(x.sent, sentMedia{Media: m, label: strings.TrimSpace("sent by the user " + name)})
	}
	x.given, x.made = q.Made, append(x.made, q.Made...)
	for _, m := range q.Messages {
		if m.Role == "assistant" {
			x.addLinks(m.Text())
		}
	}
	x.made = x.made[max(0, len(x.made)-maxMade):]
	return x
}

// maxMade is how many earlier results a conversation can address: the newest. The
// model gets a line about each.
const maxMade = 256

// addLinks adds the media that an earlier answer links to.
func (x *mediaIndex) addLinks(text string) {
	for {
		found := mediaLink.FindStringSubmatchIndex(text)
		if found == nil {
			return
		}
		url := text[found[4]:found[5]]
		if kind := kindOf(url); kind != "" && !x.isGiven(url) {
			x.made = append(x.made, atelier.MediaAt(kind, url))
		}
		if len(x.made) >= 2*maxMade { // an answer may hold a link every few letters
			x.made = append(x.made[:0], x.made[len(x.made)-maxMade:]...)
		}
		text = text[found[1]:]
	}
}

// isGiven reports whether the request itself lists a result.
func (x *mediaIndex) isGiven(url string) bool {
	return slices.ContainsFunc(x.given, func(m atelier.MediaReference) bool { return m.URL == url })
}

// addImages adds the images inside the messages of a request, behind everything
// else that was sent.
func (x *mediaIndex) addImages(q *Request) {
	for _, m := range q.Messages {
		for _, p := range m.Content {
			if isImage(p) {
				image := Media{
					MediaReference: atelier.MediaReference{Kind: "image", Original: map[string]any{"kind": "image"}},
					ContentType:    filetype.Canonical(p.Image.Type), Data: p.Image.Data,
				}
				if p.Image.URL != "" {
					image = Media{MediaReference: atelier.MediaAt("image", p.Image.URL)}
				}
				x.sent = append(x.sent, sentMedia{Media: image, label: "shown by the user", shown: true})
			}
		}
	}
}

// kindOf is the kind of media at a URL, by its extension, or empty.
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

// results lists the results of a kind, in order.
func (x *mediaIndex) results(kind catalog.Kind) (out []atelier.MediaReference) {
	for _, m := range x.made {
		if kind == anyKind || m.Kind == string(kind) {
			out = append(out, m)
		}
	}
	return out
}

// countSentBeside counts what was sent of a kind outside of messages.
func (x *mediaIndex) countSentBeside(kind string) (n int) {
	for _, m := range x.sent {
		if m.Kind == kind && !m.shown {
			n++
		}
	}
	return n
}

// indexOf returns the index of a piece of media, by its URL.
func (x *mediaIndex) indexOf(kind, url string) (index int, ok bool) {
	if url == "" { // as of media that came inline
		return 0, false
	}
	sent, made := 0, 0
	for _, m := range x.sent {
		if m.Kind == kind {
			if sent++; m.URL == url {
				return -sent, true
			}
		}
	}
	for _, m := range x.made {
		if m.Kind == kind {
			if m.URL == url {
				return made, true
			}
			made++
		}
	}
	return 0, false
}

// describe lists the media with its indices, for the model.
func (x *mediaIndex) describe() string {
	var lines []string
	count := map[string]int{}
	for _, m := range x.sent {
		count[m.Kind]++
		lines = append(lines, fmt.Sprintf("%s %d: %s", m.Kind, -count[m.Kind], m.label))
	}
	clear(count)
	for _, m := range x.made {
		lines = append(lines, fmt.Sprintf("%s %d: made earlier", m.Kind, count[m.Kind]))
		count[m.Kind]++
	}
	if lines == nil {
		return ""
	}
	return "Media that tools can address by index:\n" + strings.Join(lines, "\n")
}

// addOutcome adds what a tool has made, and returns the result as the model gets
// it: with the indices of the media instead of its links.
func (x *mediaIndex) addOutcome(o Outcome) map[string]any {
	result := map[string]any{}
	for k, v := range o.Result {
		if k != "artifacts" && k != "output_assets" {
			result[k] = v
		}
	}
	var assets []any
	for _, a := range o.Made {
		kind := a.Kind
		if !slices.Contains(addressed, kind) {
			if content, ok := a.Metadata["content"]; ok {
				result["content"] = content
			}
			continue
		}
		at, known := x.indexOf(kind, a.URL)
		if !known {
			at = len(x.results(catalog.Kind(kind)))
			x.made = append(x.made, atelier.MediaAt(kind, a.URL))
		}
		assets = append(assets, map[string]any{"kind": kind, "index": at})
	}
	if assets != nil {
		result["output_assets"] = assets
	}
	return result
}

// anyKind is the kind of an argument that takes media of every kind.
const anyKind catalog.Kind = "any"

// addressed are the kinds of media that have indices.
var addressed = []string{"image", "video", "audio", "model"}
