package weights_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/safetensors"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/lora/weights"
)

// Files of each family with the names of each trainer are accepted.
func TestCheckAccepts(t *testing.T) {
	t.Parallel()
	layouts := map[loratest.Naming]string{
		loratest.Musubi: "kohya", loratest.OneTrainer: "kohya", loratest.LyCORIS: "kohya",
		loratest.Old: "diffusers", loratest.LinearLayer: "diffusers",
	}
	for _, family := range loratest.Families {
		for _, naming := range loratest.Namings {
			for dtype, called := range map[string]string{"F16": "FP16", "BF16": "BF16", "F32": "FP32"} {
				lora := loratest.LoRA{Family: family, Naming: naming, DType: dtype, Rank: 3}
				h := &safetensors.Header{Tensors: lora.Tensors()}
				want := weights.Report{Rank: 3, DType: called, Layers: 4, Tensors: len(h.Tensors), Layout: layouts[naming]}
				if want.Layout == "" {
					want.Layout = "PEFT"
				}
				if got, err := weights.Check(h, family); err != nil || got != want {
					t.Errorf("%s, %s, %s: got %+v, %v, want %+v", family, naming, dtype, got, err, want)
				}
				if got, err := weights.FamilyOf(h, append([]string{"unknown"}, loratest.Families...)); err != nil || got != strings.TrimSuffix(family, "-r2v") { // the layers are those of H3
					t.Errorf("%s, %s, %s: it is of %q, %v", family, naming, dtype, got, err)
				}
			}
		}
	}
}

// The files for tests are what they say, in memory and read as they are written.
func TestCheckAcceptsFiles(t *testing.T) {
	t.Parallel()
	for _, family := range loratest.Families {
		file := loratest.LoRA{Family: family, Naming: loratest.Musubi, Layers: 1, Metadata: map[string]string{"format": "pt"}}.File()
		h, err := safetensors.Read(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatalf("%s: %v", family, err)
		}
		if report, err := weights.Check(h, family); err != nil || report.Rank != 4 || report.Tensors != 3 {
			t.Errorf("%s: got %+v, %v", family, report, err)
		}
		for _, size := range []int64{1 << 20, 1<<20 + 1, 100 << 20} {
			r := loratest.LoRA{Family: family}.Sized(size)
			h, err := safetensors.Read(r, size)
			if err != nil {
				t.Errorf("%s of %d bytes: %v", family, size, err)
				continue
			}
			if report, err := weights.Check(h, family); err != nil {
				t.Errorf("%s of %d bytes: %+v, %v", family, size, report, err)
			}
			if size < 2<<20 {
				rest, err := io.Copy(io.Discard, r)
				if want := h.Tensors[len(h.Tensors)-1].End; rest != want || err != nil {
					t.Errorf("%s of %d bytes: got %d bytes of weights and %v, want %d", family, size, rest, err, want)
				}
			}
		}
	}
}

// row is a tensor in a test: its name, and a type and a shape if they are not those
// of the other rows.
func row(name, dtype string, shape ...int64) safetensors.Tensor {
	return safetensors.Tensor{Name: name, DType: dtype, Shape: shape}
}

// pair is the two matrices of a layer, with the names of ai-toolkit.
func pair(layer string, rank, in, out int64) []safetensors.Tensor {
	return []safetensors.Tensor{
		row(layer+".lora_A.weight", "BF16", rank, in),
		row(layer+".lora_B.weight", "BF16", out, rank),
	}
}

func TestCheckMoreNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		family  string
		tensors []safetensors.Tensor
	}{
		{"krea-2", pair("diffusion_model.txtfusion.projector", 4, 12, 1)},
		{"krea-2", pair("diffusion_model.tproj.1", 128, 6144, 36864)},
		{"krea-2", pair("transformer.text_fusion.refiner_blocks.1.ff.down", 8, 6912, 2560)},
		{"krea-2", pair("base_model.model.blocks.27.attn.wv", 8, 6144, 1536)},
		{"qwen-edit-2511", pair("transformer_blocks.59.txt_mod.1", 8, 3072, 18432)},
		{"qwen-edit-2511", pair("lora_unet_time_text_embed_timestep_embedder_linear_1", 8, 256, 3072)},
		{"h3", pair("diffusion_model.blocks.49.attn.qkv_proj", 64, 5376, 21504)},
		{"h3", pair("blocks.0.adaln_proj.linear", 16, 2688, 96768)},
		{"h3", pair("blocks.0.adaln_proj.linear", 16, 8, 96768)}, // of a pruned checkpoint
		{"h3", pair("transformer.transformer_blocks.0.attn.to_q", 16, 5376, 7168)},
		{"h3-r2v", pair("transformer_ref.transformer_blocks.0.attn.to_q", 16, 5376, 7168)},
		{"h3-r2v", pair("diffusion_model.final_layer.video_out", 16, 5376, 96)},
		// OneTrainer, and the distillations of Qwen Image.
		{"qwen-edit-2511", []safetensors.Tensor{
			row("transformer.transformer_blocks.0.attn.to_q.lora_down.weight", "F32", 16, 3072),
			row("transformer.transformer_blocks.0.attn.to_q.lora_up.weight", "F32", 3072, 16),
			row("transformer.transformer_blocks.0.attn.to_q.alpha", "F32"),
		}},
		// The alpha that the converter of musubi-tuner adds.
		{"h3", append(pair("lora_unet_blocks_0_mlp_fc2", 16, 14336, 5376), row("lora_unet_blocks_0_mlp_fc2.alpha", "I64"))},
		// A family that an operator added.
		{"other", pair("anything.0.at_all", 16, 10, 20)},
	} {
		h := &safetensors.Header{Tensors: tc.tensors}
		if _, err := weights.Check(h, tc.family); err != nil {
			t.Errorf("%s, %s: %v", tc.family, tc.tensors[0].Name, err)
		}
	}
	reference := &safetensors.Header{Tensors: pair("transformer_ref.transformer_blocks.0.attn.to_q", 16, 5376, 7168)}
	if got, err := weights.FamilyOf(reference, loratest.Families); err != nil || got != "h3-r2v" {
		t.Errorf("a LoRA for references is of %q, %v", got, err)
	}
	const elsewhere = "This LoRA was made for Flux. The models that can load one here are those of Krea 2, H3."
	flux := &safetensors.Header{Tensors: pair("lora_unet_double_blocks_0_img_attn_qkv", 4, 3072, 9216)}
	if got, err := weights.FamilyOf(flux, []string{"krea-2", "h3"}); err == nil || err.Error() != elsewhere {
		t.Errorf("a LoRA for Flux is of %q, %v, want %s", got, err, elsewhere)
	}
}

