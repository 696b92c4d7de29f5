package offline

import (
	"regexp"
	"strconv"
	"strings"
)

// item is a piece of media that tools can address: an index that is not
// negative for what was made, a negative one for what was sent.
type item struct {
	kind  string // image, video, audio or model
	index int
	label string // what it shows, as far as words say
	turn  int    // the turn that brought it
	now   bool   // came with the message that is being answered
}

func (it *item) sent() bool { return it.index < 0 }

// shelf is the media of a conversation, in the order of its coming.
type shelf struct{ items []*item }

// of lists the items of a kind, made or sent.
func (s *shelf) of(kind string, sent bool) (out []*item) {
	for _, it := range s.items {
		if it.kind == kind && it.sent() == sent {
			out = append(out, it)
		}
	}
	return out
}

// count is how many items of a kind there are.
func (s *shelf) count(kind string, sent bool) int { return len(s.of(kind, sent)) }

// put adds a result.
func (s *shelf) put(kind, label string, turn int) *item {
	it := &item{kind: kind, index: s.count(kind, false), label: label, turn: turn}
	s.items = append(s.items, it)
	return it
}

// noteLine finds the lines in which a system message lists what tools can address:
// "image -1: sent by the user cat.png", "video 0: made earlier",
// "media_references: image 1: cat.png".
var noteLine = regexp.MustCompile(`(?m)^[ \t*-]*(media_references:[ \t]*)?(image|video|audio|model) (-?\d{1,4}): ?(.*)$`)

// noted is what a system message says there is.
type noted struct {
	known bool
	sent  map[string][]string // labels by kind
	shown int                 // images that came inside messages, the last of those sent
	made  map[string]int
}

func readNote(system []string) noted {
	n := noted{sent: map[string][]string{}, made: map[string]int{}}
	for _, text := range system {
		for _, m := range noteLine.FindAllStringSubmatch(text, -1) {
			index, err := strconv.Atoi(m[3])
			if err != nil {
				continue
			}
			n.known = true
			kind, label := m[2], strings.TrimSpace(m[4])
			switch {
			case m[1] != "" || index < 0:
				if strings.HasPrefix(label, "shown by") {
					n.shown++
				}
				label = strings.TrimPrefix(strings.TrimPrefix(label, "sent by the user"), "shown by the user")
				n.sent[kind] = append(n.sent[kind], fileLabel(label))
			default:
				n.made[kind] = max(n.made[kind], index+1)
			}
		}
	}
	return n
}

// fileLabel makes words of a file name.
func fileLabel(file string) string {
	file = strings.TrimSpace(file)
	if dot := strings.LastIndexByte(file, '.'); dot > 0 && len(file)-dot <= 5 {
		file = file[:dot]
	}
	return strings.NewReplacer("_", " ", "-", " ").Replace(file)
}

// send puts what was sent on the shelf. Images inside messages come after those
// that came beside the request; without a note they are all there is.
func (s *shelf) send(c *conversation, n noted) {
	last := len(c.turns) - 1
	inline := 0
	for _, t := range c.turns {
		inline += t.shown
	}
	for _, kind := range []string{"image", "video", "audio", "model"} {
		beside := len(n.sent[kind])
		if kind == "image" {
			beside -= n.shown
		}
		for i := range max(0, beside) {
			// What comes beside a request comes with every request of a
			// conversation: it belongs to the first message.
			s.items = append(s.items, &item{kind: kind, index: -i - 1, label: n.sent[kind][i], now: last <= 0})
		}
	}
	at := s.count("image", true)
	for i, t := range c.turns {
		for range t.shown {
			at++
			s.items = append(s.items, &item{kind: "image", index: -at, turn: i, now: i == last})
		}
	}
}

// links finds the media that earlier answers have linked to.
var links = regexp.MustCompile(`!?\[[^\]\n]*\]\((https?://[^\s)]+)\)`)

// linked lists the kinds of the media that an answer links to.
func linked(reply string) (kinds []string) {
	for _, m := range links.FindAllStringSubmatch(reply, -1) {
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

// agree makes the indices of what was made agree with a note: it counts what
// this conversation may no longer show.
func (s *shelf) agree(n noted) {
	if !n.known {
		return
	}
	var kept []*item
	for _, kind := range []string{"image", "video", "audio", "model"} {
		made := s.of(kind, false)
		ahead := n.made[kind] - len(made)
		for i := range max(0, ahead) {
			kept = append(kept, &item{kind: kind, index: i})
		}
		for _, it := range made {
			if it.index += ahead; it.index >= 0 {
				kept = append(kept, it)
			}
		}
		kept = append(kept, s.of(kind, true)...)
	}
	s.items = kept
}
