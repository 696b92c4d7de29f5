package weights

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/codec/safetensors"
)

// MaxRank is the highest rank of a LoRA.
const MaxRank = 128

// Rejection says why a file is refused, as a sentence for its owner.
type Rejection struct{ Reason string }

func (r *Rejection) Error() string { return r.Reason }

func reject(format string, args ...any) error {
	return &Rejection{Reason: fmt.Sprintf(format, args...)}
}

// Report is what is known about an accepted file.
type Report struct {
	Rank    int    // the highest of its layers
	DType   string // FP16, BF16 or FP32; several are joined by a plus sign
	Layers  int    // that it changes
	Tensors int
	Layout  string // PEFT, kohya or diffusers: how its tensors are named
}

// weightTypes are the types of weights, as users call them.
var weightTypes = map[string]string{"F16": "FP16", "BF16": "BF16", "F32": "FP32"}

// part is what a tensor is to its layer.
type part int

const (
	down part = iota
	up
	alpha
)

// pair is what a file has for one layer.
type pair struct {
	layerPath
	name    string // in the file
	tensors [3]*safetensors.Tensor
}

// Check judges a file by the rules of a family. What it refuses is a *Rejection. It
// says first that a file is for another model, because then the rest does not matter.
func Check(h *safetensors.Header, familyName string) (Report, error) {
	f, known := families[familyName]
	c, err := readContent(h)
	if err == nil && known {
		err = f.checkNames(c.pairs)
	}
	if err == nil {
		err = c.checkEncoder()
	}
	if err != nil {
		return Report{}, err
	}
	report := Report{Layers: len(c.pairs), Tensors: len(h.Tensors), Layout: c.layout}
	types := map[string]bool{}
	for _, p := range c.pairs {
		if err := p.check(); err != nil {
			return Report{}, err
		}
		if known {
			if err := f.checkSize(p, c.pairs); err != nil {
				return Report{}, err
			}
		}
		rank := p.tensors[down].Shape[0]
		if rank > MaxRank {
			return Report{}, reject("The LoRA has rank %d. The highest supported rank is %d.", rank, MaxRank)
		}
		report.Rank = max(report.Rank, int(rank))
		for _, t := range p.tensors[down:alpha] {
			types[weightTypes[t.DType]] = true
		}
	}
	report.DType = strings.Join(slices.Sorted(maps.Keys(types)), "+")
	return report, nil
}

// FamilyOf is the first of some families that has the layers of a file, whatever else may be wrong with it. The layers
// of a family that is not known here could be any. Without such a family the error is a *Rejection.
func FamilyOf(h *safetensors.Header, names []string) (string, error) {
	c, err := readContent(h)
	if err == nil {
		err = c.checkEncoder()
	}
	if err != nil {
		return "", err
	}
	var titles []string
	madeFor := "another model"
	for _, name := range names {
		f, known := families[name]
		if !known {
			continue
		}
		if f.checkLayers(c.pairs) == nil {
			return name, nil
		}
		if titles = append(titles, f.title); len(titles) == 1 {
			madeFor = cmp.Or(f.otherModel(c.pairs), madeFor)
		}
	}
	return "", reject("This LoRA was made for %s. The models that can load one here are those of %s.", madeFor, strings.Join(titles, ", "))
}

// checkLayers holds the layers of a file, and the sizes of those that have one, against those of the family.
func (f family) checkLayers(pairs []*pair) error {
	err := f.checkNames(pairs)
	for _, p := range pairs {
		if err == nil && p.size() != (size{}) {
			err = f.checkSize(p, pairs)
		}
	}
	return err
}

// content is the tensors of a file by layers, in the order of the file.
type content struct {
	pairs   []*pair
	layout  string
	encoder string // a weight of a text encoder, if there is one
}

func readContent(h *safetensors.Header) (c content, err error) {
	if len(h.Tensors) == 0 {
		return c, reject("The file holds no weights.")
	}
	byPath := map[string]*pair{}
	var used string
	for i := range h.Tensors {
		t := &h.Tensors[i]
		for _, other := range others {
			if other.mark.MatchString(t.Name) {
				return c, &Rejection{Reason: other.reason}
			}
		}
		if textEncoder.MatchString(t.Name) {
			c.encoder = t.Name
			continue
		}
		name, part, by, found := cutSuffix(t.Name)
		if !found {
			return c, rejectName(t.Name)
		}
		if part != alpha {
			if used != "" && used != by.down {
				return c, reject("The file mixes two ways of naming weights: %s and %s.", used, by.down)
			}
			used, c.layout = by.down, by.layout
		}
		path := cutPrefixes(name)
		p := byPath[path.path]
		if p == nil {
			p = &pair{layerPath: path, name: name}
			byPath[path.path] = p
			c.pairs = append(c.pairs, p)
		}
		if p.tensors[part] != nil {
			return c, reject("The file has two sets of weights for the layer %s.", safetensors.Quote(name))
		}
		p.tensors[part] = t
	}
	return c, nil
}

