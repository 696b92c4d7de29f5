package filetype_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/filetype"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"\x89PNG\r\n\x1a\n\x00":                "image/png",
		"\xff\xd8\xff\xe0":                     "image/jpeg",
		"GIF89a":                               "image/gif",
		"RIFF\x00\x00\x00\x00WEBPVP8 ":         "image/webp",
		"RIFF\x00\x00\x00\x00WAVEfmt ":         "audio/wav",
		"fLaC\x00":                             "audio/flac",
		"ID3\x03":                              "audio/mpeg",
		"\xff\xfb\x90":                         "audio/mpeg",
		"\x00\x00\x00\x18ftypmp42":             "video/mp4",
		"\x00\x00\x00\x18ftypqt  ":             "video/quicktime",
		"\x00\x00\x00\x18ftypM4A ":             "audio/mp4",
		"\x1a\x45\xdf\xa3\x01\x42\x82\x84webm": "video/webm",
		"glTF\x02":                             "model/gltf-binary",
		"<html>":                               "",
		"":                                     "",
		"RIFF\x00\x00\x00\x00AVI ":             "",
	} {
		if got := filetype.Detect([]byte(head)); got != want {
			t.Errorf("%q: got %q, want %q", head, got, want)
		}
	}
}

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
