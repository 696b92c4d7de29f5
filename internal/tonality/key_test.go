package tonality_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/tonality"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"C major": "C major", "c minor": "C minor", "Cm": "C minor", "CM": "C major", "C": "C major", "F♯ min": "F# minor", "Db maj": "C# major",
		"B flat major": "Bb major", "b-flat minor": "Bb minor", "A# minor": "Bb minor", "Bbm": "Bb minor", "BbM": "Bb major", "BM": "B major",
		"bb minor": "Bb minor", "Fsharp minor": "F# minor", "C♯m": "C# minor", "G min.": "G minor", "Amin": "A minor", "E# major": "F major",
		"a harmonic minor": "A minor", "D dorian": "D dorian", "A minor pentatonic": "A minor", "c moll": "C minor", " G  Major ": "G major",
	} {
		if k, ok := tonality.Parse(s); !ok || k.String() != want {
			t.Errorf("%q is %v, %v, want %s", s, k, ok, want)
		}
	}
	for _, s := range []string{"", " ", "H dur", "sad", "C banana", "major", "C## minor", "Cbb", "C sharp sharp", "C# sharp", "C major or G minor", "M", "東"} {
		if k, ok := tonality.Parse(s); ok {
			t.Errorf("%q is %v, want none", s, k)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	both := []string{"C# major", "Db major", "A# minor", "Bb minor", "C minor"}
	one := []string{"C major", "Db major", "Bb minor", "f# Minor"}
	for _, tc := range []struct {
		list    []string
		s, want string
	}{
		{both, "db maj", "Db major"}, {both, "C♯", "C# major"}, {both, "A sharp min", "A# minor"}, {both, "B flat minor", "Bb minor"},
		{both, "cm", "C minor"}, {one, "C# major", "Db major"}, {one, "A#m", "Bb minor"}, {one, "Gb minor", "f# Minor"}, {one, "B# major", "C major"},
		{one, "C dorian", ""}, {one, "D major", ""}, {one, "loud", ""}, {nil, "C", ""},
	} {
		if got, ok := tonality.Find(tc.list, tc.s); got != tc.want || ok != (tc.want != "") {
			t.Errorf("%q in %q is %q, %v, want %q", tc.s, tc.list, got, ok, tc.want)
		}
	}
}
