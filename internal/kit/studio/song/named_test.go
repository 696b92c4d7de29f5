package song_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/song"
)

// What a prompt says of tempo, key and time is found, and nothing is found that
// it does not say.
func TestNamed(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]song.Measures{
		"a song about the sea":              {},
		"slow piano":                        {Tempo: true},
		"techno at 90 bpm":                  {Tempo: true},
		"90bpm beat":                        {Tempo: true},
		"a waltz for strings":               {Time: true},
		"folk in 6/8":                       {Time: true},
		"a nocturne in D minor":             {Key: true},
		"fast jig in the key of G major":    {Tempo: true, Key: true, Time: true},
		"a sad ballad":                      {Key: true},
		"breakfast music for a major event": {},
	} {
		if got := song.ReadMeasures(prompt); got != want {
			t.Errorf("%q: %+v, want %+v", prompt, got, want)
		}
	}
}
