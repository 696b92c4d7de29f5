package main

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// The sheets are as wide as a page shows them.
const (
	sheetWidth = 1440
	margin     = 16
	gap        = 12
)

var (
	paper  = color.NRGBA{250, 248, 242, 255}
	card   = color.NRGBA{255, 255, 255, 255}
	ink    = color.NRGBA{38, 34, 32, 255}
	soft   = color.NRGBA{112, 104, 98, 255}
	accent = color.NRGBA{168, 58, 40, 255}
)

// write sets a text in a width.
func write(face string, size float64, c color.NRGBA, width int, text string) (*image.NRGBA, error) {
	return paint.Lettering{Face: face, Size: size, Width: width, Align: "left", Colour: c}.Write(text)
}

func blank(w, h int, c color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return img
}

func paste(on draw.Image, img image.Image, x, y int) {
	b := img.Bounds()
	draw.Draw(on, image.Rect(x, y, x+b.Dx(), y+b.Dy()), img, b.Min, draw.Over)
}

// stackDown puts images one under another, on the left.
func stackDown(space int, imgs ...image.Image) *image.NRGBA {
	w, h := 0, -space
	for _, img := range imgs {
		w, h = max(w, img.Bounds().Dx()), h+img.Bounds().Dy()+space
	}
	out, y := image.NewNRGBA(image.Rect(0, 0, w, max(h, 0))), 0
	for _, img := range imgs {
		paste(out, img, 0, y)
		y += img.Bounds().Dy() + space
	}
	return out
}

// stackRight puts images one beside another, at the top.
func stackRight(space int, imgs ...image.Image) *image.NRGBA {
	w, h := -space, 0
	for _, img := range imgs {
		w, h = w+img.Bounds().Dx()+space, max(h, img.Bounds().Dy())
	}
	out, x := image.NewNRGBA(image.Rect(0, 0, max(w, 0), h)), 0
	for _, img := range imgs {
		paste(out, img, x, 0)
		x += img.Bounds().Dx() + space
	}
	return out
}

// fit shows a picture as large as a box lets it, in the middle. Squares show
// through where it is transparent.
func fit(ctx context.Context, img image.Image, w, h int) (*image.NRGBA, error) {
	b := img.Bounds()
	k := min(float64(w)/float64(b.Dx()), float64(h)/float64(b.Dy()))
	nw, nh := max(1, int(float64(b.Dx())*k+0.5)), max(1, int(float64(b.Dy())*k+0.5))
	small := img
	if nw != b.Dx() || nh != b.Dy() {
		var err error
		if small, err = pixel.Resize(ctx, img, nw, nh); err != nil {
			return nil, err
		}
	}
	out := blank(w, h, color.NRGBA{236, 232, 224, 255})
	x, y := (w-nw)/2, (h-nh)/2
	for cy := range nh {
		for cx := range nw {
			if (cx/12+cy/12)%2 == 0 {
				out.SetNRGBA(x+cx, y+cy, card)
			}
		}
	}
	paste(out, small, x, y)
	return out, nil
}

// panel returns the result of one tool, under its name and caption.
func panel(width int, tool, caption string, content image.Image) (image.Image, error) {
	name, err := write("mono", 19, accent, width-2*gap, tool)
	if err != nil {
		return nil, err
	}
	words, err := write("regular", 15, soft, width-2*gap, caption)
	if err != nil {
		return nil, err
	}
	inside := stackDown(6, name, words, content)
	out := blank(width, inside.Rect.Dy()+2*gap, card)
	paste(out, inside, gap, gap)
	return out, nil
}

// layOut lays panels out in columns, row by row, each row as high as its
// highest panel.
func layOut(columns int, panels []image.Image) image.Image {
	width := columnWidth(columns)
	var rows []image.Image
	for len(panels) > 0 {
		n := min(columns, len(panels))
		high := 0
		for _, p := range panels[:n] {
			high = max(high, p.Bounds().Dy())
		}
		var row []image.Image
		for _, p := range panels[:n] {
			full := blank(width, high, card)
			paste(full, p, 0, 0)
			row = append(row, full)
		}
		rows, panels = append(rows, stackRight(margin, row...)), panels[n:]
	}
	all := stackDown(margin, rows...)
	out := blank(sheetWidth, all.Rect.Dy()+2*margin, paper)
	paste(out, all, margin, margin)
	return out
}

func columnWidth(columns int) int { return (sheetWidth - margin*(columns+1)) / columns }

// drawText shows lines of text as they are, indented, and says how many were cut
// off at the end.
func drawText(width, most int, text string) (image.Image, error) {
	const size, step, advance = 13.0, 17, 7.81
	columns := int(float64(width) / advance)
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		body := strings.TrimLeft(line, " ")
		indent := strings.Repeat(" ", len(line)-len(body))
		for {
			letters := []rune(body)
			room := columns - len(indent)
			if len(letters) <= room {
				lines = append(lines, indent+body)
				break
			}
			cut := room
			if at := strings.LastIndex(string(letters[:room]), " "); at > 0 {
				cut = len([]rune(string(letters[:room])[:at])) + 1
			}
			lines = append(lines, indent+string(letters[:cut]))
			body = string(letters[cut:])
			if !strings.HasSuffix(indent, "    ") || len(indent) < 4 {
				indent += "    "
			}
		}
	}
	if len(lines) > most {
		lines = append(lines[:most-1], "…")
	}
	out := blank(width, step*len(lines)+4, card)
	for i, line := range lines {
		body := strings.TrimLeft(line, " ")
		if body == "" {
			continue
		}
		set, err := write("mono", size, ink, 0, body)
		if err != nil {
			return nil, err
		}
		paste(out, set, int(float64(len(line)-len(body))*advance), i*step)
	}
	return out, nil
}
