package write

import (
	"strings"
	"unicode"
)

// reading is what the rules understand of a prompt.
type reading struct {
	wish    string   // as it was written, in one line
	words   []string // in small letters, without marks
	subject *subject
	head    int      // the word that decided it, or -1
	setting *setting // nil when none is named
	mood    *feeling // nil when none is named
	manner  *manner  // nil when none is named
	lexicon *lexicon
}

// read looks up a prompt in the lexicon. Other texts of the caller, such as a
// style, are read after it.
func (l *lexicon) read(wish string, beside ...string) reading {
	r := reading{wish: wish, words: tokens(wish), lexicon: l, subject: l.Other}
	all := append(append([]string(nil), r.words...), tokens(strings.Join(beside, " . "))...)
	r.head = -1
	for _, s := range l.Subjects {
		if at := findPhrase(r.words, s.Words); at >= 0 && (at < r.head || r.head < 0) {
			r.head, r.subject = at, s
		}
	}
	// The last of several nouns decides: a lighthouse keeper is a person.
	for _, s := range l.Subjects {
		if next := r.head + 1; r.head >= 0 && s != r.subject && next < len(r.words) && findPhrase(r.words[next:next+1], s.Words) == 0 {
			r.head, r.subject = next, s
			break
		}
	}
	for _, s := range l.Subjects {
		if r.subject == l.Other && findPhrase(r.words, s.Weak) >= 0 {
			r.subject = s
		}
	}
	for _, s := range l.Settings {
		if findPhrase(all, s.Words) >= 0 {
			r.setting = s
			break
		}
	}
	for _, m := range l.Moods {
		if findPhrase(all, m.Words) >= 0 {
			r.mood = m
			break
		}
	}
	for _, m := range l.Manners {
		if findPhrase(all, m.Words) >= 0 && (r.manner == nil || m.Made) {
			r.manner = m
			if m.Made {
				break
			}
		}
	}
	r.words = all
	return r
}

// hasDecided reports whether the caller has decided an aspect already.
func (r reading) hasDecided(aspect string) bool {
	return findPhrase(r.words, r.lexicon.Said[aspect]) >= 0
}

// isArtwork reports whether the picture is not a photograph.
func (r reading) isArtwork() bool { return r.manner != nil && r.manner.Made }

// maxRead is how much of a text is looked up, in bytes: its topic is near the
// beginning.
const maxRead = 16 << 10

// tokens are the words of a text in small letters, without marks around them.
func tokens(s string) []string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(s[:min(len(s), maxRead)])) {
		w = strings.TrimFunc(w, func(c rune) bool { return unicode.IsPunct(c) || unicode.IsSymbol(c) })
		w = strings.TrimSuffix(w, "'s")
		if w = strings.TrimSuffix(w, "’s"); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// findPhrase returns where the first of some phrases begins among words, or -1. A
// phrase counts in its plural too.
func findPhrase(words, phrases []string) int {
	best := -1
	for _, p := range phrases {
		parts := strings.Fields(p)
		for i := 0; i+len(parts) <= len(words) && (best < 0 || i < best); i++ {
			if matches(words[i:i+len(parts)], parts) {
				best = i
				break
			}
		}
	}
	return best
}

func matches(words, parts []string) bool {
	for i, p := range parts {
		w := words[i]
		switch {
		case w == p:
		case p == "mm" && len(w) > 2 && strings.HasSuffix(w, "mm") && w[0] >= '0' && w[0] <= '9':
		case i == len(parts)-1 && (w == p+"s" || w == p+"es"):
		case strings.HasPrefix(p, "f/") && strings.HasPrefix(w, p):
		default:
			return false
		}
	}
	return len(parts) > 0
}

// openings are how people begin a request; the request itself follows.
var openings = []string{
	"please", "can you", "could you", "would you", "i want you to", "i would like you to", "i'd like you to", "i want to", "i would like to", "i'd like to", "i want", "i need", "we need",
	"i would like", "i'd like", "give me", "show me", "help me", "let's", "we want to", "we want", "make me", "write me", "create me",
}

// verbs ask for something to be made.
var verbs = []string{
	"create", "generate", "make", "draw", "paint", "render", "produce", "design", "write", "compose", "plan", "build", "film", "shoot", "storyboard", "prepare", "draft", "animate", "craft",
}

// things are names of results, such as picture; the topic follows them.
var things = []string{
	"image", "picture", "pic", "photo", "photograph", "illustration", "drawing", "painting", "video", "clip", "film", "movie", "short film", "trailer", "teaser", "ad", "advert", "advertisement",
	"commercial", "script", "screenplay", "storyboard", "song", "ballad", "track", "lyrics", "anthem", "lullaby", "tune", "music video", "music", "piece", "instrumental", "workflow", "plan",
	"campaign", "set", "series", "sequence", "scenes", "scene", "shots", "shot", "images", "pictures", "photos", "clips", "videos", "reel", "short", "story", "template", "spot", "promo", "video prompt",
	"tiktok", "product shots", "product photos", "beat", "soundtrack", "score", "cover art", "cover", "portraits", "illustrations", "headshots", "posters", "talking head", "explainer", "tutorial", "documentary",
}

// joints are the words between the name of a thing and its topic.
var joints = []string{"of", "about", "for", "showing", "with", "featuring", "depicting", "on", "that shows", "where", "in which"}

// topic is what a request is about: "write a 30 second ad for a new bakery" is
// about a new bakery.
func topic(brief string) string {
	s := strings.TrimSpace(brief)
	for again := true; again; {
		again = false
		for _, o := range openings {
			if rest, ok := cutWords(s, o); ok {
				s, again = rest, true
			}
		}
	}
	asked := false
	for _, v := range verbs {
		if rest, ok := cutWords(s, v); ok {
			if s, asked = rest, true; true {
				break
			}
		}
	}
	if rest, ok := cutWords(s, "me"); ok && asked {
		s = rest
	}
	for range 3 { // a plan for a set of pictures of something
		next := ofThing(s)
		if next == "" {
			break
		}
		s = next
	}
	return s
}

// ofThing is what follows "a … <thing> about" when that is near the beginning.
func ofThing(s string) string {
	words := strings.Fields(s)
	for i := 1; i < len(words) && i <= 9; i++ {
		w := strings.ToLower(words[i])
		joint := false
		for _, j := range joints {
			joint = joint || w == j
		}
		if !joint {
			if strings.ContainsAny(words[i-1], ".!?;") {
				return ""
			}
			continue
		}
		before := tokens(strings.Join(words[max(0, i-2):i], " "))
		if findPhrase(before, things) >= 0 && i+1 < len(words) {
			return strings.Join(words[i+1:], " ")
		}
	}
	return ""
}

// cutWords removes leading words, whatever their case.
func cutWords(s, lead string) (string, bool) {
	if len(s) <= len(lead) || !strings.EqualFold(s[:len(lead)], lead) || !strings.ContainsRune(" ,:", rune(s[len(lead)])) {
		return s, false
	}
	return strings.TrimLeft(s[len(lead):], " ,:"), true
}
