package media_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/worktest"
)

// Each scan of a JPEG passes over the whole picture, in a few bytes.
func TestInspectRefusesManyScans(t *testing.T) {
	t.Parallel()
	s := newServed(t, storetest.SQLite(t), nil)
	for scans, refused := range map[int]bool{10: false, 1000: true} {
		file := worktest.JPEG(640, 640, scans)
		u := blob.Upload{Key: "assets/a", Account: "0xann", ContentType: "image/jpeg", Size: int64(len(file))}
		err := s.e.InspectUpload(t.Context(), u, bytes.NewReader(file))
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "scans") {
			t.Errorf("%d scans: %v", scans, err)
		}
	}
}

func TestInspectJSONIsOneValue(t *testing.T) {
	t.Parallel()
	for text, valid := range map[string]bool{
		`{"a":[1,{}]}`: true, ` "x" `: true, "null\n": true,
		`{}{}`: false, "1\n2": false, `[] null`: false, ` `: false, `{`: false, `{},`: false,
	} {
		err := media.InspectResult("application/json", strings.NewReader(text), int64(len(text)))
		if (err == nil) != valid {
			t.Errorf("%q: got %v, want it accepted: %v", text, err, valid)
		}
	}
}
