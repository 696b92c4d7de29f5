package probe

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math"

	"github.com/atelier-project/atelier/internal/codec/mp4"
)

// movie reads the index of an MP4, MOV or M4A file.
func (d *Description) movie(f io.ReaderAt, size int64) error {
	info, err := mp4.Probe(f, size)
	if err != nil {
		return err
	}
	seconds := math.Round(info.Duration.Seconds()*1000) / 1000
	d.addTag("software", info.Tool)
	d.addTag("comment", info.Comment)
	if info.HasAudio {
		d.Audio = &audioFacts{Seconds: seconds, Rate: info.AudioRate, Channels: info.AudioChannels, Codec: info.AudioCodec}
	}
	if info.Video() == nil {
		if d.Audio == nil {
			return ErrUnreadable
		}
		d.File.Kind = "audio" // whatever its brand says
		return nil
	}
	d.Video = &VideoFacts{
		Width: info.Width, Height: info.Height, Seconds: seconds, FrameRate: math.Round(info.FrameRate*1000) / 1000,
		Frames: info.Frames, Codec: info.Codec, Brand: info.Brand, Sound: info.HasAudio,
	}
	if info.Fragmented {
		d.Notes = append(d.Notes, "the file is in fragments, which are not counted: its length and frames are what its header says")
	}
	return nil
}

// modelFacts are read from the JSON of a glTF file.
type modelFacts struct {
	Version   int    `json:"version"`
	Meshes    int    `json:"meshes"`
	Nodes     int    `json:"nodes"`
	Materials int    `json:"materials"`
	Textures  int    `json:"textures"`
	Triangles int    `json:"triangles"`
	Vertices  int    `json:"vertices"`
	Animated  bool   `json:"animated"`
	Generator string `json:"generator,omitempty"`
}

// element is an element of a model that is only counted, so it takes no memory.
type element struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (element) UnmarshalJSON([]byte) error { return nil }

// maxGLTF limits the JSON of a model that is read.
const maxGLTF = 16 << 20

// glb counts what a binary glTF file holds.
func (d *Description) glb(f io.ReaderAt, size int64) error {
	head, err := readBytes(f, 0, 20)
	if err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(head[12:]))
	if string(head[16:20]) != "JSON" || n > maxGLTF || n > size-20 {
		return ErrUnreadable
	}
	data, err := readBytes(f, 20, int(n))
	if err != nil {
		return err
	}
	var g struct {
		Asset     struct{ Generator, Copyright string }
		Accessors []struct{ Count int }
		Meshes    []struct {
			Primitives []struct {
				Attributes    struct{ Position *int }
				Indices, Mode *int
			}
		}
		Nodes, Materials, Textures, Animations []element
	}
	if err := json.Unmarshal(data, &g); err != nil {
		return ErrUnreadable
	}
	m := &modelFacts{
		Version: int(binary.LittleEndian.Uint32(head[4:])), Meshes: len(g.Meshes), Nodes: len(g.Nodes), Materials: len(g.Materials),
		Textures: len(g.Textures), Animated: len(g.Animations) > 0, Generator: g.Asset.Generator,
	}
	count := func(i int) int {
		if i < 0 || i >= len(g.Accessors) {
			return 0
		}
		return min(max(g.Accessors[i].Count, 0), math.MaxInt32)
	}
	for _, mesh := range g.Meshes {
		for _, p := range mesh.Primitives {
			if p.Attributes.Position == nil {
				continue
			}
			corners := count(*p.Attributes.Position)
			m.Vertices += corners
			if p.Indices != nil {
				corners = count(*p.Indices)
			}
			if p.Mode == nil || *p.Mode == 4 {
				m.Triangles += corners / 3
			}
		}
	}
	d.addTag("copyright", g.Asset.Copyright)
	d.Model = m
	return nil
}
