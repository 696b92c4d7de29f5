package weights

import (
	"regexp"
	"slices"
	"strings"
)

// signatures recognise models by the path of a layer, with underscores for its dots.
// The first that matches any layer of a file names it, so the more specific come
// first.
var signatures = []struct {
	path  *regexp.Regexp
	title string
}{
	{regexp.MustCompile(`^blocks_\d+_attn_w[qkvo]$|^txtfusion_|^text_fusion_|_attn_to_gate$`), krea2.title},
	{regexp.MustCompile(`blocks_\d+_attn_qkv_proj$|blocks_\d+_adaln_proj_linear$|^token_refiner_(?:refiner_)?blocks_`), h3.title},
	{regexp.MustCompile(`^transformer_blocks_\d+_(?:img|txt)_(?:mlp|mod)_`), qwenImage.title},
	{regexp.MustCompile(`^(?:double|single)_blocks_\d+_(?:img_mlp_fc|txt_mlp_fc|img_mod_linear|txt_mod_linear|modulation_linear)|individual_token_refiner`), "Hunyuan Video"},
	{regexp.MustCompile(`^single_transformer_blocks_\d+_attn_to_qkv_mlp_proj|^(?:double|single)_stream_modulation`), "Flux.2"},
	{regexp.MustCompile(`^(?:double|single)_blocks_\d+_|^single_transformer_blocks_\d+_|^transformer_blocks_\d+_ff_context_`), "Flux"},
	{regexp.MustCompile(`^joint_blocks_\d+_`), "Stable Diffusion 3"},
	{regexp.MustCompile(`^blocks_\d+_(?:self|cross)_attn_(?:[qkvo]|k_img|v_img)$|^blocks_\d+_ffn_|^blocks_\d+_attn[12]_to_`), "Wan"},
	{regexp.MustCompile(`^blocks_\d+_(?:self|cross)_attn_(?:q|k|v|output)_proj$`), "Cosmos"},
	{regexp.MustCompile(`^transformer_blocks_\d+_(?:audio_attn|attn[12]_to_|audio_to_video_attn|video_to_audio_attn)`), "LTX Video"},
	{regexp.MustCompile(`^(?:layers|noise_refiner|context_refiner)_\d+_(?:attention|feed_forward|adaLN)`), "Z-Image or Lumina"},
	{regexp.MustCompile(`^(?:double|single)_stream_blocks_\d+_`), "HiDream"},
	{regexp.MustCompile(`^visual_transformer_blocks_`), "Kandinsky"},
	{regexp.MustCompile(`^(?:input|output)_blocks_[4-8]_\d_transformer_blocks_[2-9]_|^down_blocks_2_attentions_\d_transformer_blocks_[2-9]_`), "Stable Diffusion XL"},
	{regexp.MustCompile(`^(?:down|up|mid)_blocks?_(?:\d+_)?(?:attentions|resnets)_|^(?:input|output|middle)_blocks?_\d+_`), "Stable Diffusion"},
}

// recognise names the model that one of the paths looks like, or nothing.
func recognise(paths ...string) string {
	for i, path := range paths {
		paths[i] = strings.ReplaceAll(path, ".", "_")
	}
	for _, s := range signatures {
		if slices.ContainsFunc(paths, s.path.MatchString) {
			return s.title
		}
	}
	return ""
}

// fits reports whether all layers of a file are layers of a model.
func (m *model) fits(pairs []*pair) bool {
	return !slices.ContainsFunc(pairs, func(p *pair) bool { return !slices.Contains(m.layers().find(p.layerPath), p.size()) })
}

// otherModel names the model that a file is for, if it is not the one of the family:
// one whose layers it fits, or else one that a layer looks like.
func (f family) otherModel(pairs []*pair) string {
	for _, m := range models {
		if m != f.model && m.fits(pairs) {
			return m.title
		}
	}
	var paths []string
	for _, p := range pairs {
		if f.model.layers().find(p.layerPath) == nil {
			paths = append(paths, p.path)
		}
	}
	if title := recognise(paths...); title != f.model.title {
		return title
	}
	return ""
}
