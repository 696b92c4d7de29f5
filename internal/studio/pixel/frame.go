package pixel

import "math"

// BoxIn is the box around what a mask means, in parts of the picture.
func BoxIn(m *Mask) Frame {
	b := m.Box()
	w, h := float64(m.W), float64(m.H)
	return Frame{
		X0: Thousandths(float64(b.Min.X) / w), Y0: Thousandths(float64(b.Min.Y) / h),
		X1: Thousandths(float64(b.Max.X) / w), Y1: Thousandths(float64(b.Max.Y) / h),
	}
}

// Thousandths rounds to three places.
func Thousandths(v float64) float64 { return math.Round(v*1000) / 1000 }
