package catalog

import (
	"math/big"

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
	// LastFrame means that the last frame is returned as well.
	LastFrame bool
	Loras     LoraPlan

	CapacityUnits int
	Cost          Cost
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
	t, ok := c.toolByName[tool]
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
	if step.Loras, err = c.PlanLoras(m, stringsOf(s.list("loras")), numbersOf(s.list("loraStrengths"))); err != nil {
		return nil, err
	}
	if a := t.Models.Argument; m != nil && a != "" && s.args[a] == nil {
		s.args[a] = ch.name
	}
	t.fill(s)
	step.LastFrame = m != nil && m.LastFrame && s.args["returnLastFrame"] == true
	c.charge(step, s, in)
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

// charge sets capacity units and price.
func (c *Catalog) charge(step *Step, s *scope, in Counts) {
	t, m, out := step.Tool, step.Model, step.Outputs
	class := t.CapacityClass
	if m != nil && c.weights[m.CapacityClass] > c.weights[class] {
		class = m.CapacityClass
	}
	step.CapacityUnits = c.weights[class] * max(1, out.Count)

	price := Price{Free: true}
	if m != nil {
		price = m.Price
	}
	if t.Price != nil && (m == nil || t.Price.Free) {
		price = *t.Price
	}
	q := quantity{
		outputs: max(1, out.Count), length: step.Length, inputs: in, value: s.value,
		pixels: out.Width * out.Height,
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
	step.Cost.Spark = money(new(big.Rat).Quo(usd, rat(c.sparkUSD)))
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
	if w, ok := c.weights[class]; ok {
		return w
	}
	return 1
}

// SparkUSD is the price of one Spark in dollars.
func (c *Catalog) SparkUSD() atelier.Money { return c.sparkUSD }

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
