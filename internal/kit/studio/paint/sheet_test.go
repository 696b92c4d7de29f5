package paint

import (
	"context"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// writeSheet pastes pictures side by side for a person to look at.
func writeSheet(t *testing.T, name string, cells []*image.NRGBA, columns int) {
	t.Helper()
	w, h := cells[0].Rect.Dx(), cells[0].Rect.Dy()
	rows := (len(cells) + columns - 1) / columns
	sheet := image.NewNRGBA(image.Rect(0, 0, columns*(w+4), rows*(h+4)))
	for i, c := range cells {
		at := image.Pt(i%columns*(w+4), i/columns*(h+4))
		draw.Draw(sheet, c.Rect.Add(at), c, image.Point{}, draw.Src)
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, sheet); err != nil {
		t.Fatal(err)
	}
}

// TestDrawingSheet draws every drawing alone when PICTURE_SHEET names a folder.
func TestDrawingSheet(t *testing.T) {
	dir := os.Getenv("PICTURE_SHEET")
	if dir == "" {
		t.Skip("set PICTURE_SHEET to a folder to look at the drawings")
	}
	const size = 150
	l := &vector.Light{From: [3]float32{-0.5, -0.6, 0.62}, Lit: pixel.RGB{R: 1.06, G: 1.03, B: 0.98}, Dim: pixel.RGB{R: 0.56, G: 0.55, B: 0.64}, Texture: 1, Haze: pixel.RGB{R: 0.7, G: 0.8, B: 0.9}, Lamp: pixel.RGB{R: 1, G: 0.8, B: 0.4}}
	var cells []*image.NRGBA
	for _, name := range lexicon.SortedKeys(vector.Drawings()) {
		d := vector.Drawings()[name]
		e := &vector.Canvas{Width: size, Height: size}
		e.Wash(1, func(x, y float32) (pixel.RGB, float32) { return pixel.RGB{R: 0.72, G: 0.80, B: 0.84}, 1 })
		b := d.Extent()
		k := 0.9 * size / math.Max(b.Width(), b.Height())
		place := vector.Moved(-(b.X0+b.X1)/2, -(b.Y0+b.Y1)/2).Then(vector.Scaled(k, k)).Then(vector.Moved(size/2, size/2))
		d.Draw(e, vector.Pose{Place: place, Light: l, Depth: 255, Seed: 1, Opacity: 1})
		r, err := e.Paint(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, r.NRGBA)
	}
	for i := 0; i < len(cells); i += 70 {
		writeSheet(t, dir+"/drawings"+string(rune('a'+i/70))+".png", cells[i:min(i+70, len(cells))], 10)
	}
	t.Log(lexicon.SortedKeys(vector.Drawings()))
}

// showcase are prompts that a person should recognise in their pictures.
var showcase = []string{
	"a red fox in a snowy forest at dawn",
	"portrait of an astronaut, oil painting",
	"isometric city at night, neon",
	"three yellow ducks on a blue lake, watercolor",
	"a lighthouse in a storm",
	"pixel art castle",
	"stained glass rose",
	"low poly mountains at sunset",
	"a teapot and two cups, still life",
	"whale under the sea",
	"robot playing guitar, comic style",
	"minimalist black cat",
	"ukiyo-e wave with a boat",
	"desert with cactus and a big moon",
	"steam train crossing a bridge in autumn",
	"abstract geometric mandala in gold and teal",
}

// TestContactSheet paints the showcase, or the lines of the file that
// PICTURE_PROMPTS names, when PICTURE_SHEET names a folder.
func TestContactSheet(t *testing.T) {
	dir := os.Getenv("PICTURE_SHEET")
	if dir == "" {
		t.Skip("set PICTURE_SHEET to a folder to look at pictures")
	}
	prompts, name := showcase, "showcase"
	if file := os.Getenv("PICTURE_PROMPTS"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		prompts, name = strings.Split(strings.TrimSpace(string(text)), "\n"), "prompts"
	}
	var cells []*image.NRGBA
	for i, p := range prompts {
		start := time.Now()
		img, err := Paint(t.Context(), Request{Prompt: p, Width: 768, Height: 768, Seed: int64(7 + i), Model: os.Getenv("PICTURE_MODEL")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v %s: %s", time.Since(start).Round(time.Millisecond), p, Describe(Read(p)))
		small, err := pixel.Resize(t.Context(), img, 384, 384)
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, small)
	}
	writeSheet(t, dir+"/"+name+".png", cells, 4)
}
