package picture

// extent is the part of its box that a drawing fills when nothing is turned.
// Composition places this, not the box, so that a flat fish and a tall giraffe
// both stand where they should.
func (d *drawing) extent() box {
	b := boxOf(nil)
	for i := range d.parts {
		p := &d.parts[i]
		if p.verb == "light" || p.alpha < 0.5 || p.pick != "" && p.value != 0 {
			continue
		}
		var loops [][]point
		if p.verb == "eye" {
			continue
		}
		for n := range p.times {
			loops = append(loops, p.outline(moved(p.step.x*float64(n), p.step.y*float64(n)), 1)...)
		}
		if p.mirror {
			for _, l := range loops {
				for _, q := range l {
					loops = append(loops, []point{{100 - q.x, q.y}})
				}
			}
		}
		o := boxOf(loops)
		b = box{min(b.x0, o.x0), min(b.y0, o.y0), max(b.x1, o.x1), max(b.y1, o.y1)}
	}
	return b
}
