package loratest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/atelier-project/atelier/internal/codec/safetensors"
)

// Naming is how a trainer names weights.
type Naming string

// The namings of public trainers.
const (
	AIToolkit   Naming = "ai-toolkit"   // diffusion_model.blocks.0.attn.wq.lora_A.weight
	Diffusers   Naming = "diffusers"    // transformer.transformer_blocks.0.attn.to_q.lora_A.weight
	PEFT        Naming = "PEFT"         // base_model.model.transformer_blocks.0.attn.to_q.lora_A.default.weight
	Musubi      Naming = "musubi-tuner" // lora_unet_blocks_0_attn_wq.lora_down.weight, with alpha
	OneTrainer  Naming = "OneTrainer"   // lora_transformer_transformer_blocks_0_attn_to_q.lora_down.weight, with alpha
	LyCORIS     Naming = "LyCORIS"      // lycoris_blocks_0_attn_wq.lora_down.weight, with alpha
	Bare        Naming = "bare"         // blocks.0.attn.wq.lora_A.weight, with alpha
	Old         Naming = "old"          // transformer.transformer_blocks.0.attn.to_q.lora.down.weight
	LinearLayer Naming = "linear layer" // transformer.transformer_blocks.0.attn.to_q.lora_linear_layer.down.weight
)

// Namings lists them all.
var Namings = []Naming{AIToolkit, Diffusers, PEFT, Musubi, OneTrainer, LyCORIS, Bare, Old, LinearLayer}

// Families lists the families that files can be made for.
var Families = []string{"krea-2", "qwen-edit-2511", "h3", "h3-r2v"}

var forms = map[Naming]struct {
	prefix    string
	diffusers bool // has the paths of diffusers
	flat      bool // has underscores for the dots of the path
	down, up  string
	alpha     bool
}{
	AIToolkit:   {prefix: "diffusion_model.", down: ".lora_A.weight", up: ".lora_B.weight"},
	Diffusers:   {prefix: "transformer.", diffusers: true, down: ".lora_A.weight", up: ".lora_B.weight"},
	PEFT:        {prefix: "base_model.model.", diffusers: true, down: ".lora_A.default.weight", up: ".lora_B.default.weight"},
	Musubi:      {prefix: "lora_unet_", flat: true, down: ".lora_down.weight", up: ".lora_up.weight", alpha: true},
	OneTrainer:  {prefix: "lora_transformer_", diffusers: true, flat: true, down: ".lora_down.weight", up: ".lora_up.weight", alpha: true},
	LyCORIS:     {prefix: "lycoris_", flat: true, down: ".lora_down.weight", up: ".lora_up.weight", alpha: true},
	Bare:        {down: ".lora_A.weight", up: ".lora_B.weight", alpha: true},
	Old:         {prefix: "transformer.", diffusers: true, down: ".lora.down.weight", up: ".lora.up.weight"},
	LinearLayer: {prefix: "transformer.", diffusers: true, down: ".lora_linear_layer.down.weight", up: ".lora_linear_layer.up.weight"},
}

// LoRA describes a file. What is zero has a default.
type LoRA struct {
	Family   string
	Naming   Naming // AIToolkit
	Rank     int    // 4
	DType    string // BF16
	Layers   int    // how many it changes: 4
	Metadata map[string]string
	Seed     byte // files with another seed have other weights
}

// Tensors are those of the file, without their places.
func (l LoRA) Tensors() (list []safetensors.Tensor) {
	for _, layer := range l.layers()[:cmp.Or(l.Layers, 4)] {
		list = append(list, l.pair(layer, int64(cmp.Or(l.Rank, 4)))...)
	}
	return list
}

// File is the file, in memory.
func (l LoRA) File() []byte { return Encode(l.Tensors(), l.Metadata, l.Seed) }

// Sized reads a valid file of exactly size bytes, and panics if they are too few
// or too many for a LoRA of at most its rank, 128 by default. It holds only the header
// in memory.
func (l LoRA) Sized(size int64) io.Reader {
	const perLayer = 600 // bytes of the header
	left := size - 1000 - int64(len(encodeTable(nil, l.Metadata)))
	var list []safetensors.Tensor
	for _, layer := range l.layers() {
		perRank := (layer.in + layer.out) * bytesOf(l.dtype())
		if rank := min((left-perLayer)/perRank, int64(cmp.Or(l.Rank, 128))); rank > 0 {
			list = append(list, l.pair(layer, rank)...)
			left -= perLayer + rank*perRank
		}
	}
	weights := place(list)
	table := encodeTable(list, l.Metadata)
	header := size - 8 - weights
	if len(list) == 0 || header > safetensors.MaxHeader {
		panic(fmt.Sprintf("no LoRA for %s has %d bytes", l.Family, size))
	}
	table = append(table, bytes.Repeat([]byte{' '}, int(header)-len(table))...)
	return assemble(table, weights, l.Seed)
}

func (l LoRA) dtype() string { return cmp.Or(l.DType, "BF16") }

