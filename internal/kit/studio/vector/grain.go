package vector

import "github.com/atelier-project/atelier/internal/kit/studio/chance"

// grainKind is what a surface is made of.
type grainKind uint8

const (
	smoothGrain grainKind = iota
	Fur
	wood
	Stone
	metal
	Leafy
	Cloth
	scales
	brick
	Planks
)

var grainKinds = map[string]grainKind{
	"smooth": smoothGrain, "fur": Fur, "wood": wood, "stone": Stone, "metal": metal, "leafy": Leafy,
	"cloth": Cloth, "scales": scales, "brick": brick, "planks": Planks,
}

// Grain roughens a surface. It is tied to the subject's own box, so that it moves
// and grows with the subject.
type Grain struct {
	Kind     grainKind
	Strength float32
	Unit     float32 // pixels for one hundredth of the subject
	X, Y     float32 // where the subject's box begins
	Seed     uint32
}

// at returns how much lighter (above 0) or darker the surface is.
func (g *Grain) at(x, y float32) float32 {
	x, y = (x-g.X)/g.Unit, (y-g.Y)/g.Unit
	var v float32
	switch g.Kind {
	case Fur:
		v = 0.65*chance.Noise(x*1.3+chance.Noise(x*0.3, y*0.3, g.Seed)*3, y*0.45, g.Seed+1) + 0.35*chance.Noise(x*0.35, y*0.35, g.Seed+2) - 0.5
	case wood:
		v = chance.Noise(x*0.12, y*1.6+2*chance.Noise(x*0.08, y*0.2, g.Seed), g.Seed+1) - 0.5
	case Stone:
		v = chance.Fractal(x*0.5, y*0.5, 3, g.Seed) - 0.5
	case metal:
		v = 0.7 * (chance.Noise(x*0.06, y*1.1, g.Seed) - 0.5)
	case Leafy:
		v = 1.5 * (chance.Fractal(x*0.55, y*0.55, 3, g.Seed) - 0.5)
	case Cloth:
		v = 0.8 * (chance.Fractal(x*0.22, y*0.07, 3, g.Seed) - 0.5)
	case scales:
		row := chance.Floor32(y * 0.45)
		u := x*0.4 + 0.5*float32(row&1)
		u -= float32(chance.Floor32(u)) + 0.5
		w := y*0.45 - float32(row)
		v = 0.7 * (0.3 - max(0, 2*(u*u+w*w*0.5)-0.35))
	case brick:
		row := chance.Floor32(y * 0.33)
		u := x*0.17 + 0.5*float32(row&1)
		col := chance.Floor32(u)
		u, w := u-float32(col), y*0.33-float32(row)
		if v = chance.CellUnit(col, row, g.Seed)*0.6 - 0.25; u < 0.09 || w < 0.16 {
			v = 0.35
		}
	case Planks:
		col := chance.Floor32(y * 0.18)
		w := y*0.18 - float32(col)
		if v = 0.5*(chance.CellUnit(col, 0, g.Seed)-0.5) + 0.5*(chance.Noise(x*0.1, y*2, g.Seed)-0.5); w < 0.12 {
			v = -0.6
		}
	}
	return v * g.Strength
}
