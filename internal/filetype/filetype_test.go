package filetype_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/filetype"
)

func TestFits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		declared, detected string
		want               bool
	}{
		{"image/jpg", "image/jpeg", true},
		{"audio/x-wav", "audio/wav", true},
		{"video/quicktime", "video/mp4", true},
		{"audio/mp4", "video/mp4", true},
		{"image/png", "image/jpeg", false},
		{"video/mp4", "", false},
		{"audio/wav", "video/mp4", false},
	} {
		if got := filetype.Fits(tc.declared, tc.detected); got != tc.want {
			t.Errorf("%s as %s: got %v", tc.detected, tc.declared, got)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	if got := filetype.Extension("image/jpg"); got != ".jpg" {
		t.Errorf("extension of image/jpg: %q", got)
	}
	if got := filetype.Extension("text/html"); got != "" {
		t.Errorf("extension of text/html: %q", got)
	}
	if filetype.Kind("video/webm") != "video" || filetype.Kind("text/html") != "other" {
		t.Error("kinds are mixed up")
	}
}
