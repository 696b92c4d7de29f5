package write

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

// production makes a plan of a brief.
type production struct {
	rules     *Rules
	args      draft.Arguments
	brief     string
	topic     string
	look      string // the style in words
	described []string
	open      bool // for a template: its words will change
	kind      string
	read      reading
	uploads   catalog.Counts
	check     draft.Check
	warnings  []string
}

var (
	videoWords  = []string{"video", "film", "movie", "clip", "trailer", "teaser", "reel", "tiktok", "animate", "animated", "animation", "commercial", "ad", "short", "scenes", "montage", "cinematic", "footage", "timelapse", "documentary", "promo", "music video"}
	stillWords  = []string{"image", "picture", "photo", "photograph", "shots", "illustration", "poster", "wallpaper", "logo", "portrait", "icon", "drawing", "painting", "photo set", "lookbook", "headshot", "product shots", "concept art", "moodboard", "storyboard frames", "stills"}
	songWords   = []string{"song", "ballad", "anthem", "lullaby", "album", "single", "jingle", "tune", "music video", "instrumental", "soundtrack", "track", "score", "music"}
	uploadWords = []string{"my photo", "this photo", "uploaded", "attached", "my picture", "this image", "this picture", "my portrait", "of me", "my selfie", "my image", "this portrait", "the photo i", "uploaded photo", "my product photo", "this old photo"}
	voiceWords  = []string{"narration", "narrated", "narrator", "voice-over", "voiceover", "voice over", "spoken", "speaker", "audiobook"}
)

// produce reads a brief.
func (rules *Rules) produce(a draft.Arguments, check draft.Check) *production {
	p := &production{rules: rules, args: a, check: check, brief: a.Text("brief"), look: a.Text("style")}
	p.topic = shortTopic(p.brief)
	if p.read = rules.words.read(p.topic, p.brief, p.look); p.read.subject == rules.words.Other {
		p.read = rules.words.read(topic(p.brief), p.brief, p.look)
	}
	p.described = sentences(a.Verbatim("brief"))
	if len(p.described) > 0 {
		p.described[0] = topic(p.described[0])
	}
	words := tokens(p.brief)
	film := findPhrase(words, videoWords) >= 0
	switch {
	case findPhrase(words, uploadWords) >= 0:
		p.kind = "photo"
		p.uploads.Images = 1
	case findPhrase(words, songWords) >= 0 && (!film || findPhrase(words, []string{"music video", "song", "album"}) >= 0) && !p.mainlyFilm(words):
		p.kind = "song"
	case !film && findPhrase(words, stillWords) >= 0 && a.Number("duration_seconds") == 0 && !a.Flag("include_audio"):
		p.kind = "stills"
	default:
		p.kind = "film"
	}
	if p.kind != "song" {
		p.topic = wholeTopic(p.brief)
	}
	return p
}

// wholeTopic is the first sentence of what a brief is about, without what it
// says of the sound.
func wholeTopic(brief string) string {
	s := topic(brief)
	for _, mark := range []string{". ", "! ", "? ", "; ", " with music", " with a soundtrack", " with narration", " with a voice", " and then "} {
		if i := strings.Index(s, mark); i > 3 {
			s = s[:i]
		}
	}
	return lower(prose.Cut(prose.Unstopped(s), 160))
}

// mainlyFilm reports whether a brief asks for a film and only mentions music: "a
// trailer … with music".
func (p *production) mainlyFilm(words []string) bool {
	v, s := findPhrase(words, videoWords), findPhrase(words, songWords)
	return v >= 0 && v < s && findPhrase(words, []string{"music video"}) != v
}

func (p *production) warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

// count is how many scenes the brief asks for.
func (p *production) count() int {
	if n := p.args.Whole("scene_count"); n > 0 {
		return n
	}
	if n := numbered(p.brief); n > 0 {
		return n
	}
	switch p.kind {
	case "stills":
		if findPhrase(tokens(p.brief), []string{"set", "series", "shots", "images", "pictures", "photos", "portraits", "illustrations", "stills", "lookbook", "moodboard"}) >= 0 {
			return 4
		}
		return 1
	case "photo", "song":
		return 1
	}
	if len(p.described) >= 2 {
		return min(len(p.described), 5)
	}
	if d := p.args.Number("duration_seconds"); d > 0 {
		return min(max(int(math.Round(d/5)), 1), 5)
	}
	return 3
}