func (c content) checkEncoder() error {
	switch {
	case len(c.pairs) == 0:
		return reject("The file changes only the text encoder. A LoRA must change the image or video model.")
	case c.encoder != "":
		return reject("The file also changes the text encoder (%s), which is not supported. Export it without the text encoder.",
			safetensors.Quote(c.encoder))
	}
	return nil
}

// cutSuffix splits the name of a tensor into that of its layer and the part it is.
func cutSuffix(name string) (layer string, which part, by naming, found bool) {
	if layer, found = strings.CutSuffix(name, alphaSuffix); found {
		return layer, alpha, naming{}, true
	}
	for _, by = range namings {
		if layer, found = strings.CutSuffix(name, by.down); found {
			return layer, down, by, true
		}
		if layer, found = strings.CutSuffix(name, by.up); found {
			return layer, up, by, true
		}
	}
	return "", 0, naming{}, false
}

// rejectName refuses a tensor whose name no naming has.
func rejectName(name string) error {
	if !strings.Contains(strings.ToLower(name), "lora") && plainWeight.MatchString(name) {
		return &Rejection{Reason: fullWeights}
	}
	if title := recognise(cutPrefixes(name).path); title != "" {
		return reject("The weight %s follows no supported naming of LoRAs. It looks like one for %s.", safetensors.Quote(name), title)
	}
	return reject("The weight %s follows no supported naming of LoRAs.", safetensors.Quote(name))
}

// check holds the matrices of a layer against each other.
func (p *pair) check() error {
	name := safetensors.Quote(p.name)
	switch {
	case p.tensors[down] == nil && p.tensors[up] == nil:
		return reject("The file is incomplete: the layer %s has an alpha and no weights.", name)
	case p.tensors[down] == nil || p.tensors[up] == nil:
		return reject("The file is incomplete: the layer %s has only one of its two matrices.", name)
	}
	for _, t := range p.tensors[down:alpha] {
		switch {
		case weightTypes[t.DType] == "":
			return reject("The weights are stored as %s. Supported are FP16, BF16 and FP32.", t.DType)
		case len(t.Shape) > 2:
			return &Rejection{Reason: unsupported("LoCon/Tucker")}
		case len(t.Shape) < 2 || t.Shape[0] == 0 || t.Shape[1] == 0:
			return reject("The weight %s is not a matrix.", safetensors.Quote(t.Name))
		}
	}
	if d, u := p.tensors[down].Shape[0], p.tensors[up].Shape[1]; d != u {
		return reject("The two matrices of the layer %s do not fit together: one has rank %d and the other %d.", name, d, u)
	}
	if a := p.tensors[alpha]; a != nil {
		// The converter of a public trainer writes alpha as an integer.
		if weightTypes[a.DType] == "" && a.DType != "I64" {
			return reject("The alpha of the layer %s is stored as %s. Supported are FP16, BF16 and FP32.", name, a.DType)
		}
		if len(a.Shape) > 1 || len(a.Shape) == 1 && a.Shape[0] != 1 {
			return reject("The alpha of the layer %s is not a single number.", name)
		}
	}
	return nil
}

// size is that of the layer that a pair changes, or zero if it is not a pair of matrices.
func (p *pair) size() size {
	d, u := p.tensors[down], p.tensors[up]
	if d == nil || u == nil || len(d.Shape) != 2 || len(u.Shape) != 2 {
		return size{}
	}
	return size{in: d.Shape[1], out: u.Shape[0]}
}

// checkNames holds the layers of a file against those of the family.
func (f family) checkNames(pairs []*pair) error {
	for _, p := range pairs {
		if f.model.layers().find(p.layerPath) == nil {
			if title := f.otherModel(pairs); title != "" {
				return f.rejectModel(title)
			}
			return reject("The layer %s does not exist in %s.", safetensors.Quote(p.name), f.title)
		}
		if p.isRef && !f.isRef {
			return f.rejectModel(families["h3-r2v"].title)
		}
	}
	return nil
}

// checkSize holds the size of a layer of a file against that of the family.
func (f family) checkSize(p *pair, all []*pair) error {
	sizes := f.model.layers().find(p.layerPath)
	if slices.Contains(sizes, p.size()) {
		return nil
	}
	if title := f.otherModel(all); title != "" {
		return f.rejectModel(title)
	}
	return reject("The LoRA was made for another model: its layer %s has %d inputs and %d outputs, and that of %s has %d and %d.",
		safetensors.Quote(p.name), p.size().in, p.size().out, f.title, sizes[0].in, sizes[0].out)
}

func (f family) rejectModel(title string) error {
	return reject("This LoRA was made for %s, not for %s.", title, f.title)
}
