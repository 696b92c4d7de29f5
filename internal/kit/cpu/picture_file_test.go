package cpu_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/HugoSmits86/nativewebp"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/kit/studio/studiotest"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worktest"
)

// scene and inDisc are a picture of known shapes and its largest one.
var scene, inDisc = studiotest.Board, studiotest.Disc

// file writes content to a file of its own.
func file(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func pngOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// on returns a task of a tool on a picture.
func on(t *testing.T, tool, contentType string, img image.Image, args map[string]any) worker.Task {
	t.Helper()
	k := task(t, tool, "", contentType, args)
	k.Files["sourceImageIndex"] = file(t, pngOf(t, img))
	return k
}

// shown renders a task and decodes what it made.
func shown(t *testing.T, k worker.Task) (worker.Output, image.Image) {
	t.Helper()
	o, data := render(t, k)
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s made a file that cannot be read: %v", k.ToolName, err)
	}
	if b := img.Bounds(); b.Dx() != o.Width || b.Dy() != o.Height {
		t.Errorf("%s made %v and says %d by %d", k.ToolName, b, o.Width, o.Height)
	}
	if o.Metadata["method"] == nil {
		t.Errorf("%s does not say how: %v", k.ToolName, o.Metadata)
	}
	return o, img
}

// refusal renders a task that must fail, and returns its words.
func refusal(t *testing.T, k worker.Task) string {
	t.Helper()
	_, err := cpu.Renderer{}.Render(t.Context(), k)
	if err == nil {
		t.Errorf("%s %v was done", k.ToolName, k.Arguments)
		return ""
	}
	if _, plain := err.(*worker.Failure); !plain {
		t.Errorf("%s %v failed with %v, which is not a plain failure", k.ToolName, k.Arguments, err)
	}
	return err.Error()
}

func TestPicturesComeInEveryFormat(t *testing.T) {
	t.Parallel()
	img := scene(64, 48)
	for _, contentType := range []string{"image/png", "image/jpeg", "image/jpg", "image/webp"} {
		k := on(t, "edit_image", contentType, img, map[string]any{"prompt": "make it brighter"})
		_, data := render(t, k)
		if got := filetype.Detect(data[:min(len(data), filetype.HeadSize)]); !filetype.Fits(contentType, got) {
			t.Errorf("made %q, want %s", got, contentType)
		}
		shown(t, k)
	}
	if said := refusal(t, on(t, "edit_image", "image/avif", img, map[string]any{"prompt": "make it brighter"})); !strings.Contains(said, "avif") {
		t.Errorf("AVIF: %s", said)
	}
}

func TestWebPIsReadAndLossless(t *testing.T) {
	t.Parallel()
	img := scene(64, 48)
	var b bytes.Buffer
	if err := nativewebp.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	k := task(t, "edit_image", "", "image/webp", map[string]any{"prompt": "flip it"})
	k.Files["sourceImageIndex"] = file(t, b.Bytes())
	_, out := shown(t, k)
	if got, want := color.NRGBAModel.Convert(out.At(63, 5)), img.At(0, 5); got != want {
		t.Errorf("the mirrored pixel is %v, want %v", got, want)
	}
}

// A camera that was held upright writes a lying picture and says so.
func TestCamerasAreTurnedUpright(t *testing.T) {
	t.Parallel()
	k := task(t, "edit_image", "", "image/png", map[string]any{"prompt": "make it brighter"})
	k.Files["sourceImageIndex"] = file(t, withEXIF(t, scene(80, 60), 6))
	if o, _ := shown(t, k); o.Width != 60 || o.Height != 80 {
		t.Errorf("the picture is %d by %d, want 60 by 80", o.Width, o.Height)
	}
}

