package voice

// Timbre is how one speaker sounds.
type Timbre struct {
	Pitch   float64 `json:"pitch"`   // the middle of the voice in Hz
	Range   float64 `json:"range"`   // how far the melody of speech goes; 1 is lively, 0 flat
	Size    float64 `json:"size"`    // the formants against those of a grown man
	Pace    float64 `json:"pace"`    // the speed; 1 is about 165 words a minute
	Breath  float64 `json:"breath"`  // 0 clear, 1 whispered
	Tilt    float64 `json:"tilt"`    // dB that the overtones lose at 3 kHz; warm voices lose more
	Rough   float64 `json:"rough"`   // irregularity of the vocal folds, 0 to 1
	Machine bool    `json:"machine"` // a robot: flat and metallic
}

// clamped keeps a timbre within what the synthesiser can do and a listener can
// follow.
func (t Timbre) clamped() Timbre {
	hold := func(v, low, high float64) float64 {
		if !(v >= low) { // also when it is not a number
			return low
		}
		return min(v, high)
	}
	t.Pitch = hold(t.Pitch, 55, 420)
	t.Range = hold(t.Range, 0, 2)
	t.Size = hold(t.Size, 0.8, 1.4)
	t.Pace = hold(t.Pace, 0.5, 2)
	t.Breath = hold(t.Breath, 0, 1)
	t.Tilt = hold(t.Tilt, 0, 24)
	t.Rough = hold(t.Rough, 0, 1)
	return t
}
