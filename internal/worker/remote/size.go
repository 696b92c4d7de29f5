package remote

import (
	"fmt"

	"github.com/atelier-project/atelier/internal/catalog"
)

// imageSize is the size of a picture as the images API spells it: the nearest that the
// model can make.
func imageSize(w, h float64, s *catalog.Size) string {
	if !(w > 0) || !(h > 0) || w > 1e6 || h > 1e6 {
		return "auto"
	}
	if s == nil {
		return fmt.Sprintf("%.0fx%.0f", w, h)
	}
	a, b := s.Fit(w, h)
	return fmt.Sprintf("%dx%d", a, b)
}
