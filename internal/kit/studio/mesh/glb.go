package mesh

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"image"
	"image/jpeg"
)

// Constants of glTF 2.0.
const (
	glbMagic, glbVersion    = 0x46546c67, 2
	chunkJSON, chunkBinary  = 0x4e4f534a, 0x004e4942
	typeFloat, typeUint32   = 5126, 5125
	targetArray, targetFace = 34962, 34963
)

type object = map[string]any

// binaryPart collects the views of a GLB's one buffer, each at a multiple of four.
type binaryPart struct {
	bytes.Buffer
	views []object
}

func (b *binaryPart) view(target int, data []byte) int {
	for b.Len()%4 != 0 {
		b.WriteByte(0)
	}
	v := object{"buffer": 0, "byteOffset": b.Len(), "byteLength": len(data)}
	if target != 0 {
		v["target"] = target
	}
	b.Write(data)
	b.views = append(b.views, v)
	return len(b.views) - 1
}

func raw[T float32 | uint32](values []T) []byte {
	out := make([]byte, 0, 4*len(values))
	out, _ = binary.Append(out, binary.LittleEndian, values)
	return out
}

// bounds returns the minimum and the maximum of each component, which glTF
// requires.
func bounds(values []float32, components int) (lo, hi []float32) {
	lo, hi = append(lo, values[:components]...), append(hi, values[:components]...)
	for i, v := range values {
		c := i % components
		lo[c], hi[c] = min(lo[c], v), max(hi[c], v)
	}
	return lo, hi
}

// encode writes a mesh with its textures as one file.
func encode(s *Geometry, base, normals []byte, generator string) ([]byte, error) {
	var b binaryPart
	lo, hi := bounds(s.Positions, 3)
	n := len(s.Positions) / 3
	accessors := []object{
		{"bufferView": b.view(targetArray, raw(s.Positions)), "componentType": typeFloat, "count": n, "type": "VEC3", "min": lo, "max": hi},
		{"bufferView": b.view(targetArray, raw(s.Normals)), "componentType": typeFloat, "count": n, "type": "VEC3"},
		{"bufferView": b.view(targetArray, raw(s.Coords)), "componentType": typeFloat, "count": n, "type": "VEC2"},
		{"bufferView": b.view(targetFace, raw(s.Indices)), "componentType": typeUint32, "count": len(s.Indices), "type": "SCALAR"},
	}
	images := []object{
		{"bufferView": b.view(0, base), "mimeType": "image/jpeg", "name": "base colour"},
		{"bufferView": b.view(0, normals), "mimeType": "image/png", "name": "normals"},
	}
	for b.Len()%4 != 0 {
		b.WriteByte(0)
	}
	doc := object{
		"asset":  object{"version": "2.0", "generator": generator},
		"scene":  0,
		"scenes": []object{{"nodes": []int{0}}},
		"nodes":  []object{{"mesh": 0, "name": "model"}},
		"meshes": []object{{"name": "relief", "primitives": []object{{
			"attributes": object{"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2}, "indices": 3, "material": 0, "mode": 4,
		}}}},
		"materials": []object{{
			"name":                 "picture",
			"pbrMetallicRoughness": object{"baseColorTexture": object{"index": 0}, "metallicFactor": 0, "roughnessFactor": 0.8},
			"normalTexture":        object{"index": 1, "scale": 0.6},
		}},
		"textures":    []object{{"source": 0, "sampler": 0}, {"source": 1, "sampler": 0}},
		"samplers":    []object{{"magFilter": 9729, "minFilter": 9987, "wrapS": 33071, "wrapT": 33071}},
		"images":      images,
		"accessors":   accessors,
		"bufferViews": b.views,
		"buffers":     []object{{"byteLength": b.Len()}},
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	total := 12 + 8 + len(text) + 8 + b.Len()
	out := make([]byte, 0, total)
	word := func(v uint32) { out = binary.LittleEndian.AppendUint32(out, v) }
	word(glbMagic)
	word(glbVersion)
	word(uint32(total))
	word(uint32(len(text)))
	word(chunkJSON)
	out = append(out, text...)
	word(uint32(b.Len()))
	word(chunkBinary)
	return append(out, b.Bytes()...), nil
}

// Decode reads a file that Model wrote: its mesh and its texture.
func Decode(data []byte) (*Geometry, image.Image, error) {
	if len(data) < 28 || 28+int(binary.LittleEndian.Uint32(data[12:])) > len(data) {
		return nil, nil, errUnreadable
	}
	end := 20 + int(binary.LittleEndian.Uint32(data[12:]))
	var doc struct {
		Accessors   []struct{ BufferView int }
		BufferViews []struct{ ByteOffset, ByteLength int }
		Images      []struct{ BufferView int }
	}
	if err := json.Unmarshal(data[20:end], &doc); err != nil || len(doc.Accessors) < 4 || len(doc.Images) < 1 {
		return nil, nil, errUnreadable
	}
	view := func(i int) []byte {
		v := doc.BufferViews[i]
		return data[end+8:][v.ByteOffset : v.ByteOffset+v.ByteLength]
	}
	g := &Geometry{}
	for i, to := range []*[]float32{&g.Positions, &g.Normals, &g.Coords} {
		*to = values[float32](view(doc.Accessors[i].BufferView))
	}
	g.Indices = values[uint32](view(doc.Accessors[3].BufferView))
	texture, err := jpeg.Decode(bytes.NewReader(view(doc.Images[0].BufferView)))
	return g, texture, err
}

func values[T float32 | uint32](raw []byte) []T {
	out := make([]T, len(raw)/4)
	_, _ = binary.Decode(raw, binary.LittleEndian, out) // the lengths agree
	return out
}

var errUnreadable = errors.New("mesh: the model cannot be read")
