package main

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// drawWaveform shows a recording: its wave over its spectrum, from 50 Hz to 8 kHz, and
// how long it is.
func drawWaveform(clip *sound.Clip, w, h int) (image.Image, error) {
	mono := clip.Mono()
	out := blank(w, h, color.NRGBA{24, 22, 28, 255})
	wave := h * 2 / 5
	for x := range w {
		part := mono[x*len(mono)/w : max(x*len(mono)/w+1, (x+1)*len(mono)/w)]
		var low, high float64
		for _, v := range part {
			low, high = math.Min(low, float64(v)), math.Max(high, float64(v))
		}
		for y := wave/2 - int(high*float64(wave)*0.48); y <= wave/2-int(low*float64(wave)*0.48); y++ {
			out.Set(x, y, color.NRGBA{236, 170, 96, 255})
		}
	}
	const window = 2048
	for x := range w {
		bins := sound.Spectrum(mono, x*len(mono)/w-window/2, window)
		for y := wave + 2; y < h; y++ {
			part := float64(h-1-y) / float64(h-wave-3)
			hz := 50 * math.Pow(160, part)
			at := min(hz*window/float64(clip.Rate), float64(len(bins)-2))
			k := int(at)
			v := bins[k] + (bins[k+1]-bins[k])*(at-float64(k))
			out.SetNRGBA(x, y, glow((20*math.Log10(v/window*4+1e-9)+78)/66))
		}
	}
	length, err := write("bold", 15, card, 0, fmt.Sprintf("%.1f s", clip.Duration().Seconds()))
	if err != nil {
		return nil, err
	}
	paste(out, length, w-length.Rect.Dx()-8, 6)
	return out, nil
}

// glow returns how loud a part of a spectrum is as a colour, from 0 to 1.
func glow(v float64) color.NRGBA {
	v = min(max(v, 0), 1)
	stops := [][3]float64{{24, 22, 28}, {70, 32, 92}, {188, 54, 84}, {248, 150, 60}, {252, 246, 190}}
	at := v * float64(len(stops)-1)
	k := min(int(at), len(stops)-2)
	mix := func(i int) uint8 { return uint8(stops[k][i] + (stops[k+1][i]-stops[k][i])*(at-float64(k))) }
	return color.NRGBA{mix(0), mix(1), mix(2), 255}
}
