package offline

import (
	"regexp"
	"strconv"
	"strings"
)

// mediaItem is a piece of media that tools can address: an index that is not
// negative for what was made, a negative one for what was sent.
type mediaItem struct {
	kind    string // image, video, audio or model
	index   int
	label   string // what it shows, as far as words say
	turn    int    // the turn that brought it
	current bool   // came with the message that is being answered
}

func (it *mediaItem) isUpload() bool { return it.index < 0 }

// mediaList is the media of a conversation, in the order of its coming.
type mediaList struct{ items []*mediaItem }

// filter lists the items of a kind, made or sent.
func (s *mediaList) filter(kind string, sent bool) (out []*mediaItem) {
	for _, it := range s.items {
		if it.kind == kind && it.isUpload() == sent {
			out = append(out, it)
		}
	}
	return out
}

// count is how many items of a kind there are.
func (s *mediaList) count(kind string, sent bool) int { return len(s.filter(kind, sent)) }

// add adds a result.
func (s *mediaList) add(kind, label string, turn int) *mediaItem {
	it := &mediaItem{kind: kind, index: s.count(kind, false), label: label, turn: turn}
	s.items = append(s.items, it)
	return it
}

// mediaLine finds the lines in which a system message lists what tools can address:
// "image -1: sent by the user cat.png", "video 0: made earlier",
// "media_references: image 1: cat.png".
var mediaLine = regexp.MustCompile(`(?m)^[ \t*-]*(media_references:[ \t]*)?(image|video|audio|model) (-?\d{1,4}): ?(.*)$`)

// mediaNote is what a system message says there is.
type mediaNote struct {
	given     bool
	uploads   map[string][]string // labels by kind
	inline    int                 // images that came inside messages, the last of those sent
	generated map[string]int
}

func readMediaNote(system []string) mediaNote {
	n := mediaNote{uploads: map[string][]string{}, generated: map[string]int{}}
	for _, text := range system {
		for _, m := range mediaLine.FindAllStringSubmatch(text, -1) {
			index, err := strconv.Atoi(m[3])
			if err != nil {
				continue
			}
			n.given = true
			kind, label := m[2], strings.TrimSpace(m[4])
			switch {
			case m[1] != "" || index < 0:
				if strings.HasPrefix(label, "shown by") {
					n.inline++
				}
				label = strings.TrimPrefix(strings.TrimPrefix(label, "sent by the user"), "shown by the user")
				n.uploads[kind] = append(n.uploads[kind], labelFromFile(label))
			default:
				n.generated[kind] = max(n.generated[kind], index+1)
			}
		}
	}
	return n
}

// labelFromFile makes words of a file name.
func labelFromFile(file string) string {
	file = strings.TrimSpace(file)
	if dot := strings.LastIndexByte(file, '.'); dot > 0 && len(file)-dot <= 5 {
		file = file[:dot]
	}
	return strings.NewReplacer("_", " ", "-", " ").Replace(file)
}

// addUploads puts what was sent on the shelf. Images inside messages come after those
// that came beside the request; without a note they are all there is.
func (s *mediaList) addUploads(c *conversation, n mediaNote) {
	last := len(c.turns) - 1
	inline := 0
	for _, t := range c.turns {
		inline += t.images
	}
	for _, kind := range []string{"image", "video", "audio", "model"} {
		beside := len(n.uploads[kind])
		if kind == "image" {
			beside -= n.inline
		}
		for i := range max(0, beside) {
			// What comes beside a request comes with every request of a
			// conversation: it belongs to the first message.
			s.items = append(s.items, &mediaItem{kind: kind, index: -i - 1, label: n.uploads[kind][i], current: last <= 0})
		}
	}
	at := s.count("image", true)
	for i, t := range c.turns {
		for range t.images {
			at++
			s.items = append(s.items, &mediaItem{kind: "image", index: -at, turn: i, current: i == last})
		}
	}
}

// linkPattern finds the media that earlier answers have linked to.
var linkPattern = regexp.MustCompile(`!?\[[^\]\n]*\]\((https?://[^\s)]+)\)`)

// findLinkedMedia lists the kinds of the media that an answer links to.
func findLinkedMedia(reply string) (kinds []string) {
	for _, m := range linkPattern.FindAllStringSubmatch(reply, -1) {
		path, _, _ := strings.Cut(m[1], "?")
		dot := strings.LastIndexByte(path, '.')
		if dot < 0 {
			continue
		}
		switch strings.ToLower(path[dot:]) {
		case ".png", ".jpg", ".jpeg", ".webp", ".gif":
			kinds = append(kinds, "image")
		case ".mp4", ".mov", ".webm":
			kinds = append(kinds, "video")
		case ".wav", ".mp3", ".flac", ".m4a":
			kinds = append(kinds, "audio")
		case ".glb":
			kinds = append(kinds, "model")
		}
	}
	return kinds
}

// alignWithNote makes the indices of what was made agree with a note: it counts what
// this conversation may no longer show.
func (s *mediaList) alignWithNote(n mediaNote) {
	if !n.given {
		return
	}
	var kept []*mediaItem
	for _, kind := range []string{"image", "video", "audio", "model"} {
		made := s.filter(kind, false)
		ahead := n.generated[kind] - len(made)
		for i := range max(0, ahead) {
			kept = append(kept, &mediaItem{kind: kind, index: i})
		}
		for _, it := range made {
			if it.index += ahead; it.index >= 0 {
				kept = append(kept, it)
			}
		}
		kept = append(kept, s.filter(kind, true)...)
	}
	s.items = kept
}
