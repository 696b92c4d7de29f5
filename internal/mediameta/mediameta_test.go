package mediameta_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/webp"

	"github.com/atelier-project/atelier/internal/mediameta"
	"github.com/atelier-project/atelier/internal/worktest"
)

func picture() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 24, 16))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7)
	}
	img.Set(0, 0, color.NRGBA{R: 1, A: 100})
	return img
}

// files are a picture in each format.
func files(t testing.TB) map[string][]byte {
	t.Helper()
	var p, j, w bytes.Buffer
	if err := errors.Join(png.Encode(&p, picture()), jpeg.Encode(&j, picture(), nil), nativewebp.Encode(&w, picture(), nil)); err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"PNG": p.Bytes(), "JPEG": j.Bytes(), "WebP": w.Bytes(), "extended WebP": worktest.WebP(24, 16)}
}

func settings() *mediameta.Settings {
	seed := int64(4294967295)
	return &mediameta.Settings{
		Tool: "generate_image", Model: "z_image_turbo_bf16", Seed: &seed, Width: 24, Height: 16,
		Arguments: map[string]any{"prompt": "ein Fuchs, \"rot\" <&> 狐 🦊\nSteps: none", "negativePrompt": "blur", "guidance": 3.5, "width": 24.0, "height": 16.0},
		Loras:     []mediameta.Lora{{ID: "rim-light", Strength: 0.8}},
	}
}

func write(t testing.TB, file []byte, s *mediameta.Settings) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := mediameta.Write(&out, bytes.NewReader(file), int64(len(file)), s); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func read(file []byte) (mediameta.Settings, error) {
	return mediameta.Read(bytes.NewReader(file), int64(len(file)))
}

// What is written is read again, twice in the same bytes, and the pixels stay. Without settings, the
// file is as it was.
func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	for name, file := range files(t) {
		with := write(t, file, settings())
		got, err := read(with)
		if want := *settings(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
		if !bytes.Equal(write(t, file, settings()), with) || !bytes.Equal(write(t, with, settings()), with) {
			t.Errorf("%s: it is written in other bytes", name)
		}
		other := settings()
		other.Arguments["prompt"] = "a hen"
		if got, err := read(write(t, with, other)); err != nil || got.Arguments["prompt"] != "a hen" {
			t.Errorf("%s: replaced by %v, %v", name, got, err)
		}
		without := write(t, with, nil)
		if _, err := read(without); !errors.Is(err, mediameta.ErrNone) {
			t.Errorf("%s without settings: %v", name, err)
		}
		if (name == "PNG" || name == "JPEG") && !bytes.Equal(without, file) {
			t.Errorf("%s: without settings it is another file", name)
		}
		if name == "extended WebP" {
			continue // it has no pixels
		}
		for _, b := range [][]byte{with, without} {
			if !reflect.DeepEqual(decode(t, b), decode(t, file)) {
				t.Errorf("%s: the pixels are others", name)
			}
		}
	}
}

