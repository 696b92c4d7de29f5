package measure

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// The sizes of a plot, in pixels.
const (
	plotWidth = 860
	plotLeft  = 380 // of the scale
	plotRight = 790
	plotTop   = 64
	plotRow   = 22
	plotMost  = 6 // powers of two on each side of one: what was lost in noise may be anywhere
)

// Plots writes a plot of each part that compares into a directory.
func (r Result) Plots(dir string) (files []string, err error) {
	for _, p := range r.Parts {
		drawing, any := r.plot(p)
		if !any {
			continue
		}
		file := filepath.Join(dir, "bench-"+strings.ToLower(p.Name)+".svg")
		if err := os.WriteFile(file, drawing, 0o644); err != nil {
			return files, err
		}
		files = append(files, file)
	}
	return files, nil
}

// plot draws the ratios of a part: a point for each median, a line between the quartiles, a tick for the aim. The
// scale is logarithmic: twice and half are equally far from one.
func (r Result) plot(p Part) (drawing []byte, any bool) {
	var rows []Measurement
	low, high := 0.5, 2.0
	for _, m := range p.Measurements {
		if m.compares() && m.Turns.Low() > 0 {
			rows = append(rows, m)
			low, high = min(low, m.Turns.Low()), max(high, m.Turns.High())
		}
	}
	if len(rows) == 0 {
		return nil, false
	}
	low, high = max(math.Floor(math.Log2(low)), -plotMost), min(math.Ceil(math.Log2(high)), plotMost)
	x := func(v float64) float64 {
		at := min(max(math.Log2(v), low), high)
		return plotLeft + (plotRight-plotLeft)*(at-low)/(high-low)
	}
	var out bytes.Buffer
	bottom := plotTop + plotRow*len(rows)
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">
<style>
text{fill:#24292f}.grid{stroke:#d0d7de}.one{stroke:#6e7781}.spread{stroke:#0969da;stroke-width:3;opacity:.45}.point{fill:#0969da}.aim{stroke:#cf222e;stroke-width:2}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.grid{stroke:#30363d}.one{stroke:#8b949e}.spread{stroke:#4493f8}.point{fill:#4493f8}.aim{stroke:#f85149}}
</style>
<text x="10" y="22" font-size="14" font-weight="bold">%s</text>
<text x="10" y="40">%s</text>
`, plotWidth, bottom+12, html.EscapeString(p.Name+", as ratios"), html.EscapeString(r.Name()+", "+r.Machine.String()))
	step := max(1, int(high-low)/8)
	for e := int(low); e <= int(high); e += step {
		class := "grid"
		if e == 0 {
			class = "one"
		}
		at := x(math.Exp2(float64(e)))
		fmt.Fprintf(&out, `<line class="%s" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			class, at, at, plotTop, bottom, at, plotTop-6, Number(math.Exp2(float64(e))))
	}
	for i, m := range rows {
		y := plotTop + plotRow*i + plotRow/2
		fmt.Fprintf(&out, `<text x="%d" y="%d" text-anchor="end">%s</text>`, plotLeft-10, y+4, html.EscapeString(m.Name))
		if m.Aim != nil {
			fmt.Fprintf(&out, `<line class="aim" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, x(m.Aim.Limit), x(m.Aim.Limit), y-7, y+7)
		}
		fmt.Fprintf(&out, `<line class="spread" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/><circle class="point" cx="%.1f" cy="%d" r="4"/><text x="%d" y="%d">%s</text>`+"\n",
			x(m.Turns.Low()), x(m.Turns.High()), y, y, x(m.Turns.Median()), y, plotRight+12, y+4, Number(m.Turns.Median()))
	}
	out.WriteString("</svg>\n")
	return out.Bytes(), true
}
