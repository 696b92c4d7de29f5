package analysis

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/probe"
	"github.com/atelier-project/atelier/internal/worker"
)

// imageReport is the report on a picture.
type imageReport struct {
	Query        string            `json:"query"`
	AnalysisType string            `json:"analysisType"`
	Summary      string            `json:"summary"`
	Facts        imageFacts        `json:"facts"`
	Compared     *pixel.Facts      `json:"compared,omitempty"` // facts of the other picture
	Comparison   *pixel.Comparison `json:"comparison,omitempty"`
	Limits       string            `json:"limits"`
}

// imageFacts is the facts of a picture and of its file.
type imageFacts struct {
	Format string `json:"format"`
	pixel.Facts
}

// imageLimits is part of every report, so that readers do not take measurements
// for recognition.
const imageLimits = "Everything here is measured from the pixels: sizes, colours, light, areas. No things, people, faces or texts are recognised; for that, connect a vision language model."

// Image answers a question about a picture with what can be measured.
func Image(ctx context.Context, t task.Task) ([]worker.Output, error) {
	a := imageReport{Query: t.Text("query"), AnalysisType: t.Text("analysisType"), Limits: imageLimits}
	switch a.AnalysisType {
	case "":
		a.AnalysisType = "general"
	case "ocr", "document":
		return nil, worker.Failf("Text in pictures cannot be read here: an analysis of the type %s needs a vision language model. The types describe, general, objects and compare are measured without one.", a.AnalysisType)
	}
	img, err := t.Source(ctx, true)
	if err != nil {
		return nil, err
	}
	other, err := t.Picture(ctx, "compareImageIndex")
	if err != nil {
		return nil, err
	}
	if a.AnalysisType == "compare" && other == nil {
		return nil, worker.Failf("To compare, analyze_image needs a second picture in compareImageIndex.")
	}
	d, err := probe.Describe(ctx, t.Files[sourceName(t)])
	if err != nil {
		return nil, err
	}
	a.Facts.Format = d.File.Format
	t.Report(0.2, "measuring")
	if a.Facts.Facts, err = pixel.Measure(ctx, img); err != nil {
		return nil, task.Failure(err)
	}
	a.Summary = summarizeImage(a.Facts.Facts, a.Facts.Format, a.AnalysisType == "objects" || t.Flag("detailed", false))
	if other != nil {
		t.Report(0.6, "comparing")
		facts, err := pixel.Measure(ctx, other)
		if err != nil {
			return nil, task.Failure(err)
		}
		likeness, err := pixel.Compare(ctx, img, other)
		if err != nil {
			return nil, task.Failure(err)
		}
		a.Compared, a.Comparison = &facts, &likeness
		a.Summary = summarizeComparison(likeness, a.Facts.Facts, facts) + " The first: " + a.Summary
	}
	if !t.Flag("detailed", false) && a.AnalysisType != "objects" && len(a.Facts.Regions) > 4 {
		a.Facts.Regions = a.Facts.Regions[:4]
	}
	return t.WriteJSON(a, map[string]any{"method": "measured from the pixels", "summary": a.Summary})
}

// sourceName returns the argument that names the picture a tool works on.
func sourceName(t task.Task) string {
	if _, ok := t.Files["sourceImageIndex"]; ok {
		return "sourceImageIndex"
	}
	return "source_image_url"
}

