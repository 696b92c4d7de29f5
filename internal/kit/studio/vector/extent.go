package vector

// Extent returns the part of its box that a drawing fills when nothing is
// turned. Figures are placed by it, so that a flat fish and a tall giraffe both
// stand on the ground.
func (d *Drawing) Extent() Box {
	b := BoxOf(nil)
	for i := range d.parts {
		p := &d.parts[i]
		if p.verb == "light" || p.alpha < 0.5 || p.pick != "" && p.value != 0 {
			continue
		}
		var loops [][]Point
		if p.verb == "eye" {
			continue
		}
		for n := range p.times {
			loops = append(loops, p.outline(Moved(p.step.X*float64(n), p.step.Y*float64(n)), 1)...)
		}
		if p.mirror {
			for _, l := range loops {
				for _, q := range l {
					loops = append(loops, []Point{{100 - q.X, q.Y}})
				}
			}
		}
		o := BoxOf(loops)
		b = Box{min(b.X0, o.X0), min(b.Y0, o.Y0), max(b.X1, o.X1), max(b.Y1, o.Y1)}
	}
	return b
}
