package voice

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// kind is the manner of articulation of a phoneme.
type kind byte

const (
	vowel     kind = 'v'
	diphthong kind = 'd'
	glide     kind = 'g'
	nasal     kind = 'n'
	fricative kind = 'f'
	stop      kind = 's'
	affricate kind = 'a'
	breath    kind = 'h'
	pause     kind = 'p'
)

func (k kind) vocalic() bool { return k == vowel || k == diphthong }

// band is band-limited noise.
type band struct{ hz, width, db float64 }

// phoneme is one sound of English as the formant synthesiser makes it.
type phoneme struct {
	name                string
	kind                kind
	f, b                [3]float64
	end                 [3]float64 // where a diphthong ends
	usual, shortest     float64    // seconds
	voice, breath, fric float64    // dB
	noise               [2]band
}

// voiced reports whether the vocal folds vibrate.
func (p *phoneme) voiced() bool { return p.b[0] < 100 }

//go:embed data/phonemes.txt
var phonemeText string

var phonemes = func() map[string]*phoneme {
	m, err := parsePhonemes(phonemeText)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return m
}()

// silence is the sound between phrases.
var silence = &phoneme{name: "_", kind: pause, f: [3]float64{500, 1500, 2500}, b: [3]float64{80, 100, 150}}

func parsePhonemes(text string) (map[string]*phoneme, error) {
	out := map[string]*phoneme{}
	for n, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		if len(fields) < 13 {
			return nil, fmt.Errorf("phonemes line %d: %d fields", n+1, len(fields))
		}
		var num []float64
		for _, f := range fields[2:] {
			if f == ">" || f == "~" {
				continue
			}
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return nil, fmt.Errorf("phonemes line %d: %w", n+1, err)
			}
			num = append(num, v)
		}
		p := &phoneme{
			name: fields[0], kind: kind(fields[1][0]),
			f: [3]float64(num[0:3]), b: [3]float64(num[3:6]), end: [3]float64(num[0:3]),
			usual: num[6] / 1000, shortest: num[7] / 1000, voice: num[8], breath: num[9], fric: num[10],
		}
		switch rest := num[11:]; {
		case p.kind == diphthong && len(rest) == 3:
			p.end = [3]float64(rest)
		case p.fric > 0 && len(rest) == 6:
			p.noise = [2]band{{rest[0], rest[1], rest[2]}, {rest[3], rest[4], rest[5]}}
		case len(rest) > 0 || p.kind == diphthong || p.fric > 0:
			return nil, fmt.Errorf("phonemes line %d: %d numbers too many or too few", n+1, len(rest))
		}
		out[p.name] = p
	}
	return out, nil
}
