package footage

// Ease goes from 0 to 1 with a soft start and a soft end.
func Ease(t float64) float64 {
	t = min(max(t, 0), 1)
	return t * t * (3 - 2*t)
}

// FrameRate is the rate of every clip that is not made from another clip.
const FrameRate = 24
