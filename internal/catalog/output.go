package catalog

import (
	"math"
	"slices"

	"github.com/atelier-project/atelier"
)

// length computes the seconds and frames of a step's result.
func (t *Tool) length(s *scope, f Facts, m *Model, name string) (Length, error) {
	r := t.Length
	if r == (LengthRule{}) {
		return Length{}, nil
	}
	if r.Each != "" {
		n := len(s.list(r.Each)) + s.bound[r.Each]
		if n == 0 {
			n = r.Count
		}
		return exact(float64(n) * r.Seconds), nil
	}
	if r.From != "" {
		return t.span(s, m, name)
	}
	seconds, asked := s.number(r.Argument)
	clamps := m != nil && m.Duration != nil && m.Duration.Clamp
	if a := t.byName[r.Argument]; asked && !clamps && a.outside(seconds) {
		return Length{}, atelier.Refuse("arguments."+r.Argument, "must be %s", a.bounds())
	}
	switch {
	case asked:
	case f.seconds(r.Source) > 0:
		seconds = f.seconds(r.Source)
	case r.Seconds > 0:
		seconds = r.Seconds
	case m != nil && m.Duration != nil:
		seconds = m.Duration.Default
	}
	if m == nil || m.Duration == nil || r.Composed {
		return exact(seconds), nil
	}
	if !asked && !clamps {
		// The caller did not request this length, so it is not refused.
		seconds = min(max(seconds, m.Duration.Min), m.Duration.Max)
	}
	return m.Duration.Render("arguments."+r.Argument, seconds, name)
}

// exact is a length in seconds, to the millisecond.
func exact(seconds float64) Length {
	seconds = min(seconds, maxSeconds)
	return Length{Seconds: seconds, num: int64(math.Round(seconds * 1000)), den: 1000}
}

// maxSeconds keeps an absurd number of seconds from overflowing a price.
const maxSeconds = 1e6

// span is the length between two arguments. A short one is rendered at the model's minimum
// and cut.
func (t *Tool) span(s *scope, m *Model, name string) (Length, error) {
	from, _ := s.number(t.Length.From)
	to, _ := s.number(t.Length.To)
	seconds := max(0, to-from)
	if m == nil || m.Duration == nil {
		return exact(seconds), nil
	}
	if seconds > m.Duration.Max {
		return Length{}, atelier.Refuse("arguments."+t.Length.To, "must be at most %s seconds after %s for %s",
			formatNumber(m.Duration.Max), t.Length.From, name)
	}
	return m.Duration.Render("arguments."+t.Length.To, max(seconds, m.Duration.Min), name)
}

// output computes how many pieces of which kind the step makes.
func (t *Tool) output(s *scope, f Facts, m *Model, name string) (Output, error) {
	p := t.Produces
	if p == nil {
		return Output{}, nil
	}
	out := Output{Kind: p.Kind, Count: 1, ContentType: contentTypes[t.format(s)]}
	var err error
	if out.Count, err = t.outputs(s); err != nil {
		return out, err
	}
	switch {
	case m == nil || m.Size == nil:
	case p.Kind == Video:
		out.Width, out.Height, err = t.frame(s, f, m, name)
	case p.Kind == Image:
		out.Width, out.Height, err = t.picture(s, f, m, name)
	}
	if err == nil && p.Kind == Image {
		err = t.checkPixels(s, f, out)
	}
	return out, err
}

// checkPixels refuses a picture with too many pixels, where its size is known. For a
// source of unknown size, the renderer limits the result.
func (t *Tool) checkPixels(s *scope, f Facts, out Output) error {
	w, h, field := float64(out.Width), float64(out.Height), "width"
	if source, _ := t.source(f); source.isSized() && (w == 0 || s.int("width") == 0) {
		times, argument := t.enlarges(s, source)
		if argument != "" {
			w, h, field = float64(source.Width)*times, float64(source.Height)*times, argument
		}
	}
	if w*h <= atelier.MaxPixels {
		return nil
	}
	return atelier.Refuse("arguments."+field, "would make a picture of %.0f by %.0f pixels; at most %d pixels are made", w, h, atelier.MaxPixels)
}

