package song

import "github.com/atelier-project/atelier/internal/kit/studio/sound"

// instrument makes the sound of one note.
type instrument interface {
	play(hz, held, force float64, seed uint64) noteVoice
}

// patch is an instrument and its place in the mix.
type patch struct {
	label  string
	maker  instrument
	gain   float64 // dB
	centre int     // the middle of its range when it has the melody
	pan    float64
	send   float64 // to the reverb
	chorus bool
	drive  float64 // distortion
	cut    float64 // Hz, of a lowpass after it
	body   float64 // Hz, of a resonance of wood
}

func adsr(a, d, s, r float64) sound.ADSR {
	return sound.ADSR{Attack: a, Decay: d, Sustain: s, Release: r}
}

// patches are the instruments by name.
var patches = map[string]patch{
	"piano":    {label: "piano", maker: modeSet{piano: true, seconds: 7, dull: 0.35, click: 0.12, damped: true}, gain: -5, centre: 72, send: 0.2, body: 180},
	"epiano":   {label: "electric piano", maker: additive{index: 1.5, decay: 0.5, tine: 0.8, amp: adsr(0.003, 2.2, 0.15, 0.25)}, gain: -3, centre: 72, send: 0.18, chorus: true},
	"vibes":    {label: "vibraphone", maker: modeSet{ratios: []float64{1, 3.98, 9.6}, levels: []float64{1, 0.3, 0.08}, seconds: 3.5, dull: 0.3, click: 0.05}, gain: -2, centre: 74, send: 0.3, pan: 0.2},
	"marimba":  {label: "marimba", maker: modeSet{ratios: []float64{1, 3.93, 9.2}, levels: []float64{1, 0.35, 0.12}, seconds: 0.9, dull: 0.5, click: 0.12}, gain: 0, centre: 70, send: 0.25, pan: 0.15},
	"bells":    {label: "bells", maker: modeSet{ratios: []float64{1, 2.0, 2.76, 4.07, 5.4, 6.8}, levels: []float64{1, 0.25, 0.4, 0.2, 0.22, 0.1}, seconds: 3.6, dull: 0.3, click: 0.04}, gain: -3, centre: 79, send: 0.4, pan: 0.2},
	"musicbox": {label: "music box", maker: modeSet{ratios: []float64{1, 3.0, 6.27}, levels: []float64{1, 0.3, 0.25}, seconds: 2.2, dull: 0.4, click: 0.1}, gain: 1, centre: 81, send: 0.35, pan: 0.1},
	"harp":     {label: "harp", maker: stringSet{seconds: 3.5, blunt: 0.3, soft: 0.55, place: 0.4}, gain: 1, centre: 70, send: 0.3, pan: -0.15, cut: 4500},
	"steel":    {label: "acoustic guitar", maker: stringSet{seconds: 3, blunt: 0.22, soft: 0.25, place: 0.16}, gain: -5, centre: 67, send: 0.15, pan: -0.2, body: 200, cut: 8000},
	"nylon":    {label: "nylon guitar", maker: stringSet{seconds: 2.4, blunt: 0.36, soft: 0.5, place: 0.25}, gain: -3, centre: 67, send: 0.2, pan: -0.2, body: 180, cut: 5500},
	"twang":    {label: "country guitar", maker: stringSet{seconds: 2.5, blunt: 0.15, soft: 0.1, place: 0.1}, gain: 3, centre: 69, send: 0.2, pan: 0.25, drive: 1.5, cut: 5500},
	"crunch":   {label: "electric guitar", maker: stringSet{seconds: 3.5, blunt: 0.2, soft: 0.3, place: 0.2, damped: true}, gain: -11, centre: 64, send: 0.1, chorus: true, drive: 6, cut: 4200},
	"metal":    {label: "distorted guitar", maker: stringSet{seconds: 4, blunt: 0.18, soft: 0.3, place: 0.2, damped: true}, gain: -13, centre: 60, send: 0.06, chorus: true, drive: 14, cut: 4600},

	"leadguitar":  {label: "lead guitar", maker: stringSet{seconds: 6, blunt: 0.16, soft: 0.2, place: 0.15, damped: true}, gain: -9, centre: 72, send: 0.25, pan: 0.15, drive: 9, cut: 4500},
	"bluesguitar": {label: "blues guitar", maker: stringSet{seconds: 4, blunt: 0.2, soft: 0.2, place: 0.15, damped: true}, gain: 0, centre: 69, send: 0.25, pan: 0.15, drive: 3, cut: 4500},
	"clav":        {label: "clavinet", maker: stringSet{seconds: 1.2, blunt: 0.12, soft: 0.1, place: 0.08, damped: true}, gain: -2, centre: 67, send: 0.08, pan: -0.25, drive: 1.5, cut: 5000},

	"upright":   {label: "upright bass", maker: stringSet{seconds: 1.4, blunt: 0.45, soft: 0.75, place: 0.3, damped: true}, gain: 4, centre: 40, send: 0.05, body: 90, cut: 2500},
	"fingered":  {label: "bass guitar", maker: stringSet{seconds: 2.2, blunt: 0.4, soft: 0.6, place: 0.2, damped: true}, gain: 3, centre: 40, send: 0.02, cut: 3000},
	"picked":    {label: "picked bass", maker: stringSet{seconds: 2.5, blunt: 0.3, soft: 0.35, place: 0.12, damped: true}, gain: 2, centre: 40, send: 0.02, drive: 1.2, cut: 3500},
	"slap":      {label: "slap bass", maker: stringSet{seconds: 1.8, blunt: 0.18, soft: 0.1, place: 0.08, damped: true}, gain: 1, centre: 40, send: 0.03, cut: 5000},
	"sub":       {label: "sub bass", maker: additive{levels: []float64{1, 0.18, 0.05}, amp: adsr(0.006, 1.5, 0.6, 0.12)}, gain: 5, centre: 36, drive: 1.2},
	"synthbass": {label: "synth bass", maker: subtractive{saws: 2, detune: 6, sub: 0.5, cut: 1.5, open: 9, q: 0.9, amp: adsr(0.003, 0.4, 0.7, 0.06), filter: adsr(0.002, 0.22, 0.15, 0.1)}, gain: 2, centre: 40, send: 0.03},
	"acid":      {label: "acid synth", maker: subtractive{saws: 1, cut: 2, open: 14, q: 5, amp: adsr(0.002, 0.2, 0.5, 0.05), filter: adsr(0.002, 0.16, 0.05, 0.1)}, gain: -4, centre: 57, send: 0.12, drive: 2},
	"reese":     {label: "reese bass", maker: subtractive{saws: 3, detune: 22, sub: 0.6, cut: 5, open: 3, q: 0.7, amp: adsr(0.02, 0.4, 0.9, 0.12), filter: adsr(0.3, 0.6, 0.5, 0.2)}, gain: -1, centre: 38},
	"cello":     {label: "cellos", maker: subtractive{saws: 2, detune: 7, cut: 5, open: 5, q: 0.7, vibrato: 9, amp: adsr(0.07, 0.3, 0.85, 0.25), filter: adsr(0.12, 0.5, 0.6, 0.3)}, gain: -1, centre: 52, send: 0.3, body: 220, cut: 4000},
	"lowbrass":  {label: "low brass", maker: subtractive{saws: 2, detune: 5, cut: 1.5, open: 9, q: 0.7, amp: adsr(0.04, 0.2, 0.85, 0.15), filter: adsr(0.07, 0.3, 0.6, 0.2)}, gain: 1, centre: 45, send: 0.3, cut: 3500},
	"lowchoir":  {label: "choir basses", maker: subtractive{saws: 3, detune: 12, cut: 14, q: 0.7, vowel: true, vibrato: 12, amp: adsr(0.12, 0.4, 0.9, 0.4), filter: adsr(0.1, 1, 1, 1)}, gain: 4, centre: 48, send: 0.5},
	"chiptri":   {label: "chip bass", maker: subtractive{tri: true, cut: 40, q: 0.7, amp: adsr(0.001, 0.1, 0.9, 0.01), filter: adsr(0.01, 1, 1, 1)}, gain: 0, centre: 43},

	"warmpad":   {label: "warm pad", maker: subtractive{saws: 3, detune: 11, cut: 2, open: 3, q: 0.7, amp: adsr(0.45, 1, 0.85, 0.9), filter: adsr(0.9, 2, 0.6, 1)}, gain: -9, centre: 67, send: 0.45, chorus: true},
	"glass":     {label: "glass pad", maker: additive{levels: []float64{1, 0, 0.25, 0.1, 0, 0.12}, air: 0.05, amp: adsr(0.6, 1, 0.8, 1.4), vibrato: 6}, gain: -13, centre: 74, send: 0.6, chorus: true},
	"strings":   {label: "strings", maker: subtractive{saws: 4, detune: 13, cut: 4, open: 5, q: 0.6, vibrato: 8, amp: adsr(0.14, 0.5, 0.88, 0.4), filter: adsr(0.25, 0.8, 0.7, 0.5)}, gain: -6, centre: 72, send: 0.4, chorus: true, cut: 6500},
	"spiccato":  {label: "strings", maker: subtractive{saws: 4, detune: 11, cut: 5, open: 7, q: 0.6, amp: adsr(0.025, 0.3, 0.6, 0.16), filter: adsr(0.03, 0.25, 0.4, 0.2)}, gain: -4, centre: 67, send: 0.4, chorus: true, cut: 6500, body: 300},
	"choir":     {label: "choir", maker: subtractive{saws: 4, detune: 15, cut: 14, q: 0.7, vowel: true, vibrato: 14, air: 0.02, amp: adsr(0.25, 0.5, 0.9, 0.6), filter: adsr(0.1, 1, 1, 1)}, gain: -5, centre: 69, send: 0.55, chorus: true},
	"soprano":   {label: "sopranos", maker: subtractive{saws: 2, detune: 9, cut: 12, q: 0.7, vowel: true, vibrato: 22, air: 0.02, amp: adsr(0.1, 0.4, 0.9, 0.35), filter: adsr(0.1, 1, 1, 1)}, gain: -3, centre: 74, send: 0.5},
	"pipe":      {label: "pipe organ", maker: additive{levels: []float64{1, 0.6, 0.3, 0.35, 0.12, 0.1, 0.05, 0.15}, half: 0.5, amp: adsr(0.05, 0.1, 1, 0.25)}, gain: -13, centre: 67, send: 0.6},
	"organ":     {label: "organ", maker: additive{levels: []float64{1, 0.7, 0.5, 0.25, 0.1, 0.15}, half: 0.6, amp: adsr(0.006, 0.1, 0.95, 0.05), vibrato: 9}, gain: -8, centre: 67, send: 0.15, chorus: true},
	"supersaw":  {label: "supersaw", maker: subtractive{saws: 5, detune: 18, cut: 6, open: 10, q: 0.7, amp: adsr(0.005, 0.35, 0.6, 0.15), filter: adsr(0.004, 0.35, 0.4, 0.2)}, gain: -5, centre: 67, send: 0.3, chorus: true},
	"polysynth": {label: "poly synth", maker: subtractive{saws: 3, detune: 10, cut: 3, open: 6, q: 0.8, amp: adsr(0.03, 0.6, 0.75, 0.5), filter: adsr(0.06, 0.8, 0.35, 0.5)}, gain: -6, centre: 67, send: 0.35, chorus: true},
	"stab":      {label: "synth stab", maker: subtractive{saws: 3, detune: 9, cut: 2, open: 9, q: 1.2, amp: adsr(0.003, 0.18, 0.2, 0.12), filter: adsr(0.003, 0.14, 0.1, 0.1)}, gain: -1, centre: 64, send: 0.4},
	"synthlead": {label: "synth lead", maker: subtractive{saws: 3, detune: 8, cut: 4, open: 6, q: 0.9, vibrato: 12, amp: adsr(0.01, 0.3, 0.75, 0.15), filter: adsr(0.01, 0.3, 0.5, 0.2)}, gain: -1, centre: 74, send: 0.3, chorus: true},
	"chiplead":  {label: "chip lead", maker: subtractive{pulse: 0.25, cut: 30, q: 0.7, vibrato: 10, amp: adsr(0.001, 0.2, 0.7, 0.02), filter: adsr(0.01, 1, 1, 1)}, gain: -7, centre: 76, pan: 0.1},
	"chippulse": {label: "chip pulse", maker: subtractive{pulse: 0.5, cut: 30, q: 0.7, amp: adsr(0.001, 0.08, 0.5, 0.01), filter: adsr(0.01, 1, 1, 1)}, gain: -7, centre: 67, pan: -0.2},

	"violin":   {label: "violin", maker: subtractive{saws: 2, detune: 4, cut: 5, open: 4, q: 0.8, vibrato: 18, amp: adsr(0.06, 0.3, 0.88, 0.18), filter: adsr(0.1, 0.5, 0.7, 0.2)}, gain: -3, centre: 76, send: 0.35, pan: -0.1, body: 480, cut: 6000},
	"flute":    {label: "flute", maker: additive{levels: []float64{1, 0.35, 0.12, 0.04}, air: 0.12, amp: adsr(0.05, 0.2, 0.9, 0.1), vibrato: 16}, gain: -1, centre: 76, send: 0.35, pan: 0.1},
	"clarinet": {label: "clarinet", maker: additive{levels: []float64{1, 0.05, 0.55, 0.05, 0.3, 0.03, 0.12}, air: 0.03, amp: adsr(0.04, 0.2, 0.9, 0.08), vibrato: 6}, gain: -4, centre: 70, send: 0.3},
	"sax":      {label: "saxophone", maker: subtractive{pulse: 0.3, saws: 1, air: 0.05, cut: 3, open: 5, q: 1, vibrato: 14, amp: adsr(0.03, 0.3, 0.85, 0.1), filter: adsr(0.05, 0.3, 0.6, 0.15)}, gain: -5, centre: 67, send: 0.3, pan: 0.1, body: 700, cut: 5000},
	"brass":    {label: "brass", maker: subtractive{saws: 3, detune: 7, cut: 1.5, open: 8, q: 0.8, vibrato: 6, amp: adsr(0.025, 0.2, 0.85, 0.1), filter: adsr(0.05, 0.25, 0.6, 0.12)}, gain: -1, centre: 67, send: 0.25, pan: 0.15},
	"horn":     {label: "french horns", maker: subtractive{saws: 3, detune: 6, cut: 1.5, open: 4.5, q: 0.7, vibrato: 5, amp: adsr(0.06, 0.3, 0.9, 0.25), filter: adsr(0.1, 0.4, 0.65, 0.3)}, gain: 0, centre: 64, send: 0.45, chorus: true, cut: 3500},
}
