package pixel

import "math"

// mixture is the colours of a region as a Gaussian mixture.
type mixture []gaussian

// gaussian is one Gaussian: the inverse of its covariance, and the logarithm of
// its constant factor.
type gaussian struct {
	mean    [3]float64
	inverse [6]float64 // xx xy xz yy yz zz
	level   float64
}

// gaussians is the number of Gaussians of a region, and roughness the minimum
// variance of each: a smaller one is noise.
const (
	gaussians = 5
	roughness = 1.5e-4
)

// Moments collect colours for a Gaussian.
type Moments struct {
	n   float64
	sum [3]float64
	sq  [6]float64
}

// Add adds a colour.
func (m *Moments) Add(c Lab) {
	x, y, z := float64(c.L), float64(c.A), float64(c.B)
	m.n++
	m.sum[0], m.sum[1], m.sum[2] = m.sum[0]+x, m.sum[1]+y, m.sum[2]+z
	m.sq[0], m.sq[1], m.sq[2] = m.sq[0]+x*x, m.sq[1]+x*y, m.sq[2]+x*z
	m.sq[3], m.sq[4], m.sq[5] = m.sq[3]+y*y, m.sq[4]+y*z, m.sq[5]+z*z
}

// Covariance returns the mean and the covariance.
func (m *Moments) Covariance() (mean [3]float64, cov [6]float64) {
	for i := range mean {
		mean[i] = m.sum[i] / m.n
	}
	k := 0
	for i := range 3 {
		for j := i; j < 3; j++ {
			if cov[k] = m.sq[k]/m.n - mean[i]*mean[j]; i == j {
				cov[k] += roughness
			}
			k++
		}
	}
	return mean, cov
}

func (m *Moments) gaussian(total float64) gaussian {
	mean, c := m.Covariance()
	det := c[0]*(c[3]*c[5]-c[4]*c[4]) - c[1]*(c[1]*c[5]-c[4]*c[2]) + c[2]*(c[1]*c[4]-c[3]*c[2])
	det = max(det, 1e-18)
	inv := [6]float64{
		(c[3]*c[5] - c[4]*c[4]) / det, (c[2]*c[4] - c[1]*c[5]) / det, (c[1]*c[4] - c[2]*c[3]) / det,
		(c[0]*c[5] - c[2]*c[2]) / det, (c[1]*c[2] - c[0]*c[4]) / det, (c[0]*c[3] - c[1]*c[1]) / det,
	}
	return gaussian{mean, inv, math.Log(m.n/total) - 0.5*math.Log(det)}
}

// likelihood returns the logarithm of a colour's density in the Gaussian.
func (g *gaussian) likelihood(c Lab) float64 {
	x, y, z := float64(c.L)-g.mean[0], float64(c.A)-g.mean[1], float64(c.B)-g.mean[2]
	v := &g.inverse
	return g.level - 0.5*(x*(v[0]*x+2*v[1]*y+2*v[2]*z)+y*(v[3]*y+2*v[4]*z)+v[5]*z*z)
}

// cost returns minus the logarithm of a colour's density in the region.
func (m mixture) cost(c Lab) float64 {
	best, sum := math.Inf(-1), 0.0
	var each [gaussians]float64
	for i := range m {
		each[i] = m[i].likelihood(c)
		best = max(best, each[i])
	}
	for i := range m {
		sum += math.Exp(each[i] - best)
	}
	return -best - math.Log(sum)
}

// mixtureOf describes colours: it splits the widest Gaussian along its longest
// axis until there are enough, then assigns each colour to its nearest one a
// few times. It returns nil when there is nothing to describe.
func mixtureOf(colours []Lab) mixture {
	if len(colours) == 0 {
		return nil
	}
	owner := make([]uint8, len(colours))
	for n := 1; n < gaussians; n++ {
		var parts [gaussians]Moments
		for i, c := range colours {
			parts[owner[i]].Add(c)
		}
		widest, spread, axis, middle := 0, 0.0, [3]float64{}, [3]float64{}
		for p := range n {
			if parts[p].n < 8 {
				continue
			}
			mean, cov := parts[p].Covariance()
			direction, variance := longestAxis(cov)
			if v := variance * parts[p].n; v > spread {
				widest, spread, axis, middle = p, v, direction, mean
			}
		}
		if spread == 0 {
			break
		}
		for i, c := range colours {
			if int(owner[i]) == widest && axis[0]*(float64(c.L)-middle[0])+axis[1]*(float64(c.A)-middle[1])+axis[2]*(float64(c.B)-middle[2]) > 0 {
				owner[i] = uint8(n)
			}
		}
	}
	var out mixture
	for range 3 {
		var parts [gaussians]Moments
		for i, c := range colours {
			parts[owner[i]].Add(c)
		}
		out = out[:0]
		for p := range parts {
			if parts[p].n > 0 {
				out = append(out, parts[p].gaussian(float64(len(colours))))
			}
		}
		for i, c := range colours {
			best := math.Inf(-1)
			for p := range out {
				if v := out[p].likelihood(c); v > best {
					best, owner[i] = v, uint8(p)
				}
			}
		}
	}
	return out
}

// longestAxis returns the direction in which a Gaussian is widest, by power
// iteration.
func longestAxis(c [6]float64) (v [3]float64, variance float64) {
	v = [3]float64{0.8, 0.5, 0.33}
	for range 12 {
		u := [3]float64{c[0]*v[0] + c[1]*v[1] + c[2]*v[2], c[1]*v[0] + c[3]*v[1] + c[4]*v[2], c[2]*v[0] + c[4]*v[1] + c[5]*v[2]}
		variance = math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2])
		if variance == 0 {
			return v, 0
		}
		v = [3]float64{u[0] / variance, u[1] / variance, u[2] / variance}
	}
	return v, variance
}