func decode(t *testing.T, file []byte) image.Image {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(file))
	if bytes.HasPrefix(file, []byte("RIFF")) {
		img, err = webp.Decode(bytes.NewReader(file))
	}
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// chunk is a chunk of a PNG.
func chunk(kind, data string) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(out, kind+data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// withChunks is the picture with chunks after its header.
func withChunks(t testing.TB, chunks ...[]byte) []byte {
	t.Helper()
	plain := files(t)["PNG"]
	return append(append(bytes.Clone(plain[:33]), bytes.Join(chunks, nil)...), plain[33:]...)
}

func packed(text string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

const parameters = "a fox, (masterpiece:1.2)\nin the snow\nNegative prompt: blurry,\nugly\n" +
	`Steps: 20, Sampler: DPM++ 2M, CFG scale: 7.5, Seed: 42, Size: 512x768, Model: "dream, shaper", Version: v1.9`

const graph = `{"3": {"class_type": "KSampler", "inputs": {"seed": 7, "steps": 12, "cfg": 2, "model": ["9", 0], "positive": ["5", 0], "negative": ["7", 0], "latent_image": ["4", 0]}},
	"4": {"class_type": "EmptyLatentImage", "inputs": {"width": 640, "height": 480}}, "5": {"class_type": "FluxGuidance", "inputs": {"conditioning": ["6", 0]}},
	"6": {"class_type": "CLIPTextEncode", "inputs": {"text": "a heron"}}, "7": {"class_type": "CLIPTextEncode", "inputs": {"text": ["8", 0]}},
	"8": {"class_type": "PrimitiveString", "inputs": {"value": "grey"}}, "9": {"class_type": "LoraLoader", "inputs": {"model": ["10", 0]}},
	"10": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "sdxl.safetensors"}}}`

// jpegWith is a JPEG with a segment, which begins with its marker.
func jpegWith(t testing.TB, segment string) []byte {
	b := binary.BigEndian.AppendUint16([]byte("\xff\xd8\xff"+segment[:1]), uint16(len(segment)+1))
	return append(append(b, segment[1:]...), files(t)["JPEG"][2:]...)
}

// Pictures of other programs say what they were made with.
func TestReadOthers(t *testing.T) {
	t.Parallel()
	fox := map[string]any{"prompt": "a fox, (masterpiece:1.2)\nin the snow", "negativePrompt": "blurry,\nugly", "steps": 20.0, "guidance": 7.5, "width": 512.0, "height": 768.0}
	heron := map[string]any{"prompt": "a heron", "negativePrompt": "grey", "steps": 12.0, "guidance": 2.0, "width": 640.0, "height": 480.0}
	for _, tc := range []struct {
		name  string
		file  []byte
		model string
		seed  int64
		want  map[string]any
	}{
		{"tEXt", withChunks(t, chunk("tEXt", "parameters\x00"+parameters)), "dream, shaper", 42, fox},
		{"zTXt", withChunks(t, chunk("zTXt", "parameters\x00\x00"+packed(parameters))), "dream, shaper", 42, fox},
		{"packed iTXt", withChunks(t, chunk("iTXt", "parameters\x00\x01\x00en\x00name\x00"+packed(parameters))), "dream, shaper", 42, fox},
		{"graph", withChunks(t, chunk("tEXt", "prompt\x00"+graph)), "sdxl.safetensors", 7, heron},
		{"comment", jpegWith(t, "\xfe"+parameters), "dream, shaper", 42, fox},
		{"user comment", jpegWith(t, "\xe1Exif\x00\x00"+exif(binary.LittleEndian, parameters)), "dream, shaper", 42, fox},
		{"prompt alone", withChunks(t, chunk("tEXt", "parameters\x00a cat: big")), "", 0, map[string]any{"prompt": "a cat: big"}},
		{"damaged document", withChunks(t, chunk("tEXt", "atelier\x00{]"), chunk("tEXt", "parameters\x00"+parameters)), "dream, shaper", 42, fox},
		{"cut after the settings", withChunks(t, chunk("tEXt", "parameters\x00"+parameters))[:400], "dream, shaper", 42, fox},
	} {
		got, err := read(tc.file)
		if err != nil || got.Tool != "generate_image" || got.Model != tc.model || seedOf(got) != tc.seed || !reflect.DeepEqual(got.Arguments, tc.want) {
			t.Errorf("%s: got %+v, %v", tc.name, got, err)
		}
	}
}

func seedOf(s mediameta.Settings) int64 {
	if s.Seed == nil {
		return 0
	}
	return *s.Seed
}

// exif is EXIF data with a user comment, as programs with the other order of bytes write it.
func exif(order binary.AppendByteOrder, text string) string {
	words := utf16.Encode([]rune(text))
	entry := func(b []byte, tag, kind uint16, count, value uint32) []byte {
		b = order.AppendUint16(order.AppendUint16(order.AppendUint16(b, 1), tag), kind)
		return order.AppendUint32(order.AppendUint32(order.AppendUint32(b, count), value), 0)
	}
	b := entry(order.AppendUint32([]byte("II\x2a\x00"), 8), 0x8769, 4, 1, 26)
	b = append(entry(b, 0x9286, 7, uint32(8+2*len(words)), 44), "UNICODE\x00"...)
	for _, w := range words {
		b = order.AppendUint16(b, w)
	}
	return string(b)
}

// Sizes are written in several ways.
func TestSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{"512x768": 512.0, "512 X 768": 512.0, "512×768 px": 512.0, "512*768": 512.0, "512": nil, "0x5": nil, "9999999999x5": nil} {
		got, err := read(withChunks(t, chunk("tEXt", "parameters\x00fox\nSeed: 1, Steps: 3, Size: "+text)))
		if err != nil || got.Arguments["width"] != want {
			t.Errorf("%s: %v, %v", text, got.Arguments, err)
		}
	}
}

// The EXIF data of a camera, and another XMP packet, stay.
func TestWriteKeepsWhatItDoesNotReplace(t *testing.T) {
	t.Parallel()
	file := files(t)["JPEG"]
	camera := "Exif\x00\x00" + exif(binary.LittleEndian, "a note")
	b := binary.BigEndian.AppendUint16([]byte("\xff\xd8\xff\xe1"), uint16(len(camera)+2))
	file = append(append(b, camera...), file[2:]...)
	with := write(t, file, settings())
	if got, err := read(with); err != nil || got.Seed == nil || !bytes.Contains(with, []byte(camera)) || bytes.Count(with, []byte("Exif\x00\x00")) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	graphs := withChunks(t, chunk("tEXt", "prompt\x00"+graph), chunk("tEXt", "workflow\x00{}"), chunk("tEXt", "Title\x00Fox"))
	if b := write(t, graphs, nil); bytes.Contains(b, []byte("KSampler")) || bytes.Contains(b, []byte("workflow")) || !bytes.Contains(b, []byte("Title\x00Fox")) {
		t.Error("the graph of ComfyUI is still there, or the title is not")
	}
}

// Settings that do not fit, and files that are not pictures, are refused. Texts that are too large
// are not read.
func TestLimits(t *testing.T) {
	t.Parallel()
	large := settings()
	large.Arguments["prompt"] = strings.Repeat("x", 70_000)
	for name, file := range files(t) {
		var out bytes.Buffer
		if err := mediameta.Write(&out, bytes.NewReader(file), int64(len(file)), large); errors.Is(err, mediameta.ErrTooLarge) != (name == "JPEG") {
			t.Errorf("%s: %v", name, err)
		}
		for _, n := range []int{0, 1, 9, 20, 25} {
			if err := mediameta.Write(&out, bytes.NewReader(file), int64(n), settings()); !errors.Is(err, mediameta.ErrFormat) {
				t.Errorf("%s of %d bytes: %v", name, n, err)
			}
			if _, err := read(file[:n]); err == nil {
				t.Errorf("%s of %d bytes has settings", name, n)
			}
		}
	}
	if _, err := read([]byte("GIF89a, not one of these")); !errors.Is(err, mediameta.ErrFormat) {
		t.Error(err)
	}
	// Of several graphs in EXIF data the first counts, also an empty one: to look at each could take minutes.
	b := []byte("\xe1Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x02")
	at := uint32(34)
	for _, text := range []string{"prompt:\x00", "prompt:" + graph} {
		b = binary.BigEndian.AppendUint32(append(b, 0x01, 0x10, 0, 2), uint32(len(text)))
		b = binary.BigEndian.AppendUint32(b, at)
		at += uint32(len(text))
	}
	if got, err := read(jpegWith(t, string(b)+"prompt:\x00prompt:"+graph)); !errors.Is(err, mediameta.ErrNone) {
		t.Errorf("two graphs: %+v, %v", got, err)
	}
	bomb := withChunks(t, chunk("zTXt", "parameters\x00\x00"+packed(strings.Repeat("Seed: 1, ", 1<<20))))
	if got, err := read(bomb); !errors.Is(err, mediameta.ErrNone) {
		t.Errorf("a text of 9 MB: %+v, %v", got.Seed, err)
	}
}

// FuzzRead reads any bytes, and writes settings into what can be read.
func FuzzRead(f *testing.F) {
	for _, file := range files(f) {
		f.Add(file)
		f.Add(write(f, file, settings()))
	}
	f.Add(withChunks(f, chunk("tEXt", "prompt\x00"+graph)))
	f.Add(withChunks(f, chunk("zTXt", "parameters\x00\x00"+packed(parameters))))
	f.Fuzz(func(t *testing.T, file []byte) {
		worktest.Limit(t, len(file), worktest.Bound{Base: 16 << 20, PerByte: 200}, func() { _, _ = read(file) })
		var out bytes.Buffer
		if mediameta.Write(&out, bytes.NewReader(file), int64(len(file)), settings()) == nil && bytes.HasPrefix(file, []byte("\x89PNG")) {
			if got, err := read(out.Bytes()); err != nil || got.Tool != "generate_image" {
				t.Errorf("what was written is not read: %v", err)
			}
		}
	})
}

// A PNG is copied with one text of parameters, which replaces any other; what is not a PNG, or is damaged, stays.
func TestWriteParameters(t *testing.T) {
	t.Parallel()
	copied := func(file []byte, text string) []byte {
		var out bytes.Buffer
		if err := mediameta.WriteParameters(&out, bytes.NewReader(file), text); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	plain := files(t)["PNG"]
	for _, text := range []string{parameters, "ein Füchslein\nSteps: 3, Seed: 1", "狐 🦊\nSteps: 3, Seed: 1"} {
		for name, file := range map[string][]byte{"plain": plain, "with settings": write(t, plain, settings()), "with another": copied(plain, "a hen")} {
			with := copied(file, text)
			found, err := mediameta.Texts(bytes.NewReader(with), int64(len(with)))
			if err != nil || found[mediameta.Parameters] != text || bytes.Count(with, []byte("parameters\x00")) != 1 || !reflect.DeepEqual(decode(t, with), decode(t, plain)) {
				t.Errorf("%s: got %q, %v", name, found, err)
			}
		}
	}
	if got := copied(plain, "a fox"); !bytes.Contains(got, []byte("tEXtparameters\x00a fox")) {
		t.Error("the text is in another kind of chunk")
	}
	if got := copied(files(t)["JPEG"], "a fox"); !bytes.Equal(got, files(t)["JPEG"]) {
		t.Error("a JPEG was changed")
	}
	for n := range len(plain) {
		copied(plain[:n], "a fox")
	}
}
