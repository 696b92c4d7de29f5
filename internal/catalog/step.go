package catalog

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/atelier-project/atelier"
)

// Step is the result for one step: everything that follows from a tool and its arguments
// before it is rendered.
type Step struct {
	Tool *Tool
	// Arguments are the caller's under their own names, with numbers as
	// float64, defaults filled in and needed media addressed.
	Arguments map[string]any

	Model   *Model // nil for a tool that uses none
	Routing Routing

	Length  Length // the rendered clip; zero for stills
	Outputs Output
	// Ordered is the size and the length that the caller asked for and that results have;
	// zero where the caller leaves it to the model, or results follow their source.
	Ordered Source
	// LastFrame means that the last frame is returned as well.
	LastFrame bool
	Loras     LoraPlan

	CapacityUnits int
	Cost          Cost
	// Provisional means that the cost follows from the size or length of a source that is
	// not known yet: it is that of a default.
	Provisional bool
}

// Output is what the step makes: Count pieces, all alike. Zero fields are unknown until
// the source is known.
type Output struct {
	Kind          Kind
	Count         int
	ContentType   string
	Width, Height int
	Seconds       float64
}

// Source is what is known about the pieces before they are made.
func (o Output) Source() Source {
	return Source{Seconds: o.Seconds, Width: o.Width, Height: o.Height}
}

// ModelID is the catalog id of the chosen model, or empty.
func (s *Step) ModelID() string {
	if s.Model == nil {
		return ""
	}
	return s.Model.ID
}

// Vendor reports whether an outside service renders the step.
func (s *Step) Vendor() bool { return s.Model != nil && s.Model.Vendor != "" }

// Premium reports whether the step is paid with Premium Spark.
func (s *Step) Premium() bool { return s.Model != nil && s.Model.Premium }

// Step computes one step. Arguments are decoded JSON; numbers may be float64,
// int or int64. They are not changed and not kept.
//
// The error is always an *atelier.Error whose message begins with its field:
// toolName, or arguments with the path of the one that is wrong.
func (c *Catalog) Step(tool string, args map[string]any, f Facts) (*Step, error) {
	t, ok := c.read().toolByName[tool]
	if !ok {
		return nil, atelier.Refuse("toolName", "is %q, which is not a tool of this service", tool)
	}
	s := &scope{tool: t, bound: make(map[string]int, len(f.Bound))}
	for _, name := range f.Bound {
		a, ok := t.Argument(name)
		if !ok {
			return nil, t.unknown("arguments", name, nil)
		}
		s.bound[a.Name]++
	}
	var err error
	if s.args, err = t.normalize(args); err != nil {
		return nil, err
	}
	if err := t.require(s); err != nil {
		return nil, err
	}
	if err := t.validate(s.args); err != nil {
		return nil, err
	}
	if err := t.checkRules(s); err != nil {
		return nil, err
	}
	if err := t.supply(s, f); err != nil {
		return nil, err
	}
	in, err := t.count(s, f)
	if err != nil {
		return nil, err
	}
	ch, err := c.choose(t, s, in)
	if err != nil {
		return nil, err
	}
	return c.render(t, s, f, in, ch)
}

// render computes what the chosen model makes of valid arguments.
func (c *Catalog) render(t *Tool, s *scope, f Facts, in Counts, ch choice) (*Step, error) {
	step := &Step{Tool: t, Arguments: s.args, Model: ch.model, Routing: ch.routing}
	m := ch.model
	if m != nil && s.isGiven("keyframes") && !m.Keyframes {
		return nil, atelier.Refuse("arguments.keyframes", "is not taken by %s; leave it out or choose a model that takes keyframes", ch.name)
	}
	asked := s.asks(m)
	price := t.price(m)
	step.Provisional = t.awaitsSource(s, f, m, in, price)
	var err error
	if step.Length, err = t.length(s, f, m, ch.name); err != nil {
		return nil, err
	}
	if err := s.checkKeyframes(step.Length); err != nil {
		return nil, err
	}
	if step.Outputs, err = t.output(s, f, m, ch.name); err != nil {
		return nil, err
	}
	step.Outputs.Seconds = step.Length.Seconds
	step.Ordered = asked.of(step.Outputs)
	if step.Loras, err = c.PlanLoras(m, stringsOf(s.list("loras")), numbersOf(s.list("loraStrengths"))); err != nil {
		return nil, err
	}
	if a := t.Models.Argument; m != nil && a != "" && s.args[a] == nil {
		s.args[a] = ch.name
	}
	t.fill(s)
	step.LastFrame = m != nil && m.LastFrame && s.args["returnLastFrame"] == true
	c.charge(step, s, in, price)
	return step, nil
}

