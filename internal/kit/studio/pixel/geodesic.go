package pixel

import "container/heap"

// Geodesic returns how far each pixel is from the nearest seed when a step costs as
// much as the colour changes on it, and a little for its length.
func (s *Study) Geodesic(seeds []int) []float32 {
	const far, length = 1e9, 0.004
	dist := make([]float32, len(s.Colour))
	for i := range dist {
		dist[i] = far
	}
	q := &frontier{dist: dist}
	for _, i := range seeds {
		dist[i] = 0
		heap.Push(q, i)
	}
	done := make([]bool, len(dist))
	for q.Len() > 0 {
		i := heap.Pop(q).(int)
		if done[i] {
			continue
		}
		done[i] = true
		x, y := i%s.W, i/s.W
		for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			nx, ny := x+d[0], y+d[1]
			if nx < 0 || ny < 0 || nx >= s.W || ny >= s.H {
				continue
			}
			n := ny*s.W + nx
			if v := dist[i] + s.Colour[i].distance(s.Colour[n]) + length; v < dist[n] && !s.clear[n] {
				dist[n] = v
				heap.Push(q, n)
			}
		}
	}
	return dist
}

// frontier is a queue of pixels, the nearest first.
type frontier struct {
	dist []float32
	at   []entry
}

type entry struct {
	pixel int
	dist  float32
}

func (q *frontier) Len() int { return len(q.at) }

func (q *frontier) Less(i, j int) bool { return q.at[i].dist < q.at[j].dist }

func (q *frontier) Swap(i, j int) { q.at[i], q.at[j] = q.at[j], q.at[i] }

func (q *frontier) Push(x any) { q.at = append(q.at, entry{x.(int), q.dist[x.(int)]}) }

func (q *frontier) Pop() any {
	last := q.at[len(q.at)-1]
	q.at = q.at[:len(q.at)-1]
	return last.pixel
}
