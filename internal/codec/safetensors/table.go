package safetensors

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
)

// metadataName is the entry of the table that is not a tensor.
const metadataName = "__metadata__"

// table reads the JSON of a header token by token, so that nothing is kept of what
// the format does not have.
type table struct{ json *json.Decoder }

// readTable reads the tensors as they are written, and the metadata.
func readTable(text []byte) (*Header, error) {
	t := table{json.NewDecoder(bytes.NewReader(text))}
	t.json.UseNumber()
	h := &Header{}
	seen := map[string]bool{}
	err := t.eachField("header", func(name string) (err error) {
		if seen[name] {
			return refuse("its table has %s twice", Quote(name))
		}
		seen[name] = true
		if name == metadataName {
			h.Metadata, err = t.metadata()
			return err
		}
		if len(h.Tensors) == MaxTensors {
			return refuse("it has more than %d tensors", MaxTensors)
		}
		tensor, err := t.tensor(name)
		h.Tensors = append(h.Tensors, tensor)
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, err := t.json.Token(); !errors.Is(err, io.EOF) {
		return nil, refuse("something follows the table of its header")
	}
	return h, nil
}

// encodeTable is the JSON of a header. It escapes no more than JSON requires: metadata of
// markup would grow sixfold, beyond what readers accept.
func encodeTable(h *Header) ([]byte, error) {
	type row struct {
		DType   string   `json:"dtype"`
		Shape   []int64  `json:"shape"`
		Offsets [2]int64 `json:"data_offsets"`
	}
	all := map[string]any{}
	if h.Metadata != nil {
		all[metadataName] = h.Metadata
	}
	for _, t := range h.Tensors {
		all[t.Name] = row{t.DType, append([]int64{}, t.Shape...), [2]int64{t.Begin, t.End}}
	}
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	err := to.Encode(all)
	return bytes.TrimSpace(text.Bytes()), err
}

func (t table) metadata() (map[string]string, error) {
	all := map[string]string{}
	return all, t.eachField(metadataName, func(name string) error {
		if _, seen := all[name]; seen {
			return refuse("its metadata has %s twice", Quote(name))
		}
		if len(all) == MaxMetadata {
			return refuse("its metadata has more than %d entries", MaxMetadata)
		}
		value, ok := t.next().(string)
		if !ok {
			return refuse("the metadata %s is not a text", Quote(name))
		}
		all[name] = value
		return nil
	})
}

func (t table) tensor(name string) (Tensor, error) {
	out := Tensor{Name: name}
	var offsets []int64
	seen := make([]string, 0, 3)
	err := t.eachField(name, func(field string) (err error) {
		if slices.Contains(seen, field) {
			return refuse("%s has %s twice", Quote(name), Quote(field))
		}
		seen = append(seen, field)
		switch field {
		case "dtype":
			var ok bool
			if out.DType, ok = t.next().(string); !ok {
				return refuse("the type of %s is not a text", Quote(name))
			}
		case "shape":
			out.Shape, err = t.numbers("shape", name, MaxDimensions)
		case "data_offsets":
			offsets, err = t.numbers("place", name, 2)
		default:
			return refuse("%s has an unknown field %s", Quote(name), Quote(field))
		}
		return err
	})
	switch {
	case err != nil:
		return out, err
	case len(seen) < 3:
		return out, refuse("%s has no type, no shape or no place", Quote(name))
	case len(offsets) != 2:
		return out, refuse("the place of %s is not a begin and an end", Quote(name))
	}
	out.Begin, out.End = offsets[0], offsets[1]
	return out, nil
}

// eachField calls read for each name of an object, and read takes the value.
func (t table) eachField(object string, read func(name string) error) error {
	if t.next() != json.Delim('{') {
		return refuse("%s is not an object", Quote(object))
	}
	for {
		token := t.next()
		if token == json.Delim('}') {
			return nil
		}
		name, ok := token.(string)
		switch {
		case !ok:
			return refuse("its header is not valid JSON")
		case len(name) > MaxName:
			return refuse("its header has a name of %d bytes, and at most %d are read", len(name), MaxName)
		}
		if err := read(name); err != nil {
			return err
		}
	}
}

// numbers reads an array of sizes: whole numbers, not negative, that 64 bits hold.
func (t table) numbers(what, name string, most int) ([]int64, error) {
	if t.next() != json.Delim('[') {
		return nil, refuse("the %s of %s is not a list", what, Quote(name))
	}
	var list []int64
	for {
		token := t.next()
		if token == json.Delim(']') {
			return list, nil
		}
		number, ok := token.(json.Number)
		if !ok {
			return nil, refuse("the %s of %s holds something other than numbers", what, Quote(name))
		}
		n, err := strconv.ParseUint(number.String(), 10, 63)
		if err != nil {
			return nil, refuse("the %s of %s holds %s, which is not a size", what, Quote(name), Quote(number.String()))
		}
		if len(list) == most {
			return nil, refuse("the %s of %s has more than %d numbers", what, Quote(name), most)
		}
		list = append(list, int64(n))
	}
}

// next is the next token, or nil where the text is not JSON: no caller expects
// null.
func (t table) next() json.Token {
	token, err := t.json.Token()
	if err != nil {
		return nil
	}
	return token
}