// summarizeImage writes the facts of a picture in a few sentences.
func summarizeImage(f pixel.Facts, format string, long bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "A %s %s picture of %d by %d pixels (%s).", f.Orientation, format, f.Width, f.Height, f.Aspect)
	if colours := mainColours(f.Palette); len(colours) > 0 {
		fmt.Fprintf(&b, " Its main colours are %s.", strings.Join(colours, ", "))
	}
	fmt.Fprintf(&b, " It is %s, with %s contrast, %s", phraseFor(f.Brightness, "very dark", 0.25, "dark", 0.45, "of middle brightness", 0.70, "bright", 0.88, "very bright"),
		phraseFor(f.Contrast, "little", 0.30, "middle", 0.60, "strong"), phraseFor(f.Colourful, "hardly any colour", 0.08, "quiet colours", 0.30, "full colours", 0.55, "very strong colours"))
	if !f.Greyscale && f.Temperature != "neutral" {
		fmt.Fprintf(&b, " and a %s cast", f.Temperature)
	}
	fmt.Fprintf(&b, "; its edges are %s.", phraseFor(f.Sharpness, "soft or blurred", 0.25, "fairly sharp", 0.65, "sharp"))
	if f.Noise > 6 {
		b.WriteString(" It is noisy.")
	}
	if f.Transparent > 0.01 {
		fmt.Fprintf(&b, " %.0f%% of it is transparent.", 100*f.Transparent)
	}
	if s := f.Subject; s != nil {
		fmt.Fprintf(&b, " What stands out most is %s and lies %s, on %.0f%% of the area.", s.Colour, placePhrase(s.Place), 100*s.Share)
	} else {
		b.WriteString(" Nothing stands out clearly from its background.")
	}
	if f.Sky > 0 {
		fmt.Fprintf(&b, " A smooth area at the top, %.0f%% of the picture, could be sky.", 100*f.Sky)
	}
	if f.Symmetry > 0.8 {
		b.WriteString(" Left and right mirror each other.")
	}
	if long && len(f.Regions) > 0 {
		var areas []string
		for _, r := range f.Regions {
			areas = append(areas, fmt.Sprintf("%s %s (%.0f%%)", r.Colour, placePhrase(r.Place), 100*r.Share))
		}
		fmt.Fprintf(&b, " Its largest even areas are %s; what they show is not known.", strings.Join(areas, ", "))
	}
	return b.String()
}

// mainColours lists the main colours, merged by name.
func mainColours(palette []pixel.Swatch) (out []string) {
	share := map[string]float64{}
	var names []string
	for _, s := range palette {
		if share[s.Name] == 0 {
			names = append(names, s.Name)
		}
		share[s.Name] += s.Share
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(share[b], share[a]) })
	for _, n := range names {
		if share[n] >= 0.04 && len(out) < 4 {
			out = append(out, fmt.Sprintf("%s (%.0f%%)", n, 100*share[n]))
		}
	}
	return out
}

// placePhrase returns a place with its preposition.
func placePhrase(place string) string {
	switch place {
	case "centre":
		return "in the centre"
	case "top", "bottom":
		return "at the " + place
	}
	return "on the " + place
}

// phraseFor chooses a phrase by a number. Choices are phrases with the bounds
// between them.
func phraseFor(v float64, choices ...any) string {
	for i := 0; i+1 < len(choices); i += 2 {
		if v < choices[i+1].(float64) {
			return choices[i].(string)
		}
	}
	return choices[len(choices)-1].(string)
}

// summarizeComparison writes how similar two pictures are.
func summarizeComparison(l pixel.Comparison, a, b pixel.Facts) string {
	if l.Identical {
		return "The two pictures are the same in every pixel."
	}
	out := "The two pictures are " + phraseFor(l.Similarity, "quite different", 0.35, "somewhat alike", 0.6, "much alike", 0.85, "almost the same")
	out += fmt.Sprintf(" (similarity %.2f).", l.Similarity)
	if !l.SameSize {
		out += fmt.Sprintf(" The first has %d by %d pixels, the second %d by %d.", a.Width, a.Height, b.Width, b.Height)
	}
	if math.Abs(l.Brighter) > 0.03 {
		out += " The second is " + map[bool]string{true: "brighter.", false: "darker."}[l.Brighter > 0]
	}
	if d := b.Sharpness - a.Sharpness; math.Abs(d) > 0.15 {
		out += " The second is " + map[bool]string{true: "sharper.", false: "softer."}[d > 0]
	}
	return out
}
