package weights

import (
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/codec/safetensors"
)

// The prefixes under which ComfyUI knows the layers of every model by its original names,
// and by those of diffusers where it knows these.
const (
	originalPrefix  = "diffusion_model."
	diffusersPrefix = "transformer."
)

// RenameForComfyUI gives the tensors of a LoRA the names by which ComfyUI loads them, and
// reports whether any had another. ComfyUI knows fewer prefixes than trainers write, and
// skips a weight whose name it does not know. A file for a model without a table is left
// as it is, and so is one with the names of the reference half of H3.
func RenameForComfyUI(h *safetensors.Header) bool {
	c, err := readContent(h)
	if err != nil || len(c.pairs) == 0 || c.encoder != "" {
		return false
	}
	at := slices.IndexFunc(models, func(m *model) bool { return m.fits(c.pairs) })
	if at < 0 {
		return false
	}
	known := models[at].layers().names
	names, taken := make([]string, len(h.Tensors)), map[string]bool{}
	isOther := false
	for i, t := range h.Tensors {
		layer, _, _, _ := cutSuffix(t.Name)
		path := cutPrefixes(layer)
		name := known[strings.ReplaceAll(path.path, ".", "_")] + strings.TrimPrefix(t.Name, layer)
		if path.isRef || taken[name] {
			return false
		}
		names[i], taken[name] = name, true
		isOther = isOther || name != t.Name
	}
	for i, name := range names {
		h.Tensors[i].Name = name
	}
	return isOther
}
