package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// The bounds of a header. The format allows 100 MB, for models of many thousand
// tensors; the header of a LoRA is below 1 MiB, and the statistics about captions
// that some trainers add are some MiB more. The counts keep what a header becomes
// in memory within a small multiple of its length.
const (
	MaxHeader     = 16 << 20
	MaxTensors    = 1 << 14
	MaxDimensions = 8   // of a tensor
	MaxName       = 512 // bytes of the name of a tensor or of metadata
	MaxMetadata   = 1 << 12
)

// lengthSize is the bytes before the header, which hold its length.
const lengthSize = 8

// Header is the checked header of a file.
type Header struct {
	Tensors  []Tensor // in the order of their bytes in the file
	Metadata map[string]string
}

// Tensor is one row of the table. Begin and End are offsets from the end of the
// header.
type Tensor struct {
	Name       string
	DType      string
	Shape      []int64
	Begin, End int64
}

// Error says why a file is refused, as a sentence for its owner.
type Error struct{ Reason string }

func (e *Error) Error() string { return e.Reason }

func refuse(format string, args ...any) error {
	return &Error{Reason: "The file is not a valid safetensors file: " + fmt.Sprintf(format, args...) + "."}
}

// dtypes are the types of the format and the bits of an element.
var dtypes = map[string]int64{
	"BOOL": 8, "U8": 8, "I8": 8, "U16": 16, "I16": 16, "U32": 32, "I32": 32, "U64": 64, "I64": 64,
	"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
	"F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
	"F16": 16, "BF16": 16, "F32": 32, "F64": 64, "C64": 64,
}

// Read reads and checks the header of a file of fileSize bytes. It takes the
// header from r, whole, and not a byte more. A file that is not valid gives an
// *Error; other errors are those of r.
func Read(r io.Reader, fileSize int64) (*Header, error) {
	_, length, err := readLength(r, fileSize)
	if err != nil {
		return nil, err
	}
	text := make([]byte, length)
	if err := fill(r, text); err != nil {
		return nil, err
	}
	return parse(text, fileSize-lengthSize-length)
}

// ReadHead reads the beginning of a file of fileSize bytes: the length of the header and, if it
// has at most that many bytes, the whole header, which is not checked. The errors are those of
// Read.
func ReadHead(r io.Reader, fileSize, most int64) (head []byte, whole bool, err error) {
	prefix, length, err := readLength(r, fileSize)
	if err != nil || length > most {
		return prefix, false, err
	}
	head = append(prefix, make([]byte, length)...)
	return head, true, fill(r, head[lengthSize:])
}

// readLength reads the length of the header. It also returns the bytes that it has read.
func readLength(r io.Reader, fileSize int64) (prefix []byte, n int64, err error) {
	if fileSize < lengthSize {
		return nil, 0, refuse("it has only %d bytes", max(fileSize, 0))
	}
	prefix = make([]byte, lengthSize)
	if err := fill(r, prefix); err != nil {
		return nil, 0, err
	}
	switch length := binary.LittleEndian.Uint64(prefix); {
	case length > math.MaxInt64 || int64(length) > fileSize-lengthSize:
		return prefix, 0, refuse("its header would be longer than the file")
	case length > MaxHeader:
		return prefix, 0, refuse("its header has %d bytes, and at most %d are read", length, MaxHeader)
	case length < 2:
		return prefix, 0, refuse("it has no header")
	default:
		return prefix, int64(length), nil
	}
}

// Encode is the header as a file begins: its length and its table, filled up with spaces
// so that the tensors begin at a multiple of eight bytes.
func (h *Header) Encode() ([]byte, error) {
	text, err := encodeTable(h)
	if err != nil {
		return nil, err
	}
	text = append(text, bytes.Repeat([]byte(" "), -len(text)&(lengthSize-1))...)
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), nil
}

// fill reads as many bytes as b holds. A reader that ends early is at fault, not
// the file, whose size is known.
func fill(r io.Reader, b []byte) error {
	if _, err := io.ReadFull(r, b); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("read safetensors header: %w", err)
	}
	return nil
}

// parse reads the JSON of a header whose tensors have dataSize bytes.
func parse(text []byte, dataSize int64) (*Header, error) {
	if text[0] != '{' {
		return nil, refuse("its header does not begin with a table")
	}
	if !utf8.Valid(text) {
		return nil, refuse("its header is not UTF-8")
	}
	h, err := readTable(text)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(h.Tensors, func(a, b Tensor) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End), cmp.Compare(a.Name, b.Name))
	})
	var at int64
	for i := range h.Tensors {
		t := &h.Tensors[i]
		if err := t.check(); err != nil {
			return nil, err
		}
		switch {
		case t.Begin < at:
			return nil, refuse("the bytes of %s overlap those of another tensor", Quote(t.Name))
		case t.Begin > at:
			return nil, refuse("%d bytes before %s belong to no tensor", t.Begin-at, Quote(t.Name))
		}
		at = t.End
	}
	switch {
	case at > dataSize:
		return nil, refuse("it ends before its last tensor does: %d of %d bytes are missing", at-dataSize, at)
	case at < dataSize:
		return nil, refuse("%d bytes at its end belong to no tensor", dataSize-at)
	}
	return h, nil
}

// check holds the offsets of a tensor against its type and shape.
func (t *Tensor) check() error {
	width, known := dtypes[t.DType]
	if !known {
		return refuse("the type %s of %s is unknown", Quote(t.DType), Quote(t.Name))
	}
	size := uint64(width)
	for _, n := range t.Shape {
		over, product := bits.Mul64(size, uint64(n))
		if over != 0 {
			return refuse("%s is too large", Quote(t.Name))
		}
		size = product
	}
	if t.Begin > t.End {
		return refuse("%s ends before it begins", Quote(t.Name))
	}
	if size%8 != 0 || size/8 != uint64(t.End-t.Begin) {
		return refuse("%s has %d bytes, which does not fit its type and shape", Quote(t.Name), t.End-t.Begin)
	}
	return nil
}

// Quote shows a name from a file in a sentence: shortened, and with what cannot be
// printed escaped.
func Quote(name string) string {
	const most = 80
	if len(name) > most {
		cut := most
		for !utf8.RuneStart(name[cut]) {
			cut--
		}
		return fmt.Sprintf("%q…", name[:cut])
	}
	return fmt.Sprintf("%q", name)
}