// enlarges returns how many times larger than its source a result is, and the argument
// that sets it.
func (t *Tool) enlarges(s *scope, source Source) (times float64, argument string) {
	if t.Produces.Large != nil {
		if edge, ok := s.number(t.Produces.Large.Argument); ok {
			return edge / float64(max(source.Width, source.Height)), t.Produces.Large.Argument
		}
	}
	times, ok := s.number(t.Produces.Scale)
	if !ok {
		return 1, ""
	}
	return times, t.Produces.Scale
}

func (t *Tool) format(s *scope) string {
	p := t.Produces
	if p.Large != nil {
		if v, ok := s.number(p.Large.Argument); ok && v > p.Large.Above {
			return p.Large.Format
		}
	}
	if v, ok := s.args[p.FormatArgument].(string); ok && contentTypes[v] != "" {
		return v
	}
	return p.Format
}

// outputs counts the pieces. Lists with an entry for each output decide when there are
// any; the number of variations must then agree.
func (t *Tool) outputs(s *scope) (int, error) {
	n, from := 0, ""
	for _, a := range t.Arguments {
		k := len(s.list(a.Name)) + s.bound[a.Name]
		if !a.FanOut || k == 0 {
			continue
		}
		if from != "" && k != n && k != 1 && n != 1 {
			return 0, atelier.Refuse("arguments."+a.Name, "must have as many entries as %s, or one for all", from)
		}
		if k > n {
			n, from = k, a.Name
		}
	}
	asked, ok := s.number(t.Produces.Count)
	switch {
	case from == "" && ok:
		return int(asked), nil
	case from == "":
		return 1, nil
	case ok && int(asked) != n && asked != 1 && n != 1:
		return 0, atelier.Refuse("arguments."+t.Produces.Count, "must be left out when %s lists the outputs", from)
	case ok:
		return max(n, int(asked)), nil
	}
	return n, nil
}

// picture is the size of an image result; it sets width and height when the arguments
// determine them.
func (t *Tool) picture(s *scope, f Facts, m *Model, name string) (int, int, error) {
	w, h := s.int("width"), s.int("height")
	if err := m.Size.check(w, h, name); err != nil {
		return 0, 0, err
	}
	ratio, err := s.ratio("aspectRatio")
	if err != nil {
		return 0, 0, err
	}
	shaped := ratio > 0
	source, _ := t.source(f)
	switch {
	case w > 0 && h > 0:
	case shaped && w > 0:
		h = m.Size.edge(float64(w) / ratio)
	case shaped && h > 0:
		w = m.Size.edge(float64(h) * ratio)
	case shaped:
		w, h = m.Size.area(ratio)
	case w > 0:
		h = m.Size.Default
	case h > 0:
		w = m.Size.Default
	case source.isSized():
		// An edit has the size of its source, as near as the model can make it, times
		// the scale.
		scale, ok := s.number(t.Produces.Scale)
		if !ok {
			scale = 1
		}
		w, h = m.Size.Fit(float64(source.Width), float64(source.Height))
		s.rendered = w * h
		return int(float64(w) * scale), int(float64(h) * scale), nil
	case len(t.Needs) > 0:
		return 0, 0, nil
	default:
		w, h = m.Size.Default, m.Size.Default
	}
	if err := m.Size.check(w, h, name); err != nil {
		return 0, 0, err
	}
	if t.byName["width"] != nil {
		s.args["width"], s.args["height"] = float64(w), float64(h)
	}
	return w, h, nil
}