// What is refused, and how the reason begins.
func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	const layer = "diffusion_model.blocks.0.attn.wq"
	krea := pair(layer, 4, 6144, 6144)
	with := func(extra ...safetensors.Tensor) []safetensors.Tensor {
		return append(pair(layer, 4, 6144, 6144), extra...)
	}
	for _, tc := range []struct {
		family  string
		tensors []safetensors.Tensor
		want    string
	}{
		{"krea-2", nil, "The file holds no weights."},

		// Other kinds of weights.
		{"krea-2", []safetensors.Tensor{row(layer+".lokr_w1", "F16", 8, 8)}, "The file holds LoKr weights, which are not supported. Export it as a standard LoRA."},
		{"krea-2", []safetensors.Tensor{row(layer+".alpha", "F16"), row(layer+".lokr_w2_a", "F16", 8, 8)}, "The file holds LoKr weights"},
		{"krea-2", []safetensors.Tensor{row("lora_unet_blocks_0_attn_wq.hada_w1_a", "F16", 8, 8)}, "The file holds LoHa weights"},
		{"krea-2", with(row(layer+".dora_scale", "F16", 6144, 1)), "The file holds DoRA weights"},
		{"krea-2", with(row(layer+".lora_magnitude_vector", "F16", 6144)), "The file holds DoRA weights"},
		{"krea-2", with(row("base_model.model.x.lora_magnitude_vector.default.weight", "F16", 6144)), "The file holds DoRA weights"},
		{"krea-2", with(row(layer+".magnitude", "F16", 6144)), "The file holds DoRA weights"},
		{"krea-2", with(row(layer+".dora_m.weight", "F16", 6144)), "The file holds DoRA weights"},
		{"krea-2", []safetensors.Tensor{row(layer+".oft_blocks", "F16", 8, 8, 8)}, "The file holds OFT weights"},
		{"krea-2", []safetensors.Tensor{row(layer+".oft_diag", "F16", 8, 8, 8)}, "The file holds OFT weights"},
		{"krea-2", []safetensors.Tensor{row(layer+".boft_R", "F16", 8, 8, 8)}, "The file holds OFT weights"},
		{"krea-2", []safetensors.Tensor{row(layer+".a1.weight", "F16", 8, 8)}, "The file holds GLoRA weights"},
		{"krea-2", []safetensors.Tensor{row(layer+".b2.weight", "F16", 8, 8)}, "The file holds GLoRA weights"},
		{"krea-2", with(row(layer+".lora_mid.weight", "F16", 4, 4, 3, 3)), "The file holds LoCon/Tucker weights"},
		{"krea-2", []safetensors.Tensor{row(layer+".lora_down.weight", "F16", 4, 6144, 3, 3), row(layer+".lora_up.weight", "F16", 6144, 4, 1, 1)}, "The file holds LoCon/Tucker weights"},
		{"krea-2", []safetensors.Tensor{row(layer+".on_input", "F16"), row(layer+".weight", "F16", 8)}, "The file holds IA3 weights"},
		{"krea-2", with(row(layer+".diff", "F16", 8, 8)), "The file holds full weights of a model"},
		{"krea-2", with(row(layer+".diff_b", "F16", 8)), "The file holds full weights of a model"},
		{"krea-2", with(row("diffusion_model.last.linear.set_weight", "F16", 8, 8)), "The file holds full weights of a model"},
		{"krea-2", []safetensors.Tensor{row("model.diffusion_model.blocks.0.attn.wq.weight", "F16", 8, 8)}, "The file holds full weights of a model"},
		{"krea-2", with(row("diffusion_model.blocks.0.prenorm.scale", "F32", 6144)), "The file holds full weights of a model"},

		// Text encoders.
		{"krea-2", []safetensors.Tensor{row("lora_te_text_model_encoder_layers_0_mlp_fc1.alpha", "F16")}, "The file changes only the text encoder."},
		{"krea-2", pair("text_encoder.layers.0.mlp", 4, 8, 8), "The file changes only the text encoder."},
		{"krea-2", with(pair("text_encoders.qwen.layers.0.mlp", 4, 8, 8)...), `The file also changes the text encoder ("text_encoders.qwen.`},

		// Names.
		{"krea-2", []safetensors.Tensor{row("blocks.0.lora_sideways", "F16", 8, 8)}, `The weight "blocks.0.lora_sideways" follows no supported naming`},
		{"krea-2", []safetensors.Tensor{row("x\x1b[31m\u202e", "F16", 8, 8)}, `The weight "x\x1b[31m\u202e" follows no`},
		{"krea-2", with(row(layer+".lora_B.bias", "F16", 8)), `The weight "diffusion_model.blocks.0.attn.wq.lora_B.bias" follows no`},
		{"krea-2", append(pair("blocks.1.attn.wq", 4, 6144, 6144), row("blocks.0.attn.wq.lora_down.weight", "F16", 4, 6144)), "The file mixes two ways of naming weights: .lora_A.weight and .lora_down.weight."},
		{"krea-2", with(pair("transformer.blocks.0.attn.wq", 4, 6144, 6144)...), `The file has two sets of weights for the layer "transformer.blocks.0.attn.wq".`},
		{"krea-2", pair("diffusion_model.blocks.28.attn.qq", 4, 6144, 6144), `The layer "diffusion_model.blocks.28.attn.qq" does not exist in Krea 2.`},
		{"krea-2", pair("diffusion_model.blocks.01.attn.wq", 4, 6144, 6144), `The layer "diffusion_model.blocks.01.attn.wq" does not exist`},
		{"krea-2", pair("diffusion_model.blocks_0_attn_wq", 4, 6144, 6144), `The layer "diffusion_model.blocks_0_attn_wq" does not exist`},

		// Matrices.
		{"krea-2", krea[:1], `The file is incomplete: the layer "diffusion_model.blocks.0.attn.wq" has only one`},
		{"krea-2", with(row("diffusion_model.blocks.0.attn.wk.alpha", "F16")), `The file is incomplete: the layer "diffusion_model.blocks.0.attn.wk" has an alpha`},
		{"krea-2", []safetensors.Tensor{row(layer+".lora_A.weight", "F16", 4, 6144), row(layer+".lora_B.weight", "F16", 6144, 8)}, `The two matrices of the layer "diffusion_model.blocks.0.attn.wq" do not fit together: one has rank 4 and the other 8.`},
		{"krea-2", []safetensors.Tensor{row(layer+".lora_A.weight", "F16", 4), row(layer+".lora_B.weight", "F16", 6144, 4)}, `The weight "diffusion_model.blocks.0.attn.wq.lora_A.weight" is not a matrix.`},
		{"krea-2", pair(layer, 0, 6144, 6144), `The weight "diffusion_model.blocks.0.attn.wq.lora_A.weight" is not a matrix.`},
		{"krea-2", []safetensors.Tensor{row(layer+".lora_A.weight", "F8_E4M3", 4, 6144), row(layer+".lora_B.weight", "F16", 6144, 4)}, "The weights are stored as F8_E4M3. Supported are FP16, BF16 and FP32."},
		{"krea-2", []safetensors.Tensor{row(layer+".lora_A.weight", "F16", 4, 6144), row(layer+".lora_B.weight", "F64", 6144, 4)}, "The weights are stored as F64."},
		{"krea-2", with(row(layer+".alpha", "F64")), `The alpha of the layer "diffusion_model.blocks.0.attn.wq" is stored as F64.`},
		{"krea-2", with(row(layer+".alpha", "F32", 2)), `The alpha of the layer "diffusion_model.blocks.0.attn.wq" is not a single number.`},
		{"krea-2", pair(layer, 129, 6144, 6144), "The LoRA has rank 129. The highest supported rank is 128."},
		{"krea-2", append(pair(layer, 16, 6144, 6144), pair("diffusion_model.blocks.1.attn.wq", 256, 6144, 6144)...), "The LoRA has rank 256."},
		{"krea-2", pair(layer, 4, 3072, 3072), `The LoRA was made for another model: its layer "diffusion_model.blocks.0.attn.wq" has 3072 inputs and 3072 outputs, and that of Krea 2 has 6144 and 6144.`},

		// Other models.
		{"h3", pair("transformer_ref.transformer_blocks.0.attn.to_q", 4, 5376, 7168), "This LoRA was made for H3 reference to video, not for H3."},
		{"krea-2", pair("transformer.transformer_blocks.0.attn.to_q", 4, 3072, 3072), "This LoRA was made for Qwen Image, not for Krea 2."},
		{"krea-2", pair("transformer.transformer_blocks.59.attn.to_q", 4, 3072, 3072), "This LoRA was made for Qwen Image, not for Krea 2."},
		{"h3", pair("transformer.transformer_blocks.59.img_mlp.net.2", 4, 12288, 3072), "This LoRA was made for Qwen Image, not for H3."},
		{"qwen-edit-2511", krea, "This LoRA was made for Krea 2, not for Qwen Image Edit 2511."},
		{"h3-r2v", krea, "This LoRA was made for Krea 2, not for H3 reference to video."},
		{"krea-2", pair("lora_unet_blocks_0_attn_qkv_proj", 4, 5376, 21504), "This LoRA was made for H3, not for Krea 2."},
		{"qwen-edit-2511", pair("transformer.transformer_blocks.3.attn.to_k", 4, 5376, 7168), "This LoRA was made for H3, not for Qwen Image Edit 2511."},
		{"krea-2", pair("lora_unet_double_blocks_0_img_attn_qkv", 4, 3072, 9216), "This LoRA was made for Flux, not for Krea 2."},
		{"qwen-edit-2511", pair("transformer.single_transformer_blocks.0.attn.to_q", 4, 3072, 3072), "This LoRA was made for Flux, not for Qwen"},
		{"krea-2", []safetensors.Tensor{row("double_blocks.0.processor.qkv_lora1.down.weight", "F16", 4, 3072)}, `The weight "double_blocks.0.processor.qkv_lora1.down.weight" follows no supported naming of LoRAs. It looks like one for Flux.`},
		{"h3", append(pair("transformer.double_blocks.0.img_attn_qkv", 4, 3072, 9216), pair("transformer.double_blocks.0.img_mlp.fc1", 4, 3072, 12288)...), "This LoRA was made for Hunyuan Video, not for H3."},
		{"h3", pair("diffusion_model.blocks.0.self_attn.q", 4, 5120, 5120), "This LoRA was made for Wan, not for H3."},
		{"h3", pair("transformer.blocks.0.attn1.to_q", 4, 5120, 5120), "This LoRA was made for Wan, not for H3."},
		{"h3", pair("diffusion_model.transformer_blocks.0.attn1.to_q", 4, 4096, 4096), "This LoRA was made for LTX Video, not for H3."},
		{"krea-2", pair("diffusion_model.layers.0.attention.qkv", 4, 3840, 11520), "This LoRA was made for Z-Image or Lumina, not for Krea 2."},
		{"krea-2", append(pair("lora_unet_input_blocks_4_1_transformer_blocks_0_attn1_to_q", 4, 640, 640), append(pair("lora_unet_input_blocks_7_1_transformer_blocks_9_attn1_to_q", 4, 1280, 1280), row("lora_te1_text_model_encoder_layers_0_mlp_fc1.alpha", "F16"))...), "This LoRA was made for Stable Diffusion XL, not for Krea 2."},
		{"krea-2", pair("lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_attn1_to_q", 4, 320, 320), "This LoRA was made for Stable Diffusion, not for Krea 2."},
		{"krea-2", pair("unet.down_blocks.0.attentions.0.proj_in", 4, 320, 320), "This LoRA was made for Stable Diffusion, not for Krea 2."},
	} {
		name := "nothing"
		if len(tc.tensors) > 0 {
			name = tc.tensors[len(tc.tensors)-1].Name
		}
		report, err := weights.Check(&safetensors.Header{Tensors: tc.tensors}, tc.family)
		var rejection *weights.Rejection
		if !errors.As(err, &rejection) || !strings.HasPrefix(rejection.Reason, tc.want) {
			t.Errorf("%s, %s: got %+v, %v, want %q", tc.family, name, report, err, tc.want)
		}
	}
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	const reference = "Give at least one reference image or video."
	trigger := func(words string) string {
		return fmt.Sprintf("Write “%s” in the prompt: the LoRA was trained with it.", words)
	}
	for _, tc := range []struct {
		family, key, value string
		want               []string
	}{
		{"krea-2", "", "", nil},
		{"h3", "ss_tag_frequency", `{"a": {"b": 1}}`, nil},
		{"h3-r2v", "", "", []string{reference}},
		{"h3-r2v", "trigger_word", "ohwx", []string{reference, trigger("ohwx")}},
		{"krea-2", "modelspec.trigger_phrase", "  ohwx\n man, (red_hat) ", []string{trigger("ohwx man, (red_hat)")}},
		{"krea-2", "modelspec.trigger_phrase", "水墨画", []string{trigger("水墨画")}},
		{"krea-2", "modelspec.trigger_phrase", strings.Repeat("ab", 50), []string{trigger(strings.Repeat("ab", 50))}},
		{"krea-2", "modelspec.trigger_phrase", strings.Repeat("ab", 50) + "c", nil},
		{"krea-2", "modelspec.trigger_phrase", "see https://example.com", nil},
		{"krea-2", "modelspec.trigger_phrase", "<b>now</b>", nil},
		{"krea-2", "modelspec.trigger_phrase", "a\u202eb", nil},
		{"krea-2", "modelspec.trigger_phrase", "a\x00b", nil},
		{"krea-2", "modelspec.trigger_phrase", "...", nil},
		{"other", "", "", nil},
	} {
		h := &safetensors.Header{Metadata: map[string]string{tc.key: tc.value}}
		if got := weights.Requirements(tc.family, h); fmt.Sprint(got) != fmt.Sprint(tc.want) {
			t.Errorf("%s, %q: got %q, want %q", tc.family, tc.value, got, tc.want)
		}
	}
}
