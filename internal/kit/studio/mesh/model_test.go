package mesh_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/mesh"
)

// file is a GLB read back without trust.
type file struct {
	Asset       struct{ Version, Generator string }
	Accessors   []accessor
	BufferViews []struct{ Buffer, ByteOffset, ByteLength, Target int }
	Buffers     []struct{ ByteLength int }
	Images      []struct {
		BufferView int
		MimeType   string
	}
	Meshes []struct {
		Primitives []struct {
			Attributes    map[string]int
			Indices, Mode int
		}
	}
	data []byte
}

type accessor struct {
	BufferView, ComponentType, Count int
	Type                             string
	Min, Max                         []float32
}

func parse(t *testing.T, b []byte) *file {
	t.Helper()
	word := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	if len(b) < 28 || string(b[:4]) != "glTF" || word(4) != 2 || word(8) != len(b) || len(b)%4 != 0 {
		t.Fatalf("bad header: %q, %d bytes", b[:min(len(b), 12)], len(b))
	}
	n := word(12)
	if n%4 != 0 || word(16) != 0x4e4f534a || word(20+n) != len(b)-28-n || word(24+n) != 0x004e4942 {
		t.Fatalf("bad chunks: JSON of %d bytes in %d", n, len(b))
	}
	f := &file{data: b[28+n:]}
	if err := json.Unmarshal(b[20:20+n], f); err != nil {
		t.Fatal(err)
	}
	if f.Asset.Version != "2.0" || f.Asset.Generator == "" || len(f.Buffers) != 1 || f.Buffers[0].ByteLength != len(f.data) {
		t.Fatalf("bad asset or buffer: %+v %+v", f.Asset, f.Buffers)
	}
	end := 0
	for i, v := range f.BufferViews {
		if v.ByteOffset%4 != 0 || v.ByteOffset < end || v.ByteOffset+v.ByteLength > len(f.data) {
			t.Fatalf("view %d: %+v of %d bytes after %d", i, v, len(f.data), end)
		}
		end = v.ByteOffset + v.ByteLength
	}
	return f
}

func (f *file) view(i int) []byte {
	v := f.BufferViews[i]
	return f.data[v.ByteOffset : v.ByteOffset+v.ByteLength]
}