var numberWords = []string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// numbered is the number before a word for pictures or scenes, or 0.
func numbered(brief string) int {
	words := tokens(brief)
	for i, w := range words {
		n := slices.Index(numberWords, w)
		if len(w) <= 2 {
			fmt.Sscanf(w, "%d", &n)
		}
		if n < 1 || n > 12 {
			continue
		}
		for _, next := range words[i+1 : min(len(words), i+4)] {
			if slices.Contains([]string{"scenes", "scene", "shots", "shot", "images", "pictures", "photos", "clips", "portraits", "illustrations", "posters", "stills", "frames", "videos", "variations", "versions"}, next) {
				return n
			}
		}
	}
	return 0
}

// model is a destination model that the tool can use, or none.
func (p *production) model(kind, tool string) string {
	name := p.args.Object("destination_models").Text(kind)
	for _, m := range p.rules.catalog.ModelsNamed(name) {
		if m.Serves(tool) {
			return name
		}
	}
	return ""
}

// tempo is the music of a plan. A brief without a kind of music gets quiet music,
// which suits any picture.
func (p *production) tempo() setup {
	s := p.rules.setup(p.brief, p.look)
	if s.named || s.Mood != "none" || p.kind == "song" {
		return s
	}
	if p.read.setting != nil {
		return p.rules.setup(p.brief, p.look, "ambient")
	}
	return p.rules.setup(p.brief, p.look, "piano")
}

// warnUnused warns of a destination model that no tool of the plan can use.
func (p *production) warnUnused(kind string, tools ...string) {
	name := p.args.Object("destination_models").Text(kind)
	if name == "" {
		return
	}
	for _, t := range tools {
		if p.model(kind, t) != "" {
			return
		}
	}
	if len(p.rules.catalog.ModelsNamed(name)) == 0 {
		p.warn("destination_models.%s is %q, which is not in the catalog; the default model is planned instead.", kind, prose.Cut(name, 60))
		return
	}
	p.warn("destination_models.%s is %s, which %s cannot use; the default model is planned instead.", kind, name, prose.List(tools))
}

// recipe decides everything about the plan but how it is written.
func (p *production) recipe() recipe {
	r := recipe{kind: p.kind, tempo: p.tempo()}
	if s := p.args.Text("aspect_ratio"); s != "" {
		r.ratio = s
	}
	n := p.count()
	r.melody = p.model("music", "generate_music")
	switch p.kind {
	case "stills":
		r.imageModel = p.model("image", "generate_image")
		p.warnUnused("image", "generate_image")
		r.scenes = p.pictures(n)
	case "song":
		p.song(&r)
	case "photo":
		p.photo(&r)
	default:
		p.film(&r, n)
	}
	if p.kind != "song" && r.sound != "music" {
		r.melody = ""
	}
	return r
}

// film plans scenes, their lengths and their sound.
func (p *production) film(r *recipe, n int) {
	r.imageModel, r.videoModel = p.model("image", "generate_image"), p.model("video", "animate_photo")
	if direct := p.model("video", "generate_video"); r.videoModel == "" && direct != "" {
		r.direct, r.videoModel = true, direct
	}
	p.warnUnused("image", "generate_image")
	p.warnUnused("video", "animate_photo", "generate_video")
	if p.args.Flag("include_audio") {
		if r.sound = "music"; findPhrase(tokens(p.brief), voiceWords) >= 0 {
			r.sound = "speech"
		}
		p.warnUnused("music", "generate_music")
	}
	lo, hi := p.span(r)
	total := p.args.Number("duration_seconds")
	if p.args.Whole("scene_count") == 0 && total > 0 {
		n = min(max(n, int(math.Ceil(total/hi))), max(1, int(total/lo)))
	}
	if n > maxFilm {
		p.warn("A plan has at most 12 steps, so the %d scenes are described in %d.", n, maxFilm)
		n = maxFilm
	}
	each := min(max(5, lo), hi)
	if total > 0 {
		each = total / float64(n)
	}
	sum := 0.0
	for i := range n {
		s := math.Floor(each*10+1e-9) / 10
		if i == n-1 && total > 0 {
			s = math.Round((total-sum)*100) / 100
		}
		s = min(max(s, lo), hi)
		r.each = append(r.each, s)
		sum += s
	}
	if total > 0 && math.Abs(sum-total) > 0.5 {
		p.warn("Clips of this model last %s to %s seconds, so %d of them make %s seconds instead of %s.", prose.Number(lo), prose.Number(hi), n, prose.Number(draft.Tenths(sum)), prose.Number(total))
	}
	r.scenes, r.moves = p.pictures(n), p.motions(n)
	r.length = min(max(math.Ceil(sum), 10), 600)
	r.music = p.score(r.tempo)
	r.words = p.voice(sum)
}

