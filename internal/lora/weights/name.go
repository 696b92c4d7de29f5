package weights

import (
	"regexp"
	"strings"
)

// naming is a pair of suffixes by which trainers write the two matrices of a layer.
type naming struct{ layout, down, up string }

var namings = []naming{
	{"PEFT", ".lora_A.weight", ".lora_B.weight"},
	{"PEFT", ".lora_A.default.weight", ".lora_B.default.weight"},
	{"PEFT", ".lora_A", ".lora_B"},
	{"kohya", ".lora_down.weight", ".lora_up.weight"},
	{"diffusers", ".lora.down.weight", ".lora.up.weight"},
	{"diffusers", ".lora_linear_layer.down.weight", ".lora_linear_layer.up.weight"},
}

const alphaSuffix = ".alpha"

// flatPrefixes begin names that have underscores for the dots of the path.
var flatPrefixes = []string{"lora_unet_", "lora_transformer_", "lycoris_"}

// prefixes begin names with a dotted path. Some trainers write two of them.
var prefixes = []string{
	"base_model.model.", "model.diffusion_model.", "diffusion_model.", "transformer.", refPrefix, "unet.", "lora_unet.", "lora_transformer.",
}

// refPrefix is the name that diffusers gives to the half of H3 that makes videos
// from references.
const refPrefix = "transformer_ref."

// layerPath is the path of a layer as a file has it, without prefix.
type layerPath struct {
	path  string
	flat  bool // has underscores for dots
	isRef bool // has the prefix of the reference half of H3
}

func cutPrefixes(name string) (p layerPath) {
	for _, prefix := range flatPrefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return layerPath{path: rest, flat: true}
		}
	}
	p.path = name
	for again := true; again; {
		again = false
		for _, prefix := range prefixes {
			if rest, ok := strings.CutPrefix(p.path, prefix); ok {
				p.path, again = rest, true
				p.isRef = p.isRef || prefix == refPrefix
			}
		}
	}
	return p
}

// textEncoder begins the names of layers of a text encoder.
var textEncoder = regexp.MustCompile(`^(?:base_model\.model\.)?(?:lora_(?:prior_)?te\d?_|text_encoders?(?:_\d)?\.)`)

// others are the kinds of weights that are not standard LoRAs, by what their names
// hold.
var others = []struct {
	mark   *regexp.Regexp
	reason string
}{
	{regexp.MustCompile(`\.lokr_`), unsupported("LoKr")},
	{regexp.MustCompile(`\.hada_`), unsupported("LoHa")},
	{regexp.MustCompile(`\.(?:dora_scale|dora_m|magnitude|lora_magnitude_vector)(?:\.|$)`), unsupported("DoRA")},
	{regexp.MustCompile(`\.b?oft_`), unsupported("OFT")},
	{regexp.MustCompile(`\.[ab][12]\.weight$`), unsupported("GLoRA")},
	{regexp.MustCompile(`\.lora_mid\.`), unsupported("LoCon/Tucker")},
	{regexp.MustCompile(`\.(?:ia3_l|on_input)(?:\.|$)`), unsupported("IA3")},
	{regexp.MustCompile(`\.(?:diff|diff_b|diff_m|set_weight|w_norm|b_norm|reshape_weight)$`), fullWeights},
}

func unsupported(kind string) string {
	return "The file holds " + kind + " weights, which are not supported. Export it as a standard LoRA."
}

const fullWeights = "The file holds full weights of a model, which are not supported. Export it as a standard LoRA."

// plainWeight ends the names of weights of a model that is not a LoRA.
var plainWeight = regexp.MustCompile(`\.(?:weight|bias|scale|scale_weight|weight_scale|gamma|beta)$|_table$`)
