package picture

// grainKind is what a surface is made of.
type grainKind uint8

const (
	smoothGrain grainKind = iota
	fur
	wood
	stone
	metal
	leafy
	cloth
	scales
	brick
	planks
)

var grainKinds = map[string]grainKind{
	"smooth": smoothGrain, "fur": fur, "wood": wood, "stone": stone, "metal": metal, "leafy": leafy,
	"cloth": cloth, "scales": scales, "brick": brick, "planks": planks,
}

// grain roughens a surface. It is tied to the subject's own box, so that it moves
// and grows with the subject.
type grain struct {
	kind     grainKind
	strength float32
	unit     float32 // pixels for one hundredth of the subject
	x, y     float32 // where the subject's box begins
	seed     uint32
}

// at answers how much lighter (above 0) or darker the surface is.
func (g *grain) at(x, y float32) float32 {
	x, y = (x-g.x)/g.unit, (y-g.y)/g.unit
	var v float32
	switch g.kind {
	case fur:
		v = 0.65*noise(x*1.3+noise(x*0.3, y*0.3, g.seed)*3, y*0.45, g.seed+1) + 0.35*noise(x*0.35, y*0.35, g.seed+2) - 0.5
	case wood:
		v = noise(x*0.12, y*1.6+2*noise(x*0.08, y*0.2, g.seed), g.seed+1) - 0.5
	case stone:
		v = fractal(x*0.5, y*0.5, 3, g.seed) - 0.5
	case metal:
		v = 0.7 * (noise(x*0.06, y*1.1, g.seed) - 0.5)
	case leafy:
		v = 1.5 * (fractal(x*0.55, y*0.55, 3, g.seed) - 0.5)
	case cloth:
		v = 0.8 * (fractal(x*0.22, y*0.07, 3, g.seed) - 0.5)
	case scales:
		row := floor32(y * 0.45)
		u := x*0.4 + 0.5*float32(row&1)
		u -= float32(floor32(u)) + 0.5
		w := y*0.45 - float32(row)
		v = 0.7 * (0.3 - max(0, 2*(u*u+w*w*0.5)-0.35))
	case brick:
		row := floor32(y * 0.33)
		u := x*0.17 + 0.5*float32(row&1)
		col := floor32(u)
		u, w := u-float32(col), y*0.33-float32(row)
		if v = cellUnit(col, row, g.seed)*0.6 - 0.25; u < 0.09 || w < 0.16 {
			v = 0.35
		}
	case planks:
		col := floor32(y * 0.18)
		w := y*0.18 - float32(col)
		if v = 0.5*(cellUnit(col, 0, g.seed)-0.5) + 0.5*(noise(x*0.1, y*2, g.seed)-0.5); w < 0.12 {
			v = -0.6
		}
	}
	return v * g.strength
}
