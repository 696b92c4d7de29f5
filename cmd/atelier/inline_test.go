package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestProtocolOfTheTerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		environment map[string]string
		want        string
	}{
		{map[string]string{"TERM": "xterm-256color"}, ""},
		{map[string]string{"TERM": "xterm-kitty"}, "kitty"},
		{map[string]string{"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, "kitty"},
		{map[string]string{"TERM_PROGRAM": "ghostty"}, "kitty"},
		{map[string]string{"TERM_PROGRAM": "iTerm.app"}, "iterm"},
		{map[string]string{"TERM_PROGRAM": "WezTerm"}, "iterm"},
		{map[string]string{"LC_TERMINAL": "iTerm2"}, "iterm"},
		{map[string]string{"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, ""},
		{map[string]string{"TERM": "screen", "TERM_PROGRAM": "iTerm.app"}, ""},
	} {
		got := ""
		if p := protocolOf(func(name string) string { return c.environment[name] }); p != nil {
			var out strings.Builder
			if err := p(&out, "a.png", pngFile(t)); err != nil {
				t.Fatal(err)
			}
			got = map[bool]string{true: "kitty", false: "iterm"}[strings.HasPrefix(out.String(), "\x1b_G")]
		}
		if got != c.want {
			t.Errorf("%v: got %q, want %q", c.environment, got, c.want)
		}
	}
}

// noise is a picture whose file is larger than one command of kitty's protocol.
func noise() image.Image {
	picture := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i * i * 7919 >> 3)
	}
	return picture
}

func pngFile(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := png.Encode(&file, noise()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// What kitty gets, put together again, is the PNG; of a JPEG it is one with its size.
func TestKittyGetsPNG(t *testing.T) {
	t.Parallel()
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, noise(), nil); err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`\x1b_G(a=T,f=100,q=2,)?m=([01]);([A-Za-z0-9+/=]+)\x1b\\`)
	for name, file := range map[string][]byte{"png": pngFile(t), "jpeg": photo.Bytes()} {
		var out strings.Builder
		if err := showKitty(&out, "", file); err != nil {
			t.Fatal(err)
		}
		var text string
		parts := command.FindAllStringSubmatch(out.String(), -1)
		for i, p := range parts {
			if first, last := i == 0, i == len(parts)-1; (p[1] != "") != first || (p[2] == "0") != last {
				t.Errorf("%s: part %d of %d begins with %q and has m=%s", name, i, len(parts), p[1], p[2])
			}
			if len(p[3]) > kittyChunk {
				t.Errorf("%s: part %d has %d characters", name, i, len(p[3]))
			}
			text += p[3]
		}
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		if size, format, err := image.DecodeConfig(bytes.NewReader(data)); err != nil || format != "png" || size.Width != 64 {
			t.Errorf("%s: got %v %s, %v", name, size, format, err)
		}
		if name == "png" && !bytes.Equal(data, file) {
			t.Error("the PNG was changed")
		}
	}
	var out strings.Builder
	if err := showKitty(&out, "", []byte("RIFF....WEBP")); err != nil || out.String() != "" {
		t.Errorf("a format that cannot be decoded: got %q, %v", &out, err)
	}
}

// Without a terminal only --inline=always shows a picture.
func TestPicturesAreNotShownInPipes(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "fox.png")
	if err := os.WriteFile(name, pngFile(t), 0o600); err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]bool{"auto": false, "never": false, "always": true} {
		var out strings.Builder
		if err := showPicture(&out, name, setting); err != nil || (out.Len() > 0) != want {
			t.Errorf("%s: wrote %d bytes, %v", setting, out.Len(), err)
		}
	}
}
