package picture

import (
	"cmp"
	"context"
	"errors"
	"image"
	"slices"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/selection"
	"github.com/atelier-project/atelier/internal/worker"
)

// maxHoleShare is the share of a picture up to which a hole in a selection is
// filled: it is an eye or a highlight.
const maxHoleShare = 0.002

// Segment selects objects in a picture by words, points or boxes. White is
// selected.
func Segment(ctx context.Context, t task.Task) ([]worker.Output, error) {
	img, err := t.Source(ctx, true)
	if err != nil {
		return nil, err
	}
	f, err := selection.NewFinder(ctx, img)
	if err != nil {
		return nil, task.Failure(err)
	}
	t.Report(0.1, "looking")
	finds, without, err := findObjects(ctx, t, f)
	if err != nil {
		return nil, task.Failure(err)
	}
	detected := len(finds)
	best := slices.MaxFunc(finds, func(a, b selection.Find) int { return cmp.Compare(a.Score, b.Score) }).Score
	threshold := t.Number("threshold", 0.5)
	finds = slices.DeleteFunc(finds, func(one selection.Find) bool { return one.Score < threshold })
	if len(finds) == 0 {
		return nil, worker.Failf("No match reaches the threshold: the best of %d has a score of %.2f and the threshold is %.2f.", detected, best, threshold)
	}
	if most := int(t.Number("maxInstances", 0)); most > 0 && len(finds) > most {
		finds = finds[:most]
	}
	return renderPictures(ctx, t, "selecting", func(_ int64, progress func(float64)) (image.Image, map[string]any, error) {
		progress(0.4)
		m, err := f.Mask(ctx, finds...)
		if err != nil {
			return nil, nil, err
		}
		m = m.FillHoles(maxHoleShare)
		for _, no := range without {
			m.Clear(no)
		}
		if m.Box().Empty() {
			return nil, nil, worker.Failf("The negative boxes leave nothing of the selection.")
		}
		meta := map[string]any{
			"method": "colour models and a graph cut; it knows colours and places, not things", "foundBy": finds[0].How,
			"width": m.W, "height": m.H, "box": pixel.BoxIn(m), "coverage": pixel.Thousandths(m.Share()),
			"detected": detected, "returned": len(finds), "scores": scoresOf(finds), "selections": boxesOf(finds),
		}
		progress(0.9)
		if !t.Flag("applyMask", false) {
			return m.Gray(), meta, nil
		}
		out, err := pixel.Cutout(ctx, img, m)
		return out, meta, err
	})
}

// findObjects finds the objects of the arguments, the most certain first, and
// the boxes to exclude.
func findObjects(ctx context.Context, t task.Task, f *selection.Finder) (finds []selection.Find, without []pixel.Frame, err error) {
	var boxes []pixel.Frame
	for _, b := range t.Objects("boxes") {
		frame := pixel.Frame{X0: coordinate(b, "x0"), Y0: coordinate(b, "y0"), X1: coordinate(b, "x1"), Y1: coordinate(b, "y1")}
		if frame.X1 <= frame.X0 || frame.Y1 <= frame.Y0 {
			return nil, nil, worker.Failf("A box must have a positive width and height.")
		}
		if b["label"] == "negative" {
			without = append(without, frame)
		} else {
			boxes = append(boxes, frame)
		}
	}
	var spots []selection.Spot
	for _, p := range t.Objects("points") {
		spots = append(spots, selection.Spot{X: coordinate(p, "x"), Y: coordinate(p, "y"), Not: p["label"] == "negative"})
	}
	switch words := t.Text("text"); {
	case len(spots) > 0:
		var within *pixel.Frame
		if len(boxes) > 0 {
			within = &boxes[0]
		}
		one, err := f.ByPoints(ctx, spots, within, t.Flag("multimask", true))
		return []selection.Find{one}, without, err
	case words != "":
		if finds, err = f.ByWords(ctx, words); err == nil {
			finds, err = f.Things(ctx, words, finds)
		}
		if err == nil && len(boxes) > 0 {
			finds = slices.DeleteFunc(finds, func(one selection.Find) bool {
				return !slices.ContainsFunc(boxes, func(b pixel.Frame) bool { return b.Holds(one.Frame) })
			})
			if len(finds) == 0 {
				err = worker.Failf("Nothing that is %q lies in the boxes.", words)
			}
		}
		return finds, without, err
	case len(boxes) > 0:
		for _, b := range boxes {
			one, err := f.ByBox(ctx, b)
			if errors.Is(err, selection.ErrNothingThere) || errors.Is(err, pixel.ErrNoSubject) {
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			finds = append(finds, one)
		}
		if len(finds) == 0 {
			return nil, nil, worker.Failf("Nothing in the boxes differs from its surroundings.")
		}
		return finds, without, nil
	}
	return nil, nil, worker.Failf("segment_image needs a text, points or boxes; %s.", selection.SelectHelp)
}

// coordinate returns a number from 0 to 1 of an object.
func coordinate(o map[string]any, name string) float64 {
	v, _ := o[name].(float64)
	return min(max(v, 0), 1)
}

func scoresOf(finds []selection.Find) (out []float64) {
	for _, one := range finds {
		out = append(out, pixel.Thousandths(one.Score))
	}
	return out
}

// foundObject is the metadata of an object.
type foundObject struct {
	Box      pixel.Frame `json:"box"`
	Coverage float64     `json:"coverage"`
	Score    float64     `json:"score"`
}

func boxesOf(finds []selection.Find) (out []foundObject) {
	for _, one := range finds {
		b := one.Frame
		out = append(out, foundObject{
			Box:      pixel.Frame{X0: pixel.Thousandths(b.X0), Y0: pixel.Thousandths(b.Y0), X1: pixel.Thousandths(b.X1), Y1: pixel.Thousandths(b.Y1)},
			Coverage: pixel.Thousandths(one.Share), Score: pixel.Thousandths(one.Score),
		})
	}
	return out
}
