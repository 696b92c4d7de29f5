package pixel

import "context"

// mincut finds the cheapest border between two sides of a grid in which every
// pixel has edges to its eight neighbours: the minimum cut, by the two growing
// trees of Boykov and Kolmogorov (2004). Capacities are whole numbers, so the
// answer is exact and the same everywhere.
//
// The grid has a rim of one node without edges, so that a neighbour always
// exists.
type mincut struct {
	w, h, stride int
	step         [8]int
	capacity     [8][]int32 // the residual capacity to each neighbour
	terminal     []int32    // the residual capacity from the source, or to the sink when negative
	side         []int8     // the tree of a node: 1 source, -1 sink, 0 neither yet
	parent       []int8     // the direction of its parent, or one of the words below
	stamp, far   []int32    // when its distance to the root was last known, and the distance
	now          int32
	queued       []bool
	active       []int
	head         int
	orphans      []int
}

const (
	atRoot  int8 = -1
	noneYet int8 = -2
	lost    int8 = -3
)

// opposite returns the direction back.
func opposite(d int) int { return d ^ 4 }

func newMincut(w, h int) *mincut {
	f := &mincut{w: w, h: h, stride: w + 2}
	n := f.stride * (h + 2)
	f.step = [8]int{1, f.stride, f.stride + 1, f.stride - 1, -1, -f.stride, -f.stride - 1, -f.stride + 1}
	for d := range f.capacity {
		f.capacity[d] = make([]int32, n)
	}
	f.terminal, f.side, f.parent = make([]int32, n), make([]int8, n), make([]int8, n)
	f.stamp, f.far, f.queued = make([]int32, n), make([]int32, n), make([]bool, n)
	return f
}

func (f *mincut) node(x, y int) int { return (y+1)*f.stride + x + 1 }

// connect joins a node to its neighbour in direction d, from 0 to 3, both ways.
func (f *mincut) connect(i, d int, strength int32) {
	f.capacity[d][i] = strength
	f.capacity[opposite(d)][i+f.step[d]] = strength
}

// cut runs the flow and returns which nodes are on the source's side.
func (f *mincut) cut(ctx context.Context) ([]bool, error) {
	for i, t := range f.terminal {
		f.parent[i] = noneYet
		if t != 0 {
			f.side[i], f.parent[i], f.far[i] = 1, atRoot, 1
			if t < 0 {
				f.side[i] = -1
			}
			f.activate(i)
		}
	}
	at := -1
	for rounds := 0; ; rounds++ {
		if rounds&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if at < 0 || f.side[at] == 0 {
			if at = f.nextActive(); at < 0 {
				break
			}
		}
		from, d := f.grow(at)
		if d < 0 {
			at = -1
			continue
		}
		f.now++
		f.augment(from, d)
		f.adopt()
	}
	out := make([]bool, f.w*f.h)
	for y := range f.h {
		for x := range f.w {
			out[y*f.w+x] = f.side[f.node(x, y)] > 0
		}
	}
	return out, nil
}

func (f *mincut) activate(i int) {
	if !f.queued[i] {
		f.queued[i] = true
		f.active = append(f.active, i)
	}
}

func (f *mincut) nextActive() int {
	for f.head < len(f.active) {
		i := f.active[f.head]
		f.head++
		f.queued[i] = false
		if f.head > 1<<16 && f.head*2 > len(f.active) {
			f.active = append(f.active[:0], f.active[f.head:]...)
			f.head = 0
		}
		if f.side[i] != 0 {
			return i
		}
	}
	return -1
}

// grow adds the free neighbours of a node to its tree. When it meets the other
// tree it returns the edge that joins them, seen from the source's side; else
// -1.
func (f *mincut) grow(i int) (from, d int) {
	mine := f.side[i]
	for d := range 8 {
		j := i + f.step[d]
		if mine > 0 && f.capacity[d][i] == 0 || mine < 0 && f.capacity[opposite(d)][j] == 0 {
			continue
		}
		switch {
		case f.side[j] == 0:
			f.side[j], f.parent[j], f.stamp[j], f.far[j] = mine, int8(opposite(d)), f.stamp[i], f.far[i]+1
			f.activate(j)
		case f.side[j] != mine:
			if mine > 0 {
				return i, d
			}
			return j, opposite(d)
		case f.stamp[j] <= f.stamp[i] && f.far[j] > f.far[i]:
			f.parent[j], f.stamp[j], f.far[j] = int8(opposite(d)), f.stamp[i], f.far[i]+1
		}
	}
	return 0, -1
}