// span is the lengths that the clips of a film can have.
func (p *production) span(r *recipe) (lo, hi float64) {
	lo, hi = 2, 30
	tool, bound := "animate_photo", []string{"sourceImageIndex"}
	if r.direct {
		tool, bound = "generate_video", nil
	}
	s, err := p.rules.catalog.Step(tool, named(map[string]any{"prompt": "x"}, "videoModel", r.videoModel), catalog.Facts{Bound: bound})
	if err == nil && s.Model != nil && s.Model.Duration != nil {
		lo, hi = max(lo, s.Model.Duration.Min), min(hi, s.Model.Duration.Max)
		if s.Model.Duration.Ceiling > 0 {
			hi = min(hi, s.Model.Duration.Ceiling)
		}
	}
	return lo, hi
}

// photo plans what is done to a picture that the caller sends.
func (p *production) photo(r *recipe) {
	r.imageModel = p.model("image", "edit_image")
	p.warnUnused("image", "edit_image")
	wish := p.brief
	for _, mark := range []string{" and bring", " and animate", " and make it move", " and let it", ", then ", " and then ", ". "} {
		if i := strings.Index(wish, mark); i > 8 {
			wish = wish[:i]
		}
	}
	c := p.rules.commission(draft.Arguments{"prompt": wish, "target_output": "edit_prompt", "destination_model": cmp.Or(r.imageModel, "qwen-lightning"), "style_prompt": p.look})
	r.scenes = []string{c.edited()}
	for i := 1; i < min(p.args.Whole("scene_count"), 6); i++ {
		r.scenes = append(r.scenes, c.edited()+" "+prose.Sentence("variation "+prose.Number(float64(i+1))+", with another background and light"))
	}
	words := tokens(p.brief)
	r.clip = findPhrase(words, videoWords) >= 0 || findPhrase(words, []string{"come alive", "to life", "move", "moving"}) >= 0 || p.args.Number("duration_seconds") > 0
	r.videoModel = p.model("video", "animate_photo")
	if r.clip {
		p.warnUnused("video", "animate_photo")
		lo, hi := p.span(r)
		d := p.args.Number("duration_seconds")
		if d == 0 {
			d = 5
		}
		s := p.read.subject
		r.each, r.moves = []any{min(max(d, lo), hi)}, []string{prose.Paragraph("the picture comes to life", s.Motion[0], "camera: "+s.Camera[0])}
	}
	p.warn("The plan works on a picture of yours: send it as the first image in media_references.")
}

// song plans a song with its cover.
func (p *production) song(r *recipe) {
	words := tokens(p.brief)
	p.warnUnused("music", "generate_music")
	a := draft.Arguments{"prompt": p.brief, "music_prompt": p.look}
	if d := p.args.Number("duration_seconds"); d > 0 {
		a["duration_seconds"] = max(10, d)
	}
	r.music = p.score(r.tempo)
	instrumental := findPhrase(words, []string{"instrumental", "soundtrack", "score", "without words", "no vocals", "background music", "without vocals"}) >= 0
	length := a.Number("duration_seconds")
	if !instrumental {
		if song := p.rules.WriteLyrics(a); song.Refusal == nil {
			r.lyrics, length = song.Lyrics, song.Seconds
		}
	}
	if length == 0 {
		length = 60
	}
	r.length = length
	r.imageModel = p.model("image", "generate_image")
	p.warnUnused("image", "generate_image")
	if r.ratio == nil {
		r.ratio = "1:1"
	}
	r.scenes = []string{prose.Paragraph("album cover: "+p.subject(), p.look, "bold and simple with one clear focal point and space for a title, no lettering", p.lit())}
	if findPhrase(words, videoWords) >= 0 {
		r.clip = true
		r.moves = []string{"The picture breathes with the music: light and small things move gently and the camera drifts closer."}
		r.each = []any{10.0}
		r.videoModel = p.model("video", "sound_to_video")
		p.warnUnused("video", "sound_to_video")
	}
}
