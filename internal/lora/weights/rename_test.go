package weights_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/safetensors"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/lora/weights"
)

// Files of each family with the names of each trainer get those that ComfyUI knows, and
// keep them.
func TestRenameForComfyUI(t *testing.T) {
	t.Parallel()
	byDiffusers := []loratest.Naming{loratest.Diffusers, loratest.PEFT, loratest.OneTrainer, loratest.Old, loratest.LinearLayer}
	for _, family := range loratest.Families {
		for _, naming := range loratest.Namings {
			h := &safetensors.Header{Tensors: loratest.LoRA{Family: family, Naming: naming, Layers: 8}.Tensors()}
			before := slices.Clone(h.Tensors)
			want := "diffusion_model.blocks."
			switch {
			case family == "qwen-edit-2511":
				want = "diffusion_model.transformer_blocks."
			case slices.Contains(byDiffusers, naming):
				want = "transformer.transformer_blocks."
			}
			renamed := weights.RenameForComfyUI(h)
			isOther := false
			for i, t2 := range h.Tensors {
				was := before[i]
				isOther = isOther || was.Name != t2.Name
				end := was.Name[max(strings.LastIndex(was.Name, ".lora"), strings.LastIndex(was.Name, ".alpha")):]
				if !strings.HasPrefix(t2.Name, want) || !strings.HasSuffix(t2.Name, end) || strings.Contains(t2.Name, "_attn") || !slices.Equal(t2.Shape, was.Shape) {
					t.Errorf("%s, %s: %s became %s", family, naming, was.Name, t2.Name)
				}
			}
			if renamed != isOther {
				t.Errorf("%s, %s: renamed is %v", family, naming, renamed)
			}
			if _, err := weights.Check(h, family); err != nil || weights.RenameForComfyUI(h) {
				t.Errorf("%s, %s: after it: %v, or it is renamed again", family, naming, err)
			}
		}
	}
}

func TestRenameForComfyUIByPrefix(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"base_model.model.blocks.3.attn.wq":                 "diffusion_model.blocks.3.attn.wq",
		"base_model.model.diffusion_model.blocks.3.attn.wq": "diffusion_model.blocks.3.attn.wq",
		"model.diffusion_model.blocks.3.attn.wq":            "diffusion_model.blocks.3.attn.wq",
		"transformer.blocks.3.attn.wq":                      "diffusion_model.blocks.3.attn.wq",
		"lora_unet.blocks.3.attn.wq":                        "diffusion_model.blocks.3.attn.wq",
		"lycoris_blocks_3_attn_wq":                          "diffusion_model.blocks.3.attn.wq",
		"lycoris_transformer_blocks_3_attn_to_q":            "transformer.transformer_blocks.3.attn.to_q",
		"transformer_blocks.3.attn.to_q":                    "transformer.transformer_blocks.3.attn.to_q",
		"diffusion_model.blocks.3.attn.wq":                  "",
		"transformer.transformer_blocks.3.attn.to_q":        "",
		"base_model.model.layers.3.attention.qkv":           "", // of a model without a table
	} {
		h := &safetensors.Header{Tensors: pair(name, 4, 6144, 6144)}
		renamed := weights.RenameForComfyUI(h)
		switch got := h.Tensors[1].Name; {
		case want == "" && (renamed || got != name+".lora_B.weight"):
			t.Errorf("%s became %s", name, got)
		case want != "" && (!renamed || got != want+".lora_B.weight"):
			t.Errorf("%s became %s, want %s", name, got, want)
		}
	}
	// The reference half of H3 keeps its names.
	h := &safetensors.Header{Tensors: pair("transformer_ref.transformer_blocks.0.attn.to_q", 16, 5376, 7168)}
	if weights.RenameForComfyUI(h) || !strings.HasPrefix(h.Tensors[0].Name, "transformer_ref.") {
		t.Errorf("got %+v", h.Tensors)
	}
	// Two names of one layer cannot both become one.
	h = &safetensors.Header{}
	for _, name := range []string{"lycoris_blocks_3_attn_wq", "transformer.blocks.3.attn.wq"} {
		h.Tensors = append(h.Tensors, pair(name, 4, 6144, 6144)...)
	}
	if weights.RenameForComfyUI(h) || h.Tensors[0].Name != "lycoris_blocks_3_attn_wq.lora_A.weight" {
		t.Errorf("got %+v", h.Tensors)
	}
}
