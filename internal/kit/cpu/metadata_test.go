package cpu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/HugoSmits86/nativewebp"

	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/mesh"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worktest"
)

// metadata extracts that of a file and returns one of its parts.
func metadata(t *testing.T, content []byte, part string) map[string]any {
	t.Helper()
	k := task(t, "extract_metadata", "", "application/json", map[string]any{})
	k.Files["fileIndex"] = file(t, content)
	v := renderJSON(t, k)
	f, _ := v["file"].(map[string]any)
	if f["sizeBytes"] != float64(len(content)) || len(f["sha256"].(string)) != 64 {
		t.Errorf("file: %v", f)
	}
	out, _ := v[part].(map[string]any)
	if out == nil {
		t.Fatalf("there is no %s: %v", part, v)
	}
	return out
}

// holds checks some values of a part.
func holds(t *testing.T, name string, got map[string]any, want map[string]any) {
	t.Helper()
	for k, v := range want {
		g := got[k]
		if x, ok := g.(float64); ok {
			if y, ok := v.(float64); ok && math.Abs(x-y) < 0.02 {
				continue
			}
		}
		if g != v {
			t.Errorf("%s: %s is %v, want %v", name, k, g, v)
		}
	}
}

// chunk returns a chunk of a PNG.
func chunk(kind string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

func TestMetadataOfPictures(t *testing.T) {
	t.Parallel()
	plain := pngOf(t, scene(40, 30))
	texts := append(chunk("tEXt", []byte("Software\x00Atelier")), chunk("iTXt", []byte("Title\x00\x00\x00en\x00\x00Ein Fuchs"))...)
	texts = append(texts, chunk("pHYs", []byte{0, 0, 0x0b, 0x13, 0, 0, 0x0b, 0x13, 1})...)
	content := append(append(append([]byte{}, plain[:33]...), texts...), plain[33:]...)
	holds(t, "PNG", metadata(t, content, "image"), map[string]any{"width": 40.0, "height": 30.0, "bitDepth": 8.0, "alpha": false, "dotsPerInch": 72.01})
	holds(t, "PNG", metadata(t, content, "tags"), map[string]any{"Software": "Atelier", "Title": "Ein Fuchs"})

	camera := withEXIF(t, scene(40, 30), 6)
	holds(t, "JPEG", metadata(t, camera, "image"), map[string]any{"width": 40.0, "height": 30.0, "orientation": 6.0, "colour": "rgb"})
	holds(t, "JPEG", metadata(t, camera, "tags"), map[string]any{"make": "Atelier", "latitude": -12.5})

	var moving bytes.Buffer
	g := &gif.GIF{}
	for range 3 {
		g.Image = append(g.Image, image.NewPaletted(image.Rect(0, 0, 20, 10), color.Palette{color.Black, color.White}))
		g.Delay = append(g.Delay, 25)
	}
	if err := gif.EncodeAll(&moving, g); err != nil {
		t.Fatal(err)
	}
	holds(t, "GIF", metadata(t, moving.Bytes(), "image"), map[string]any{"width": 20.0, "height": 10.0, "frames": 3.0, "durationSeconds": 0.75})

	var webp bytes.Buffer
	if err := nativewebp.Encode(&webp, scene(40, 30), nil); err != nil {
		t.Fatal(err)
	}
	holds(t, "WebP", metadata(t, webp.Bytes(), "image"), map[string]any{"width": 40.0, "height": 30.0, "alpha": false})
}

func TestMetadataOfSounds(t *testing.T) {
	t.Parallel()
	clip := sound.NewClip(22050, 2, 22050*3/2)
	var wav bytes.Buffer
	if err := sound.Encode(t.Context(), clip, "wav", &wav); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"durationSeconds": 1.5, "sampleRate": 22050.0, "channels": 2.0}
	holds(t, "WAV", metadata(t, wav.Bytes(), "audio"), want)
	holds(t, "WAV", metadata(t, wav.Bytes(), "audio"), map[string]any{"bitsPerSample": 16.0, "codec": "pcm"})
	var flac bytes.Buffer
	if err := sound.WriteFLAC(&flac, clip); err != nil {
		t.Fatal(err)
	}
	holds(t, "FLAC", metadata(t, flac.Bytes(), "audio"), want)
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("MP3 is made by ffmpeg, which is not there")
	}
	var mp3 bytes.Buffer
	if err := sound.Encode(t.Context(), clip, "mp3", &mp3); err != nil {
		t.Fatal(err)
	}
	got := metadata(t, mp3.Bytes(), "audio")
	holds(t, "MP3", got, map[string]any{"sampleRate": 22050.0, "channels": 2.0, "codec": "mp3"})
	if s, _ := got["durationSeconds"].(float64); math.Abs(s-1.5) > 0.15 {
		t.Errorf("the MP3 lasts %v s, want 1.5", s)
	}
}