// pair is the tensors of a layer.
func (l LoRA) pair(layer layer, rank int64) []safetensors.Tensor {
	form, path := forms[cmp.Or(l.Naming, AIToolkit)], layer.path
	if form.diffusers {
		path = layer.diffusers
	}
	if form.flat {
		path = strings.ReplaceAll(path, ".", "_")
	}
	list := []safetensors.Tensor{
		{Name: form.prefix + path + form.down, DType: l.dtype(), Shape: []int64{rank, layer.in}},
		{Name: form.prefix + path + form.up, DType: l.dtype(), Shape: []int64{layer.out, rank}},
	}
	if form.alpha {
		list = append(list, safetensors.Tensor{Name: form.prefix + path + ".alpha", DType: l.dtype()})
	}
	return list
}

// layer is one that a LoRA changes, by its original name and by that of diffusers.
type layer struct {
	path, diffusers string
	in, out         int64
}

// layers are those of the blocks of a model that have the same size by both names.
func (l LoRA) layers() (list []layer) {
	blocks := func(n int, of ...layer) {
		for i := range n {
			for _, b := range of {
				b.path = fmt.Sprintf(b.path, i)
				b.diffusers = fmt.Sprintf(b.diffusers, i)
				list = append(list, b)
			}
		}
	}
	switch l.Family {
	case "krea-2":
		blocks(28,
			layer{"blocks.%d.attn.wq", "transformer_blocks.%d.attn.to_q", 6144, 6144},
			layer{"blocks.%d.attn.wk", "transformer_blocks.%d.attn.to_k", 6144, 1536},
			layer{"blocks.%d.attn.wo", "transformer_blocks.%d.attn.to_out.0", 6144, 6144},
			layer{"blocks.%d.attn.wv", "transformer_blocks.%d.attn.to_v", 6144, 1536},
			layer{"blocks.%d.mlp.up", "transformer_blocks.%d.ff.up", 6144, 16384},
			layer{"blocks.%d.mlp.down", "transformer_blocks.%d.ff.down", 16384, 6144})
	case "qwen-edit-2511":
		blocks(60,
			layer{"transformer_blocks.%d.attn.to_q", "transformer_blocks.%d.attn.to_q", 3072, 3072},
			layer{"transformer_blocks.%d.attn.add_k_proj", "transformer_blocks.%d.attn.add_k_proj", 3072, 3072},
			layer{"transformer_blocks.%d.attn.to_out.0", "transformer_blocks.%d.attn.to_out.0", 3072, 3072},
			layer{"transformer_blocks.%d.img_mlp.net.0.proj", "transformer_blocks.%d.img_mlp.net.0.proj", 3072, 12288},
			layer{"transformer_blocks.%d.txt_mlp.net.2", "transformer_blocks.%d.txt_mlp.net.2", 12288, 3072})
	case "h3", "h3-r2v":
		blocks(50,
			layer{"blocks.%d.attn.out_proj", "transformer_blocks.%d.attn.to_out.0", 7168, 5376},
			layer{"blocks.%d.mlp.fc1", "transformer_blocks.%d.ff.net.0.proj", 5376, 28672},
			layer{"blocks.%d.mlp.fc2", "transformer_blocks.%d.ff.net.2", 14336, 5376},
			layer{"blocks.%d.adaln_proj.linear", "transformer_blocks.%d.adaln_proj.linear", 2688, 96768})
	default:
		panic("no layers for the family " + l.Family)
	}
	return list
}

// Encode is a file with these tensors, one after the other. It sets their places.
func Encode(list []safetensors.Tensor, metadata map[string]string, seed byte) []byte {
	size := place(list)
	b, err := io.ReadAll(assemble(encodeTable(list, metadata), size, seed))
	if err != nil {
		panic(err)
	}
	return b
}

// assemble reads a file of a header and size bytes of weights.
func assemble(table []byte, size int64, seed byte) io.Reader {
	head := append(binary.LittleEndian.AppendUint64(nil, uint64(len(table))), table...)
	return io.MultiReader(bytes.NewReader(head), io.LimitReader(rand.NewChaCha8([32]byte{seed}), size))
}

// place puts the tensors one after the other, and gives the bytes of all.
func place(list []safetensors.Tensor) (end int64) {
	for i := range list {
		t := &list[i]
		n := bytesOf(t.DType)
		for _, d := range t.Shape {
			n *= d
		}
		t.Begin, t.End = end, end+n
		end = t.End
	}
	return end
}

// bytesOf is the bytes of an element.
func bytesOf(dtype string) int64 {
	switch dtype {
	case "I64", "F64":
		return 8
	case "F32":
		return 4
	case "F16", "BF16":
		return 2
	}
	return 1
}

func encodeTable(list []safetensors.Tensor, metadata map[string]string) []byte {
	table := map[string]any{}
	if metadata != nil {
		table["__metadata__"] = metadata
	}
	for _, t := range list {
		table[t.Name] = map[string]any{
			"dtype": t.DType, "shape": append([]int64{}, t.Shape...), "data_offsets": []int64{t.Begin, t.End},
		}
	}
	b, err := json.Marshal(table)
	if err != nil {
		panic(err)
	}
	return b
}
