package picture

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
	l := &light{from: [3]float32{-0.5, -0.6, 0.62}, lit: rgb{1.06, 1.03, 0.98}, dim: rgb{0.56, 0.55, 0.64}, texture: 1, haze: rgb{0.7, 0.8, 0.9}, lamp: rgb{1, 0.8, 0.4}}
	var cells []*image.NRGBA
	for _, name := range sortedKeys(drawings()) {
		d := drawings()[name]
		e := &easel{width: size, height: size}
		e.wash(1, func(x, y float32) (rgb, float32) { return rgb{0.72, 0.80, 0.84}, 1 })
		b := d.extent()
		k := 0.9 * size / math.Max(b.width(), b.height())
		place := moved(-(b.x0+b.x1)/2, -(b.y0+b.y1)/2).then(scaled(k, k)).then(moved(size/2, size/2))
		d.draw(e, pose{place: place, light: l, depth: 255, seed: 1, ghost: 1})
		r, err := e.paint(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, r.NRGBA)
	}
	for i := 0; i < len(cells); i += 70 {
		writeSheet(t, dir+"/drawings"+string(rune('a'+i/70))+".png", cells[i:min(i+70, len(cells))], 10)
	}
	t.Log(sortedKeys(drawings()))
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
		small, err := Resize(t.Context(), img, 384, 384)
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, small)
	}
	writeSheet(t, dir+"/"+name+".png", cells, 4)
}