func TestMetadataOfClipsAndModels(t *testing.T) {
	t.Parallel()
	frame := image.NewRGBA(image.Rect(0, 0, 64, 48))
	var clip bytes.Buffer
	if _, err := film.Write(t.Context(), &clip, film.Options{Width: 64, Height: 48, FPS: 12, Frames: 24, Engine: film.BuiltIn, TempDir: t.TempDir()},
		func(int) (image.Image, error) { return frame, nil }, nil); err != nil {
		t.Fatal(err)
	}
	holds(t, "MP4", metadata(t, clip.Bytes(), "video"), map[string]any{"width": 64.0, "height": 48.0, "durationSeconds": 2.0, "frameRate": 12.0, "frames": 24.0, "hasAudio": false})
	model, err := mesh.Model(t.Context(), scene(64, 64), mesh.Options{Faces: 2000, TextureSize: 64, NormalMapSize: 32})
	if err != nil {
		t.Fatal(err)
	}
	got := metadata(t, model, "model")
	if n, _ := got["triangles"].(float64); n < 100 || n > 2000 || got["version"] != 2.0 {
		t.Errorf("GLB: %v", got)
	}
}

func TestMetadataIsRefused(t *testing.T) {
	t.Parallel()
	k := task(t, "extract_metadata", "", "application/json", map[string]any{})
	refusal(t, k)
	whole := pngOf(t, scene(40, 30))
	for name, content := range map[string][]byte{"a text": []byte("hello"), "nothing": nil, "a cut header": whole[:20], "a cut camera": withEXIF(t, scene(8, 8), 1)[:30]} {
		k.Files["fileIndex"] = file(t, content)
		if said := refusal(t, k); said == "" {
			t.Errorf("%s was described", name)
		}
	}
	k.Files["fileIndex"] = file(t, whole)
	k.Arguments["mediaType"] = "audio"
	refusal(t, k)
}

// endless returns files that are long for a parser: many small blocks, camera notes
// again and again, all kinds of nothing in a model.
func endless() map[string][]byte {
	gif := []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00!\xfe")
	gif = append(gif, bytes.Repeat([]byte{1, 0x55}, 30_000)...)
	// Of 500 entries, each is the same text of 4096 bytes.
	notes := []byte("II*\x00\x08\x00\x00\x00\xf4\x01")
	for range 500 {
		notes = append(notes, "\x0e\x01\x02\x00\x00\x10\x00\x00\x08\x00\x00\x00"...)
	}
	png := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x00\x00\x00\x00")
	for range 10 {
		png = binary.BigEndian.AppendUint32(png, uint32(len(notes)))
		png = append(append(append(png, "eXIf"...), notes...), 0, 0, 0, 0)
	}
	glb := append([]byte(`{"nodes":[`), bytes.Repeat([]byte("0,"), 15_000)...)
	glb = append(append(glb, `0],"meshes":[`...), bytes.Repeat([]byte("{},"), 10_000)...)
	glb = append(glb, "{}]}"...)
	model := binary.LittleEndian.AppendUint32([]byte("glTF\x02\x00\x00\x00\x00\x00\x00\x00"), uint32(len(glb)))
	return map[string][]byte{"gif": gif, "png": png, "glb": append(append(model, "JSON"...), glb...)}
}

// Every loop over a file looks at its context, and no file makes its reader hold
// many times as much.
func TestMetadataIsBounded(t *testing.T) {
	t.Parallel()
	for name, content := range endless() {
		k := task(t, "extract_metadata", "", "application/json", map[string]any{})
		k.Files["fileIndex"] = file(t, content)
		ctx := worktest.EndAfter(t.Context(), 20)
		_, err := cpu.Renderer{}.Render(ctx, k)
		if name == "gif" && !errors.Is(err, context.Canceled) { // the others are short when they are read once
			t.Errorf("%s: it went on, %v", name, err)
		}
		if ctx.Over() > 20 {
			t.Errorf("%s: it looked %d times after the end", name, ctx.Over())
		}
	}
}

// Whatever a file says, it is described or refused.
func FuzzMetadata(f *testing.F) {
	f.Add([]byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00\x22\x56\x00\x00\x88\x58\x01\x00\x04\x00\x10\x00data\xff\xff\xff\xff"))
	f.Add([]byte("fLaC\x80\x00\x00\x22"))
	f.Add([]byte("ID3\x04\x00\x00\x00\x00\x00\x7f\xff\xfb\x90\x00"))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00\x01\x00\x00\x01\x00\x00EXIF\x08\x00\x00\x00II*\x00\x08\x00\x00\x00"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM\x00*\x00\x00\x00\x08\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00\xff\xda"))
	f.Add([]byte("glTF\x02\x00\x00\x00\x1c\x00\x00\x00\x08\x00\x00\x00JSON{}      "))
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xffzTXt"))
	for _, content := range endless() {
		f.Add(content)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(dir, "input")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		k := worker.Task{Folder: dir, Files: map[string]string{"fileIndex": path}, Report: func(float64, string) {}}
		k.ToolName, k.Arguments = "extract_metadata", map[string]any{}
		// The camera's notes are 1500 texts of 4096 bytes at most.
		worktest.Limit(t, len(content), worktest.Bound{Base: 24 << 20, PerByte: 200}, func() {
			_, err := cpu.Renderer{}.Render(worktest.EndAfter(t.Context(), 200_000), k)
			if _, plain := err.(*worker.Failure); err != nil && !plain {
				t.Errorf("failed with %v", err)
			}
		})
	})
}
