package openai

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestDecodeInline(t *testing.T) {
	t.Parallel()
	b64 := base64.StdEncoding.EncodeToString
	png := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	wav := []byte("RIFF\x00\x00\x00\x00WAVEfmt ")
	m4a := []byte("\x00\x00\x00\x18ftypM4A \x00\x00\x00\x00M4A mp42")
	for _, c := range []struct{ name, kind, uri, want string }{
		{"an image", "image", "data:image/png;base64," + b64(png), "image/png"},
		{"without its padding", "image", "data:image/png;base64," + strings.TrimRight(b64(png), "="), "image/png"},
		{"sound by another name", "audio", "data:audio/x-wav;base64," + b64(wav), "audio/wav"},
		{"sound in a container", "audio", "data:audio/mp4;base64," + b64(m4a), "audio/mp4"},
		{"another type", "image", "data:image/jpeg;base64," + b64(png), ""},
		{"another kind", "video", "data:image/png;base64," + b64(png), ""},
		{"nothing known", "image", "data:image/png;base64," + b64([]byte("hello")), ""},
		{"no base64", "image", "data:image/png;base64,%%%", ""},
		{"plain", "image", "data:image/png,hello", ""},
		{"an address", "image", "https://media.example/a.png", ""},
		{"too much", "image", "data:image/png;base64," + strings.Repeat("A", 28<<20), ""},
		{"nothing", "image", "", ""},
	} {
		data, got, err := decodeInline(c.kind, []byte(c.uri))
		if got != c.want || (err == nil) != (c.want != "") || (err == nil && len(data) == 0) {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

func FuzzDecodeInline(f *testing.F) {
	f.Add("image", "data:image/png;base64,iVBORw0KGgo=")
	f.Add("audio", "data:;base64,")
	f.Fuzz(func(t *testing.T, kind, uri string) {
		if data, contentType, err := decodeInline(kind, []byte(uri)); err == nil && (len(data) == 0 || contentType == "") {
			t.Errorf("%q gave %d bytes of %q", uri, len(data), contentType)
		}
	})
}
