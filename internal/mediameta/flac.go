package mediameta

import (
	"encoding/binary"
	"io"
	"strings"
)

const (
	flacSignature = "fLaC"
	flacComments  = 4 // the kind of the block with comments
	flacLast      = 0x80
	maxFlacBlock  = 1<<24 - 1
)

// flacBlock is a block before the frames of a FLAC: its content is at an offset.
type flacBlock struct {
	kind     byte
	at, size int64
}

// flacBlocks lists the blocks, and says where the frames begin.
func (f *source) flacBlocks() (blocks []flacBlock, frames int64, err error) {
	at := int64(len(flacSignature))
	for range maxParts {
		head, err := f.bytes(at, 4)
		if err != nil {
			return nil, 0, err
		}
		b := flacBlock{kind: head[0] &^ flacLast, at: at + 4, size: int64(binary.BigEndian.Uint32(head) & maxFlacBlock)}
		if b.size > f.size-b.at || (len(blocks) == 0) != (b.kind == 0) { // the first says what the file holds
			return nil, 0, ErrFormat
		}
		blocks = append(blocks, b)
		at = b.at + b.size
		if head[0]&flacLast != 0 {
			return blocks, at, nil
		}
	}
	return nil, 0, ErrFormat
}

// ourVendor is written where a file had no comments.
const ourVendor = "atelier"

// parseComments reads the name of a program and the comments that it wrote.
func parseComments(data []byte) (vendor string, comments []string, err error) {
	next := func() (text string) {
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			err = ErrFormat
			return ""
		}
		n := binary.LittleEndian.Uint32(data)
		text, data = string(data[4:4+n]), data[4+n:]
		return text
	}
	vendor = next()
	if err != nil || len(data) < 4 {
		return "", nil, ErrFormat
	}
	count := binary.LittleEndian.Uint32(data)
	data = data[4:]
	for ; count > 0 && err == nil; count-- {
		comments = append(comments, next())
	}
	return vendor, comments, err
}

// commentName is the name of a comment. Upper and lower case are the same.
func commentName(comment string) string {
	name, _, _ := strings.Cut(comment, "=")
	return strings.ToLower(name)
}

func readFLAC(f *source) (map[string]string, error) {
	found := map[string]string{}
	blocks, _, err := f.flacBlocks()
	for _, b := range blocks {
		if b.kind != flacComments || err != nil {
			continue
		}
		var data []byte
		if data, err = f.text(b.at, b.size); data == nil {
			continue
		}
		var comments []string
		_, comments, err = parseComments(data)
		for _, c := range comments {
			if commentName(c) == keyDocument {
				_, found[keyDocument], _ = strings.Cut(c, "=")
			}
		}
	}
	return found, err
}

// newComments is the content of a block with the settings instead of those that it has; nil if nothing is left.
func newComments(vendor string, comments []string, t *texts) []byte {
	var kept []string
	for _, c := range comments {
		if !isOurs(commentName(c)) {
			kept = append(kept, c)
		}
	}
	if t != nil {
		kept = append(kept, strings.ToUpper(keyDocument)+"="+t.document)
	}
	if len(kept) == 0 && vendor == ourVendor {
		return nil
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(vendor)))
	out = binary.LittleEndian.AppendUint32(append(out, vendor...), uint32(len(kept)))
	for _, c := range kept {
		out = append(binary.LittleEndian.AppendUint32(out, uint32(len(c))), c...)
	}
	return out
}

func writeFLAC(f *source, w io.Writer, t *texts) error {
	blocks, frames, err := f.flacBlocks()
	if err != nil {
		return err
	}
	vendor, comments := ourVendor, []string(nil)
	var kept []flacBlock
	at := 1 // where the comments are among the others
	for i, b := range blocks {
		switch {
		case b.kind != flacComments:
			kept = append(kept, b)
			continue
		case len(kept) < i: // there can be one block of them
			return ErrFormat
		}
		data, err := f.tags(b.at, b.size)
		if err != nil {
			return err
		}
		if vendor, comments, err = parseComments(data); err != nil {
			return err
		}
		at = len(kept)
	}
	said := newComments(vendor, comments, t)
	if len(said) > maxFlacBlock {
		return ErrTooLarge
	}
	if _, err := io.WriteString(w, flacSignature); err != nil {
		return err
	}
	head := func(kind byte, size int64, isLast bool) error {
		if isLast {
			kind |= flacLast
		}
		_, err := w.Write(binary.BigEndian.AppendUint32(nil, uint32(kind)<<24|uint32(size)))
		return err
	}
	for i, b := range kept {
		if err := head(b.kind, b.size, i == len(kept)-1 && (said == nil || at <= i)); err != nil {
			return err
		}
		if err := f.copy(w, b.at, b.size); err != nil {
			return err
		}
		if said != nil && i+1 == at {
			if err := head(flacComments, int64(len(said)), at == len(kept)); err != nil {
				return err
			}
			if _, err := w.Write(said); err != nil {
				return err
			}
		}
	}
	return f.copy(w, frames, f.size-frames)
}