// checkKeyframes refuses a keyframe after the end of the clip.
func (s *scope) checkKeyframes(l Length) error {
	for i, item := range s.list("keyframes") {
		frame, _ := item.(map[string]any)
		if at, _ := frame["atSeconds"].(float64); at > l.Seconds {
			return atelier.Refuse("arguments."+index("keyframes", i)+".atSeconds", "must be at most %s, the seconds that are rendered", formatNumber(l.Seconds))
		}
	}
	return nil
}

// price is the price of the tool with a model, which may be nil.
func (t *Tool) price(m *Model) Price {
	switch {
	case t.Price != nil && (m == nil || t.Price.Free):
		return *t.Price
	case m != nil:
		return m.Price
	}
	return Price{Free: true}
}

// awaitsSource reports whether the price would follow a source whose size or length is
// not known.
func (t *Tool) awaitsSource(s *scope, f Facts, m *Model, in Counts, p Price) bool {
	if p.Free || m == nil {
		return false
	}
	if _, asked := s.number(t.Length.Argument); t.Length.Source != "" && !asked && f.seconds(t.Length.Source) == 0 {
		return true
	}
	if source, _ := t.source(f); source.isSized() || m.Size == nil || in.Images+in.Videos == 0 {
		return false
	}
	switch {
	case p.Per == perMegapixel:
		return !anyGiven([]string{"width", "height", "aspectRatio"}, s)
	case s.isGiven("targetResolution"):
		return false
	}
	return slices.ContainsFunc(m.Size.Resolutions, func(r Resolution) bool { return r.Below > 0 })
}

// charge sets capacity units and cost.
func (c *Catalog) charge(step *Step, s *scope, in Counts, price Price) {
	t, m, out := step.Tool, step.Model, step.Outputs
	class := t.CapacityClass
	if m != nil && c.read().weights[m.CapacityClass] > c.read().weights[class] {
		class = m.CapacityClass
	}
	step.CapacityUnits = c.read().weights[class] * max(1, out.Count)

	q := quantity{
		outputs: max(1, out.Count), length: step.Length, inputs: in, value: s.value,
		pixels: cmp.Or(s.rendered, out.Width*out.Height),
	}
	step.Cost = Cost{Class: class, Unit: price.unit(out.Kind), Quantity: 1}
	switch {
	case step.Cost.Unit == "second":
		step.Cost.Quantity = step.Length.Seconds * float64(q.outputs)
	case price.Per != perOperation && !price.Free:
		step.Cost.Quantity = float64(q.outputs)
	}
	if price.Free {
		return
	}
	usd := price.amount(q)
	multiply(usd, t.Factors, s.value)
	step.Cost.USD = money(usd)
	step.Cost.Spark = money(new(big.Rat).Quo(usd, rat(c.read().sparkUSD)))
}

// Capacity adds up the capacity units of a plan.
func Capacity(steps []*Step) int {
	total := 0
	for _, s := range steps {
		total += s.CapacityUnits
	}
	return total
}

// Weight is the capacity units of one output of a class. An unknown class weighs 1.
func (c *Catalog) Weight(class string) int {
	if w, ok := c.read().weights[class]; ok {
		return w
	}
	return 1
}

// SparkUSD is the price of one Spark in dollars.
func (c *Catalog) SparkUSD() atelier.Money { return c.read().sparkUSD }

func stringsOf(list []any) []string {
	var out []string
	for _, v := range list {
		s, _ := v.(string)
		out = append(out, s)
	}
	return out
}

func numbersOf(list []any) []float64 {
	var out []float64
	for _, v := range list {
		f, _ := v.(float64)
		out = append(out, f)
	}
	return out
}
