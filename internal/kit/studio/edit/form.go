package edit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// readShape reads a change of shape: crop, rotate, flip.
func (c clause) readShape() []Edit {
	f := c[c.find("form")]
	e := Edit{Amount: c.amount(), Number: math.NaN()}
	if i := c.find("way"); i >= 0 {
		e.Way = c[i].Key
	}
	n := c.number()
	switch f.Key {
	case "crop":
		e.Kind, e.Target = EditCrop, c.target()
		var w, h float64
		for i := range c {
			// A ratio such as 16:9 comes in two words.
			if i+1 < len(c) {
				a, err := strconv.ParseFloat(c[i].text, 64)
				b, err2 := strconv.ParseFloat(c[i+1].text, 64)
				if err == nil && err2 == nil && a > 0 && b > 0 {
					w, h = a, b
				}
			}
		}
		switch {
		case h > 0:
			e.Number, e.Way = w/h, fmt.Sprintf("%g:%g", w, h)
		case e.Way == "square":
			e.Number = 1
		case e.Way == "portrait":
			e.Number = 3.0 / 4
		case e.Way == "landscape":
			e.Number = 16.0 / 9
		}
	case "rotate", "tilt":
		e.Kind = EditRotate
		if e.Number = n; math.IsNaN(n) {
			e.Number = map[string]float64{"rotate": 90, "tilt": 8}[f.Key]
		}
		if e.Way == "left" || strings.Contains(f.text, "counter") {
			e.Number = -e.Number
		}
	case "flip", "flop":
		e.Kind = EditFlip
		if e.Way != "upright" {
			e.Way = "level"
		}
		if c.find("form", "flop") >= 0 {
			e.Way = "upright"
		}
	case "near":
		e.Kind, e.Way, e.Number = EditZoom, "in", 1.4
	case "wide":
		e.Kind, e.Way, e.Number = EditZoom, "out", 0.75
	}
	return []Edit{e}
}
