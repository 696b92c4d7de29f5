package voice

import "github.com/atelier-project/atelier/internal/kit/studio/sound"

// speechLoudness is in LUFS, as usual for speech on the web.
const speechLoudness = -17

// master masters raw speech: a highpass, some presence, compression, a short
// reverb, and no silence at the ends.
func master(x []float32, rate int) *sound.Clip {
	sound.Highpass(rate, 70, 0.7).Process(x)
	sound.Bell(rate, 300, 0.8, -1.5).Process(x)
	sound.Bell(rate, 3200, 0.8, 2).Process(x)
	var peak float32 = 1e-6
	for _, s := range x {
		peak = max(peak, s, -s)
	}
	sound.Gain(x, 0.7/peak)
	sound.NewCompressor(rate, -20, 2.5, 0.005, 0.12).Process(x, x)

	send := append(x, make([]float32, rate/5)...)
	room := make([]float32, len(send))
	sound.NewReverb(rate, 0.35, 0.3, 0.45).Process(send, room, make([]float32, len(send)))
	sound.Add(send, room, 0.1)

	c := sound.FromPlanes(rate, send)
	c.Normalise(speechLoudness, -1.5)
	c = c.Trim(0.004, rate/25)
	plane := c.Plane(0)
	sound.Fade(plane, rate/200, rate/50)
	return sound.FromPlanes(rate, plane)
}
