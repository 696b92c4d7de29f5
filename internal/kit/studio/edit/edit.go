package edit

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Edit is one change that a prompt asks for.
type Edit struct {
	Kind   EditKind
	Target string // the words for the part it is limited to; empty for the whole picture
	Tone   pixel.Tone
	Amount float64 // 1 is the default
	Colour pixel.Colour
	Scene  paint.Scene
	Way    string  // left, right, upright, square, …
	Number float64 // degrees, or a ratio of width to height
	words  string
}

// EditKind is the kind of an edit.
type EditKind string

// The kinds of edits.
const (
	EditTone     EditKind = "tone"
	EditSharpen  EditKind = "sharpen"
	EditBlur     EditKind = "blur"
	EditSoften   EditKind = "soften"
	EditDenoise  EditKind = "denoise"
	EditDehaze   EditKind = "dehaze"
	EditDust     EditKind = "dust"
	EditEnhance  EditKind = "enhance"
	EditGlow     EditKind = "glow"
	EditRecolour EditKind = "recolour"
	EditAdd      EditKind = "add"
	EditRemove   EditKind = "remove"
	EditReplace  EditKind = "replace"
	EditBackdrop EditKind = "backdrop"
	EditCutout   EditKind = "cutout"
	EditLight    EditKind = "light"
	EditStyle    EditKind = "style"
	EditCrop     EditKind = "crop"
	EditRotate   EditKind = "rotate"
	EditFlip     EditKind = "flip"
	EditZoom     EditKind = "zoom"
)

// EditHelp describes the possible edits.
const EditHelp = "it can make a picture brighter, darker, warmer, cooler, more or less colourful, black and white or sepia; sharpen, blur and denoise; crop, rotate, flip and zoom; " +
	"recolour a thing by its colour or place; add things it can draw; remove or replace what a colour, a place or a mask shows; replace, blur or cut away the background; " +
	"change the time of day, weather and season; and apply a style. It cannot change faces, hair or what somebody wears"

// MovesPixels reports whether an edit moves pixels about, so that no mask can limit it.
func (e Edit) MovesPixels() bool {
	return e.Kind == EditCrop || e.Kind == EditRotate || e.Kind == EditFlip || e.Kind == EditZoom
}

// Varied returns the edit a little stronger or weaker, by the seed, so that
// variations of it differ. An edit without a strength stays as it is.
func (e Edit) Varied(seed int64) Edit {
	k := chance.New(uint64(seed), "edit", string(e.Kind)).In(0.85, 1.15)
	e.Amount *= k
	t := &e.Tone
	t.Light, t.Contrast, t.Warmth, t.Fade, t.Vignette, t.Grain = t.Light*k, t.Contrast*k, t.Warmth*k, t.Fade*k, t.Vignette*k, t.Grain*k
	if t.Saturation > -0.9 {
		t.Saturation *= k
	}
	return e
}

// String describes the edit in words.
func (e Edit) String() string {
	switch e.Kind {
	case EditRecolour:
		if e.Target == "" {
			return "colour the picture " + pixel.Spaced(e.Colour.Name)
		}
		return fmt.Sprintf("colour %s %s", e.Target, pixel.Spaced(e.Colour.Name))
	case EditAdd:
		return "add " + paint.Describe(e.Scene)
	case EditRemove:
		return "remove " + orElse(e.Target, "what the mask shows")
	case EditReplace:
		return fmt.Sprintf("replace %s by %s", orElse(e.Target, "the subject"), paint.Describe(e.Scene))
	case EditBackdrop:
		if e.Colour.Name != "" {
			return "a background of " + pixel.Spaced(e.Colour.Name)
		}
		return "a new background: " + paint.Describe(e.Scene)
	case EditCutout:
		return "cut the subject out"
	case EditLight, EditStyle:
		return paint.Describe(e.Scene)
	case EditRotate:
		return fmt.Sprintf("rotate by %g degrees", e.Number)
	case EditCrop, EditFlip, EditZoom:
		return strings.TrimSpace(string(e.Kind) + " " + e.Way)
	}
	s := orElse(e.words, string(e.Kind))
	if e.Target != "" {
		s += " on " + e.Target
	}
	return s
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