// augment sends as much flow as the path through an edge can carry.
func (f *mincut) augment(from, d int) {
	to := from + f.step[d]
	most := f.capacity[d][from]
	i := from
	for f.parent[i] != atRoot {
		p := int(f.parent[i])
		i += f.step[p]
		most = min(most, f.capacity[opposite(p)][i])
	}
	most = min(most, f.terminal[i])
	i = to
	for f.parent[i] != atRoot {
		p := int(f.parent[i])
		most = min(most, f.capacity[p][i])
		i += f.step[p]
	}
	most = min(most, -f.terminal[i])

	f.capacity[d][from] -= most
	f.capacity[opposite(d)][to] += most
	for i = from; f.parent[i] != atRoot; {
		p, child := int(f.parent[i]), i
		i += f.step[p]
		f.capacity[p][child] += most
		if f.capacity[opposite(p)][i] -= most; f.capacity[opposite(p)][i] == 0 {
			f.orphan(child)
		}
	}
	if f.terminal[i] -= most; f.terminal[i] == 0 {
		f.orphan(i)
	}
	for i = to; f.parent[i] != atRoot; {
		p, child := int(f.parent[i]), i
		i += f.step[p]
		f.capacity[opposite(p)][i] += most
		if f.capacity[p][child] -= most; f.capacity[p][child] == 0 {
			f.orphan(child)
		}
	}
	if f.terminal[i] += most; f.terminal[i] == 0 {
		f.orphan(i)
	}
}

func (f *mincut) orphan(i int) {
	f.parent[i] = lost
	f.orphans = append(f.orphans, i)
}

// adopt finds new parents for orphans, or frees them.
func (f *mincut) adopt() {
	for k := 0; k < len(f.orphans); k++ {
		i := f.orphans[k]
		mine := f.side[i]
		best, nearest := -1, int32(1<<30)
		for d := range 8 {
			j := i + f.step[d]
			if f.side[j] != mine || !f.reaches(j, i, d, mine) {
				continue
			}
			if far := f.depth(j); far < nearest {
				best, nearest = d, far
			}
		}
		if best >= 0 {
			f.parent[i], f.stamp[i], f.far[i] = int8(best), f.now, nearest+1
			continue
		}
		for d := range 8 {
			j := i + f.step[d]
			if f.side[j] != mine {
				continue
			}
			if f.reaches(j, i, d, mine) {
				f.activate(j)
			}
			if f.parent[j] == int8(opposite(d)) {
				f.orphan(j)
			}
		}
		f.side[i], f.parent[i] = 0, noneYet
	}
	f.orphans = f.orphans[:0]
}

// reaches reports whether j, which lies in direction d of i, can be its parent.
func (f *mincut) reaches(j, i, d int, mine int8) bool {
	if mine > 0 {
		return f.capacity[opposite(d)][j] > 0
	}
	return f.capacity[d][i] > 0
}

// depth returns how far a node is from its root; a very large number when its line
// ends at an orphan.
func (f *mincut) depth(j int) int32 {
	steps, i := int32(0), j
	for {
		if f.stamp[i] == f.now {
			steps += f.far[i]
			break
		}
		switch f.parent[i] {
		case atRoot:
			f.stamp[i], f.far[i] = f.now, 1
			steps++
		case lost, noneYet:
			return 1 << 30
		default:
			steps++
			i += f.step[f.parent[i]]
			continue
		}
		break
	}
	total := steps
	for i = j; f.stamp[i] != f.now; {
		f.stamp[i], f.far[i] = f.now, steps
		steps--
		i += f.step[f.parent[i]]
	}
	return total
}