// frame is the size of a video result.
func (t *Tool) frame(s *scope, f Facts, m *Model, name string) (int, int, error) {
	w, h := s.int("width"), s.int("height")
	if w > 0 && h > 0 {
		return w, h, m.Size.check(w, h, name)
	}
	source, alike := t.source(f)
	if edge := min(source.Width, source.Height); m.Size.MaxSource > 0 && edge > m.Size.MaxSource {
		return 0, 0, atelier.Refuse("arguments."+t.Needs[0].Argument, "must have a short edge of at most %d pixels, not %d", m.Size.MaxSource, edge)
	}
	r, ok := m.Size.resolution(s.int("targetResolution"), source)
	if !ok {
		return 0, 0, atelier.Refuse("arguments.targetResolution", "must be one of %s for %s", m.Size.resolutionNames(), name)
	}
	if t.byName["targetResolution"] != nil {
		s.args["targetResolution"] = float64(r.Name)
	}
	ratio, err := s.ratio("aspectRatio")
	if err != nil {
		return 0, 0, err
	}
	if ratio == 0 {
		ratio, _ = s.ratio("ratio")
	}
	switch {
	case ratio > 0:
	case !alike:
		return 0, 0, nil // the renderer keeps the shape of each
	case source.isSized():
		ratio = min(max(float64(source.Width)/float64(source.Height), 1.0/maxRatio), maxRatio)
	default:
		ratio = 16.0 / 9
	}
	switch {
	case w > 0:
		h = m.Size.floor(float64(w) / ratio)
	case h > 0:
		w = m.Size.floor(float64(h) * ratio)
	default:
		w, h = m.Size.canvas(r, ratio)
		return w, h, nil
	}
	return w, h, m.Size.check(w, h, name)
}

// asked is what of a result the caller asked for.
type asked struct{ size, length bool }

// asks is what the arguments ask for that every result has, before values are added to
// them. A model whose length is a ceiling may make less.
func (s *scope) asks(m *Model) (a asked) {
	t := s.tool
	if t.Produces == nil {
		return a
	}
	_, isTimed := s.number(t.Length.Argument)
	isCeiling := m != nil && m.Duration != nil && m.Duration.Ceiling > 0
	w, h := s.isGiven("width"), s.isGiven("height")
	isSized := w && h || !w && !h && s.isGiven("targetResolution")
	if t.Produces.Kind == Image { // the order has both edges when one is given
		isSized = w || h
	}
	return asked{
		size:   isSized && slices.Contains(t.Produces.Ordered, orderedSize),
		length: isTimed && !isCeiling && slices.Contains(t.Produces.Ordered, orderedLength),
	}
}

// of is the part of an output that was asked for.
func (a asked) of(o Output) (out Source) {
	if a.size {
		out.Width, out.Height = o.Width, o.Height
	}
	if a.length {
		out.Seconds = o.Seconds
	}
	return out
}

// source has the known facts about the main media of the tool: the first whose size is
// known, of the first such argument. alike is false when each output has its own source
// and they are not known to have one shape.
func (t *Tool) source(f Facts) (main Source, alike bool) {
	for _, a := range t.Arguments {
		list := f.Sources[a.Name]
		if a.Aside || !slices.ContainsFunc(list, Source.isSized) {
			continue
		}
		main = list[slices.IndexFunc(list, Source.isSized)]
		return main, !a.FanOut || !slices.ContainsFunc(list, main.differs)
	}
	return Source{}, true
}

func (s Source) isSized() bool { return s.Width > 0 && s.Height > 0 }

// differs reports whether another source is not known to have the same shape.
func (s Source) differs(other Source) bool {
	return !other.isSized() || s.Width*other.Height != s.Height*other.Width
}

// seconds is how long the first source of an argument lasts; 0 when that is not known.
func (f Facts) seconds(argument string) float64 {
	if list := f.Sources[argument]; len(list) > 0 {
		return list[0].Seconds
	}
	return 0
}

// int returns an argument as a whole number, 0 when it is missing. Very large numbers are
// cut and refused later as too large.
func (s *scope) int(name string) int {
	f, _ := s.number(name)
	return int(max(math.MinInt32, min(f, math.MaxInt32)))
}

// ratio returns an argument such as "16:9" as a number, 0 when it is not given
// or follows the source.
func (s *scope) ratio(name string) (float64, error) {
	v, _ := s.args[name].(string)
	if v == "" || v == "adaptive" {
		return 0, nil
	}
	r, ok := parseRatio(v)
	if !ok {
		return 0, atelier.Refuse("arguments."+name, "must be a ratio between 1:%d and %d:1", maxRatio, maxRatio)
	}
	return r, nil
}
