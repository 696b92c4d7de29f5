package catalog_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
)

// For any arguments, the answer is a consistent step or an error that names its
// field.
func FuzzStep(f *testing.F) {
	seeds := []string{
		`{}`, `{"prompt":"a"}`, `{"prompt":"a","duration":1e300}`, `{"prompt":"a","width":1e300,"height":-1}`,
		`{"prompt":"a","referenceImageIndices":[1e300,-1e300]}`, `{"prompt":"a","videoModel":"minimax-h3-r2v","keyframes":[{"imageIndex":0,"atSeconds":0}]}`,
		`{"startSeconds":0,"endSeconds":1e300,"replacementVideoIndex":0}`, `{"overlays":[null,1,{"kind":"text"}]}`, `{"points":[{"x":1,"y":null}]}`,
		`{"prompt":"a","loras":["x"],"loraStrengths":[null]}`, `{"prompt":"a","aspectRatio":"0:0"}`, `{"cues":[[]]}`, `{"transition":{"type":{}}}`,
		`{"prompt":"a","numberOfVariations":16,"sourceImageIndices":[0]}`, `{"dance":"chanel","duration":30}`, `{"angles":[]}`,
	}
	for i := range shared.Tools() {
		for _, s := range seeds {
			f.Add(uint8(i), s, "sourceImageIndex", uint8(1))
		}
	}
	f.Fuzz(func(t *testing.T, tool uint8, text, bind string, have uint8) {
		var args map[string]any
		d := json.NewDecoder(strings.NewReader(text))
		if have%2 == 0 {
			d.UseNumber()
		}
		if d.Decode(&args) != nil {
			t.Skip()
		}
		facts := up(int(have%5), int(have%3), int(have%2))
		if have > 128 {
			facts = none()
		}
		if bind != "" && have%3 == 0 {
			facts.Bound = []string{bind}
		}
		tools := shared.Tools()
		s, err := shared.Step(tools[int(tool)%len(tools)].Name, args, facts)
		if err != nil {
			var e *atelier.Error
			if !errors.As(err, &e) || e.Field == "" || !strings.HasPrefix(e.Message, e.Field+" ") {
				t.Fatalf("%s: %#v, want an error that begins with its field", text, err)
			}
			return
		}
		if s.Cost.Spark < 0 || s.Cost.USD < 0 || s.CapacityUnits < 0 || s.Outputs.Count < 0 || s.Outputs.Count > 16 ||
			math.IsNaN(s.Length.Seconds) || s.Length.Seconds < 0 {
			t.Fatalf("%s: step %+v is inconsistent", text, s)
		}
		if !s.Tool.Free() && s.Cost.Spark == 0 {
			t.Fatalf("%s: paid work at no price", text)
		}
	})
}