func (f *file) floats(t *testing.T, i, components int) []float32 {
	t.Helper()
	a := f.Accessors[i]
	data := f.view(a.BufferView)
	if a.ComponentType != 5126 || len(data) != 4*components*a.Count {
		t.Fatalf("accessor %d: %+v over %d bytes", i, a, len(data))
	}
	out := make([]float32, components*a.Count)
	if _, err := binary.Decode(data, binary.LittleEndian, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// check reads a GLB and holds it to everything a reader may rely on. It returns
// the number of faces.
func check(t *testing.T, b []byte) int {
	t.Helper()
	f := parse(t, b)
	p := f.Meshes[0].Primitives[0]
	positions := f.floats(t, p.Attributes["POSITION"], 3)
	normals := f.floats(t, p.Attributes["NORMAL"], 3)
	coords := f.floats(t, p.Attributes["TEXCOORD_0"], 2)
	a := f.Accessors[p.Attributes["POSITION"]]
	for c := range 3 {
		lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
		for i := c; i < len(positions); i += 3 {
			lo, hi = min(lo, positions[i]), max(hi, positions[i])
		}
		if a.Min[c] != lo || a.Max[c] != hi {
			t.Errorf("bounds of component %d: %v..%v, stated %v..%v", c, lo, hi, a.Min[c], a.Max[c])
		}
	}
	if len(normals) != len(positions) || len(coords)/2 != len(positions)/3 {
		t.Fatalf("%d positions, %d normals, %d coordinates", len(positions)/3, len(normals)/3, len(coords)/2)
	}
	for i := 0; i < len(normals); i += 3 {
		l := math.Sqrt(float64(normals[i]*normals[i] + normals[i+1]*normals[i+1] + normals[i+2]*normals[i+2]))
		if math.Abs(l-1) > 1e-3 {
			t.Fatalf("normal %d has length %v", i/3, l)
		}
	}
	for i, v := range coords {
		if !(v >= 0 && v <= 1) {
			t.Fatalf("texture coordinate %d is %v", i, v)
		}
	}
	indices := make([]uint32, f.Accessors[p.Indices].Count)
	if _, err := binary.Decode(f.view(f.Accessors[p.Indices].BufferView), binary.LittleEndian, indices); err != nil || len(indices)%3 != 0 || len(indices) == 0 {
		t.Fatalf("%d indices: %v", len(indices), err)
	}
	balance := map[[2]uint32]int{}
	for i := 0; i < len(indices); i += 3 {
		for k := range 3 {
			from, to := indices[i+k], indices[i+(k+1)%3]
			if int(from) >= len(positions)/3 || from == to {
				t.Fatalf("face %d: index %d of %d, next %d", i/3, from, len(positions)/3, to)
			}
			balance[[2]uint32{from, to}]++
			balance[[2]uint32{to, from}]--
		}
	}
	for e, n := range balance {
		if n != 0 {
			t.Fatalf("edge %v is open (%d)", e, n)
		}
	}
	for i, im := range f.Images {
		_, kind, err := image.DecodeConfig(bytes.NewReader(f.view(im.BufferView)))
		if err != nil || "image/"+kind != im.MimeType {
			t.Errorf("image %d is %s, stated %s: %v", i, kind, im.MimeType, err)
		}
	}
	return len(indices) / 3
}

// disc returns a red disc on a plain or transparent ground.
func disc(w, h int, ground color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			dx, dy := float64(x)-float64(w)/2, float64(y)-float64(h)/2
			c := ground
			if r := float64(min(w, h)) * 0.35; dx*dx+dy*dy < r*r {
				c = color.NRGBA{200, uint8(40 + x%30), 40, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func TestModelIsAValidClosedMesh(t *testing.T) {
	t.Parallel()
	pictures := map[string]image.Image{
		"plain ground": disc(200, 160, color.NRGBA{220, 225, 230, 255}),
		"cut out":      disc(120, 200, color.NRGBA{}),
		"all ground":   image.NewNRGBA(image.Rect(0, 0, 64, 48)),
		"all subject":  disc(30, 400, color.NRGBA{200, 50, 40, 255}),
	}
	for name, img := range pictures {
		for _, faces := range []int{100, 5000, 60000} {
			b, err := mesh.Model(t.Context(), img, mesh.Options{Faces: faces, TextureSize: 128, NormalMapSize: 64})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := check(t, b); got > faces || got*4 < faces && faces <= 5000 {
				t.Errorf("%s: %d faces, asked for at most %d", name, got, faces)
			}
		}
	}
}

func TestModelIsDeterministic(t *testing.T) {
	t.Parallel()
	img := disc(90, 90, color.NRGBA{10, 90, 200, 255})
	a, err := mesh.Model(t.Context(), img, mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := mesh.Model(t.Context(), img, mesh.Options{})
	if !bytes.Equal(a, b) {
		t.Error("two runs differ")
	}
}

func TestModelCutsTheSubject(t *testing.T) {
	t.Parallel()
	b, err := mesh.Model(t.Context(), disc(200, 200, color.NRGBA{240, 240, 240, 255}), mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := parse(t, b).Accessors[0]
	if w := a.Max[0] - a.Min[0]; w < 0.6 || w > 0.8 {
		t.Errorf("the disc is %.2f wide, want about 0.7 of the picture", w)
	}
	if deep := a.Max[2] - a.Min[2]; deep < 0.15 {
		t.Errorf("the disc is %.2f deep, want a body", deep)
	}
}

func TestModelRefusals(t *testing.T) {
	t.Parallel()
	if _, err := mesh.Model(t.Context(), image.NewNRGBA(image.Rect(0, 0, 2, 9)), mesh.Options{}); !errors.Is(err, mesh.ErrPicture) {
		t.Errorf("a tiny picture: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mesh.Model(ctx, disc(64, 64, color.NRGBA{}), mesh.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func FuzzModel(f *testing.F) {
	f.Add(uint8(9), []byte{0, 255, 3, 255, 90, 80, 70, 255})
	f.Add(uint8(4), []byte{})
	f.Fuzz(func(t *testing.T, width uint8, pix []byte) {
		w := 4 + int(width)%40
		h := min(4+len(pix)/(4*w), 60)
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		copy(img.Pix, pix)
		b, err := mesh.Model(t.Context(), img, mesh.Options{Faces: 500, TextureSize: 32, NormalMapSize: 16})
		if err != nil {
			t.Fatal(err)
		}
		if n := check(t, b); n > 500 {
			t.Errorf("%d faces", n)
		}
	})
}
