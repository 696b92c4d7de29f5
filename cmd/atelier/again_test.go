package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/mediameta"
)

// saved is the path of a picture that has settings.
func saved(t *testing.T, s mediameta.Settings) path {
	t.Helper()
	var plain, with bytes.Buffer
	if err := png.Encode(&plain, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	if err := mediameta.Write(&with, bytes.NewReader(plain.Bytes()), int64(plain.Len()), &s); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "made.png")
	if err := os.WriteFile(name, with.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path(name)
}

// What a picture says becomes the arguments of a step; flags win, and what the service or the tool does not have is
// reported or left out.
func TestMakeAgain(t *testing.T) {
	t.Parallel()
	known, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	seed, other := int64(7), int64(8)
	made := mediameta.Settings{Tool: "generate_image", Model: "dreamshaper", Seed: &seed, Loras: []mediameta.Lora{{ID: "rim-light", Strength: 0.8}},
		Arguments: map[string]any{"prompt": "a fox", "width": 512.0, "steps": 9.0, "outputFormat": "jpg", "mask": "x"}}
	var said strings.Builder
	g := generateCommand{Kind: "image", Again: saved(t, made), Seed: &other}
	tool, err := g.readSettings(known, &said)
	if err != nil {
		t.Fatal(err)
	}
	steps, _, err := g.plan(known, tool)
	if err != nil {
		t.Fatal(err)
	}
	args := steps[0].Arguments
	if args["prompt"] != "a fox" || args["width"] != 512.0 || args["seed"] != other || args["loras"].([]string)[0] != "rim-light" || len(args) != 5 {
		t.Errorf("it is made again with %v", args)
	}
	if !strings.Contains(said.String(), `The model "dreamshaper" of`) {
		t.Errorf("it says %q", &said)
	}

	for want, s := range map[string]mediameta.Settings{
		"name that picture with --image":      {Tool: "edit_image"},
		"which is not a tool that makes pict": {Tool: "generate_video"},
		`made with "fold_paper"`:              {Tool: "fold_paper"},
	} {
		g := generateCommand{Kind: "image", Again: saved(t, s)}
		if _, err := g.readSettings(known, &said); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", s.Tool, err)
		}
	}
}

// A clip and a recording are made again too, by the tool that made them; a file of another kind is refused.
func TestMakeClipsAgain(t *testing.T) {
	t.Parallel()
	known, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	seed := int64(7)
	for _, tc := range []struct{ kind, name, tool, want string }{
		{"video", "video.mp4", "generate_video", ""},
		{"music", "sound.wav", "generate_music", ""},
		{"speech", "sound.mp3", "generate_speech", ""},
		{"video", "video.mov", "animate_photo", "name that picture with --image"},
		{"video", "sound.flac", "generate_music", "which is not a tool that makes clips"},
	} {
		file, err := os.ReadFile("../../internal/ateliertest/media/" + tc.name)
		if err != nil {
			t.Fatal(err)
		}
		var with bytes.Buffer
		made := mediameta.Settings{Tool: tc.tool, Seed: &seed, Arguments: map[string]any{"prompt": "a fox"}}
		if err := mediameta.Write(&with, bytes.NewReader(file), int64(len(file)), &made); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), tc.name)
		if err := os.WriteFile(name, with.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		g := generateCommand{Kind: tc.kind, Again: path(name)}
		var said strings.Builder
		tool, err := g.readSettings(known, &said)
		if tc.want != "" {
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v", tc.name, err)
			}
			continue
		}
		if err != nil || tool != tc.tool || g.Prompt != "a fox" {
			t.Errorf("%s: %s, %q, %v", tc.name, tool, g.Prompt, err)
		}
	}
	if err := (&generateCommand{Kind: "3d", Again: "a.glb"}).Validate(); err == nil || !strings.Contains(err.Error(), "settings are in pictures, clips and recordings") {
		t.Errorf("3d: %v", err)
	}
}
