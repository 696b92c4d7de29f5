package clip

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/song"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/kit/studio/voice"
)

// ambiences are the words of a prompt for each ambience of package sound.
var ambiences = []struct {
	name  string
	words []string
}{
	{"thunder", []string{"thunder", "thunderstorm", "storm", "stormy", "lightning"}},
	{"rain", []string{"rain", "rainy", "raining", "rains", "drizzle", "downpour", "storm", "stormy", "thunderstorm"}},
	{"underwater", []string{"underwater", "undersea", "under the sea", "coral", "reef", "diving", "submarine", "aquarium", "fish", "shark", "whale", "jellyfish"}},
	{"sea", []string{"sea", "ocean", "waves", "wave", "beach", "coast", "shore", "surf", "harbour", "harbor", "island", "lighthouse", "seaside"}},
	{"stream", []string{"river", "stream", "creek", "waterfall", "brook", "fountain", "lake", "pond"}},
	{"fire", []string{"fire", "campfire", "bonfire", "fireplace", "flames", "burning", "candle", "torch", "lava", "volcano"}},
	{"space", []string{"space", "galaxy", "nebula", "cosmos", "stars", "planet", "spaceship", "astronaut", "rocket", "alien", "aurora"}},
	{"city", []string{"city", "street", "traffic", "downtown", "skyline", "urban", "tokyo", "new york", "alley", "road", "highway"}},
	{"engine", []string{"car", "truck", "train", "motorcycle", "tractor", "plane", "airplane", "bus", "engine", "race", "driving", "helicopter"}},
	{"crowd", []string{"crowd", "market", "people", "audience", "festival", "cafe", "restaurant", "stadium", "party"}},
	{"crickets", []string{"night", "midnight", "moonlit", "moonlight", "evening", "dusk", "fireflies"}},
	{"birds", []string{"forest", "meadow", "garden", "park", "bird", "birds", "spring", "morning", "sunrise", "dawn", "woods", "field", "farm", "jungle", "tree", "trees"}},
	{"wind", []string{"wind", "windy", "mountain", "mountains", "desert", "snow", "snowy", "winter", "cliff", "sky", "clouds", "fog", "mist", "arctic", "hill", "hills", "dunes", "balloon"}},
	{"room", []string{"room", "kitchen", "bedroom", "library", "interior", "indoors", "office", "table", "studio"}},
}

// ambiencesFor returns up to three ambiences that fit a prompt and its scene.
func ambiencesFor(prompt string, scene paint.Scene) []string {
	words := motion.NormalizeText(prompt + " " + strings.Join(scene.Keys(), " "))
	if motion.HasPhrase(words, "orbit", "orbits") { // usually a camera movement, not a place
		words = strings.ReplaceAll(motion.NormalizeText(prompt), " space ", " ")
	}
	var out []string
	for _, s := range ambiences {
		if len(out) < 3 && motion.HasPhrase(words, s.words...) {
			out = append(out, s.name)
		}
	}
	// There are no crickets and birds under water or in space.
	if slices.ContainsFunc(out, func(s string) bool { return s == "underwater" || s == "space" }) {
		out = out[:slices.IndexFunc(out, func(s string) bool { return s == "underwater" || s == "space" })+1]
	}
	if len(out) == 0 {
		out = []string{"wind"}
	}
	return out
}

// wantsMusic reports whether a prompt asks for music instead of an ambience.
func wantsMusic(prompt string) bool {
	return motion.HasPhrase(motion.NormalizeText(prompt), musicWords...)
}

var musicWords = []string{"music", "song", "band", "concert", "disco", "dance", "dancing", "dances", "orchestra", "melody", "jazz", "techno", "hip hop", "music video", "trailer", "soundtrack"}

// audibleWords returns the words of a prompt that the sound of the clip covers.
func (k *output) audibleWords(prompt string) (out []string) {
	heard, _ := k.metadata["heard"].([]string)
	words := motion.NormalizeText(prompt)
	for _, name := range heard {
		if strings.HasPrefix(name, "music: ") {
			out = append(out, motion.FindPhrases(words, musicWords)...)
		}
		for _, s := range ambiences {
			if s.name == name {
				out = append(out, motion.FindPhrases(words, s.words)...)
			}
		}
	}
	return out
}

// soundtrack is the sound for a prompt: an ambience or music, and the quoted
// lines.
type soundtrack struct {
	prompt  string
	seconds float64
	seed    int64
	persona string
}

// mix makes the sound and returns a list of what is in it.
func (b soundtrack) mix(ctx context.Context, t task.Task) (*footage.Mixer, []string, error) {
	d := footage.NewMixer(b.seconds)
	var heard []string
	if wantsMusic(b.prompt) {
		clip, score, err := song.Compose(ctx, song.Request{
			Prompt: b.prompt, Seconds: max(song.MinSeconds, b.seconds), Seed: b.seed, Model: "turbo",
		}, nil)
		if err != nil {
			return nil, nil, task.Failure(err)
		}
		d.Add(footage.Cue{Clip: clip, Seconds: b.seconds, In: 0.05, Out: min(0.8, b.seconds/4)})
		heard = append(heard, "music: "+score.Genre)
	} else {
		for i, name := range ambiencesFor(b.prompt, paint.Read(b.prompt)) {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			l, r := sound.Ambience(name, footage.SoundRate, d.Frames(), uint64(b.seed)+uint64(i))
			d.AddPlanes(l, r, 0, 1/float32(1+i/2))
			heard = append(heard, name)
		}
	}
	d.Normalize(-26)
	lines, _ := cutQuotes(b.prompt)
	at := min(0.4, b.seconds/10)
	for _, line := range lines {
		clip, who, err := speak(ctx, line, b.persona, b.seed)
		if err != nil {
			return nil, nil, err
		}
		long := clip.Duration().Seconds()
		if at+long > b.seconds {
			heard = append(heard, "not spoken because the clip is too short: "+line)
			continue
		}
		d.Duck(at, at+long, 0.4)
		d.Add(footage.Cue{Clip: clip, At: at})
		heard = append(heard, "voice: "+who)
		at += long + 0.35
	}
	return d, heard, nil
}

// speak speaks a line, in the voice of a persona if the studio has it.
func speak(ctx context.Context, line, persona string, seed int64) (*sound.Clip, string, error) {
	r := voice.Request{Text: line, Seed: seed}
	if _, ok := voice.Named(persona); ok {
		r.Voice = persona
	}
	clip, info, err := voice.Speak(ctx, r, nil)
	if err != nil {
		return nil, "", task.Failure(err)
	}
	return clip, info.Voice, nil
}

var quote = regexp.MustCompile(`(?i)\b(?:says?|saying|said|asks?|asking|shouts?|shouting|whispers?|whispering|tells?|telling|exclaims?|replies|announces?|narrates?|narrator|voice ?over)\b[^"“”.!?]{0,40}["“]([^"“”]+)["”]`)

// cutQuotes removes the spoken lines from a prompt and returns them.
func cutQuotes(prompt string) (lines []string, rest string) {
	for _, m := range quote.FindAllStringSubmatch(prompt, 8) {
		if line := strings.TrimSpace(m[1]); line != "" {
			lines = append(lines, line)
		}
	}
	return lines, quote.ReplaceAllString(prompt, "")
}

// isStudioVoice reports whether the studio has a voice.
func isStudioVoice(name string) bool {
	_, ok := voice.Named(name)
	return ok
}
