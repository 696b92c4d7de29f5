package vector

import "testing"

func TestDrawingsAreWhole(t *testing.T) {
	t.Parallel()
	for name, d := range Drawings() {
		if len(d.Colours) == 0 || len(d.parts) == 0 {
			t.Errorf("%s has no colours or no parts", name)
		}
		known := map[string]bool{"": true, "lit": true, "black": true, "white": true}
		for _, c := range d.Colours {
			if !known[c.Tone.Name] {
				t.Errorf("%s: colour %s is made from %q, which is not above it", name, c.Name, c.Tone.Name)
			}
			known[c.Name] = true
		}
		for _, p := range d.parts {
			if !known[p.tone.Name] {
				t.Errorf("%s: a %s has the unknown colour %q", name, p.verb, p.tone.Name)
			}
			if _, ok := d.joints[p.joint]; p.joint != "" && !ok {
				t.Errorf("%s: a %s turns on the unknown joint %q", name, p.verb, p.joint)
			}
			if _, ok := d.picks[p.pick]; p.pick != "" && !ok {
				t.Errorf("%s: a %s hangs on the unknown pick %q", name, p.verb, p.pick)
			}
		}
		if b := d.Extent(); b.Width() < 10 || b.Height() < 10 {
			t.Errorf("%s fills only %v", name, b)
		}
	}
}
