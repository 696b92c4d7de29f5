package voice

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// MaxText is the number of characters that are spoken in one go.
const MaxText = 4096

// Request is a text and its voice: a designed voice when there is a
// Description, one like the Reference when there is a recording, and the named
// Voice otherwise.
type Request struct {
	Text          string
	Voice         string // one of Voices, DefaultVoice when empty
	Language      string // "auto" or empty to detect it from the text
	Description   string
	Creativity    float64 // 0.1 to 2, 0 for 0.9: how lively the melody is
	Seed          int64
	Reference     *sound.Clip
	ReferenceText string // what is said in the reference, if known
	BuiltIn       bool   // do not use espeak-ng even where it is installed
}

// Info describes the result.
type Info struct {
	Engine   string   `json:"engine"` // "espeak-ng" or "built-in"
	Voice    string   `json:"voice"`  // a name, "designed" or "cloned"
	Language string   `json:"language"`
	Words    int      `json:"words"`
	Seconds  float64  `json:"seconds"`
	Pitch    float64  `json:"pitch"` // the voice's middle in Hz
	Matched  []string `json:"matched,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// Reasons that a text is not spoken.
var (
	ErrNoText      = errors.New("speak: there is nothing to say in the text")
	ErrTextTooLong = fmt.Errorf("speak: the text has more than %d characters", MaxText)
	ErrNeedsEspeak = errors.New("without espeak-ng only English can be spoken: install espeak-ng and put it on the PATH")
)

// Speak speaks a text. The result is one channel at SpeechRate, and the same
// for the same request on the same machine.
func Speak(ctx context.Context, r Request, progress func(float64)) (*sound.Clip, Info, error) {
	if progress == nil {
		progress = func(float64) {}
	}
	if strings.TrimSpace(r.Text) == "" {
		return nil, Info{}, ErrNoText
	}
	if utf8.RuneCountInString(r.Text) > MaxText {
		return nil, Info{}, ErrTextTooLong
	}
	language, err := languageOf(r.Language, r.Text)
	if err != nil {
		return nil, Info{}, err
	}
	if !(r.Creativity > 0) {
		r.Creativity = 0.9
	}
	r.Creativity = min(max(r.Creativity, 0.1), 2)
	info := Info{Language: language}
	t, err := r.timbre(&info)
	if err != nil {
		return nil, Info{}, err
	}
	info.Pitch = t.Pitch

	var raw []float32
	espeak := ""
	if !r.BuiltIn {
		espeak, _ = exec.LookPath("espeak-ng")
	}
	switch {
	case espeak != "":
		info.Engine = "espeak-ng"
		info.Words = len(strings.Fields(r.Text))
		raw, err = runEspeak(ctx, espeak, r.Text, language, t)
	case language == "english":
		info.Engine = "built-in"
		raw, info.Words, err = builtin(ctx, r.Text, t, r.Creativity, r.Seed, func(f float64) { progress(0.9 * f) })
	default:
		return nil, Info{}, fmt.Errorf("speak %s: %w", language, ErrNeedsEspeak)
	}
	if err != nil {
		return nil, Info{}, err
	}
	if info.Words == 0 || len(raw) == 0 {
		return nil, Info{}, ErrNoText
	}
	if err := ctx.Err(); err != nil {
		return nil, Info{}, err
	}
	c := master(raw, SpeechRate)
	if c.Frames() == 0 {
		return nil, Info{}, ErrNoText
	}
	info.Seconds = c.Duration().Seconds()
	progress(1)
	return c, info, nil
}

// timbre chooses the voice of a request.
func (r Request) timbre(info *Info) (Timbre, error) {
	switch {
	case r.Reference != nil:
		t, matched, notes, err := MeasureTimbre(r.Reference, r.ReferenceText)
		if err != nil {
			return Timbre{}, err
		}
		info.Voice, info.Matched, info.Notes = "cloned", matched, notes
		return t, nil
	case strings.TrimSpace(r.Description) != "":
		t, used := Design(r.Description)
		info.Voice, info.Matched = "designed", used
		if len(used) == 0 {
			info.Notes = []string{"no word of the description is known; a neutral voice speaks"}
		}
		return t, nil
	}
	name := strings.ToLower(strings.TrimSpace(r.Voice))
	if name == "" {
		name = DefaultVoice
	}
	t, ok := Named(name)
	if !ok {
		return Timbre{}, fmt.Errorf("speak: the voice %q is not known: choose one of %s", r.Voice, strings.Join(Voices(), ", "))
	}
	info.Voice = name
	return t, nil
}