// withEXIF returns a JPEG with an orientation, a camera and a place.
func withEXIF(t *testing.T, img image.Image, orientation uint16) []byte {
	t.Helper()
	var pixels bytes.Buffer
	if err := jpeg.Encode(&pixels, img, nil); err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	tiff := []byte("II*\x00\x08\x00\x00\x00")
	entry := func(tag, kind uint16, n, value uint32) {
		tiff = le.AppendUint16(tiff, tag)
		tiff = le.AppendUint16(tiff, kind)
		tiff = le.AppendUint32(tiff, n)
		tiff = le.AppendUint32(tiff, value)
	}
	tiff = le.AppendUint16(tiff, 3) // at 8: three entries, 38 bytes, then the next directory
	entry(0x010f, 2, 8, 50)
	entry(0x0112, 3, 1, uint32(orientation))
	entry(0x8825, 4, 1, 58)
	tiff = le.AppendUint32(tiff, 0)
	tiff = append(tiff, "Atelier\x00"...) // at 50
	tiff = le.AppendUint16(tiff, 2)       // at 58
	entry(0x0001, 2, 2, 'S')
	entry(0x0002, 5, 3, 88)
	tiff = le.AppendUint32(tiff, 0)
	for _, v := range []uint32{12, 1, 30, 1, 0, 1} { // at 88
		tiff = le.AppendUint32(tiff, v)
	}
	body := append([]byte("Exif\x00\x00"), tiff...)
	out := []byte{0xff, 0xd8, 0xff, 0xe1}
	out = binary.BigEndian.AppendUint16(out, uint16(len(body)+2))
	return append(append(out, body...), pixels.Bytes()[2:]...)
}

func TestInputsThatCannotBeWorkedOn(t *testing.T) {
	t.Parallel()
	// A header that claims more than anyone can hold is refused by its header.
	huge := pngOf(t, image.NewGray(image.Rect(0, 0, 8, 8)))
	binary.BigEndian.PutUint32(huge[16:], 60000)
	binary.BigEndian.PutUint32(huge[20:], 60000)
	fixCRC(huge)
	cut := pngOf(t, scene(64, 48))
	for name, content := range map[string][]byte{"huge": huge, "a text": []byte("not a picture"), "nothing": nil, "half a picture": cut[:len(cut)/2]} {
		for _, tool := range []string{"edit_image", "apply_style", "restore_photo", "refine_result", "upscale_image", "remove_background", "segment_image", "change_angle"} {
			k := task(t, tool, "", "image/png", map[string]any{"prompt": "oil painting, brighter", "text": "red", "description": "from above"})
			refusal(t, k) // without a picture
			k.Files["sourceImageIndex"] = file(t, content)
			if said := refusal(t, k); name == "huge" && !strings.Contains(said, "60000") {
				t.Errorf("%s on a huge picture: %s", tool, said)
			}
		}
	}
}

func TestWhatIsLeftOutIsTold(t *testing.T) {
	t.Parallel()
	k := on(t, "edit_image", "image/png", scene(48, 48), map[string]any{"prompt": "make it brighter", "personaName": "Ada"})
	k.Loras = []apitype.AssignmentLora{{ID: "x"}}
	o, _ := shown(t, k)
	if left, _ := o.Metadata["leftOut"].([]string); len(left) != 2 {
		t.Errorf("left out: %v", o.Metadata["leftOut"])
	}
}

// A picture of many scans would keep the decoder busy for as long as its maker
// likes, so it is refused before that.
func TestPictureOfManyScansIsRefused(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{"scans": worktest.JPEG(640, 640, 1000), "pixels": worktest.WebP(16000, 16000)} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		k := job(t, "analyze_image", "", nil, map[string]string{"sourceImageIndex": path})
		k.Artifacts[0].ContentType = "application/json"
		if _, err := (cpu.Renderer{}).Render(t.Context(), k); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The encoder writes files of some pictures that no decoder reads. They are written in another way, and differ by less
// than can be seen.
func TestWebPCanBeRead(t *testing.T) {
	t.Parallel()
	for _, seed := range []int64{120, 129, 143} { // such pictures
		order := func(format string) worker.Task {
			k := task(t, "generate_image", "z_image_turbo_bf16", "image/"+format, map[string]any{"prompt": "a green apple", "width": 1000.0, "aspectRatio": "3:1", "outputFormat": format})
			k.Seed = seed
			return k
		}
		decode := func(format string) image.Image {
			t.Helper()
			_, data := render(t, order(format))
			img, _, err := image.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatalf("seed %d: the %s: %v", seed, format, err)
			}
			return img
		}
		got, want := decode("webp"), decode("png")
		for y := range want.Bounds().Dy() {
			for x := range want.Bounds().Dx() {
				r, g, b, _ := got.At(x, y).RGBA()
				r0, g0, b0, _ := want.At(x, y).RGBA()
				if r != r0 || g != g0 || max(b, b0)-min(b, b0) > 1<<8|1 {
					t.Fatalf("seed %d: the pixel at %d, %d differs", seed, x, y)
				}
			}
		}
	}
}
