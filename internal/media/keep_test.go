package media_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Inline media is stored in the slot to which a client would upload it.
func TestInlineMediaHasTheSlotOfItsKind(t *testing.T) {
	t.Parallel()
	s := newServed(t, storetest.SQLite(t), nil)
	for contentType, slot := range map[string]string{"image/png": "startingImage", "audio/wav": "referenceAudio", "video/mp4": "referenceVideo"} {
		url, err := s.e.Keep(t.Context(), "0xann", contentType, []byte("x"))
		if err != nil || !strings.Contains(url, "/"+slot) {
			t.Errorf("%s: got %q, %v, want the slot %s", contentType, url, err, slot)
		}
	}
}
