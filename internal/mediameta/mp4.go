package mediameta

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
)

// box is a box of an MP4 or MOV file: its header is at an offset, and its content between two others.
type box struct {
	kind          string
	at, from, end int64
}

// boxes calls a function for each box between two offsets. Less than a header at the end is no box.
func (f *source) boxes(from, to int64, do func(box) error) error {
	isTop := from == 0
	for to-from >= 8 {
		if f.parts++; f.parts > maxParts {
			return ErrFormat
		}
		head, err := f.bytes(from, min(16, to-from))
		if err != nil {
			return err
		}
		b := box{kind: string(head[4:8]), at: from, from: from + 8}
		size := int64(binary.BigEndian.Uint32(head))
		switch {
		case size == 0 && isTop:
			size = to - from // it ends with the file
		case size == 1 && len(head) == 16:
			b.from += 8
			size = int64(min(binary.BigEndian.Uint64(head[8:]), math.MaxInt64))
		}
		if size < b.from-from || size > to-from {
			return ErrFormat
		}
		b.end = from + size
		if err := do(b); err != nil {
			return err
		}
		from = b.end
	}
	return nil
}

// unmoved are boxes with places in the file that Write does not change: of files in fragments, of protected ones, and
// of pictures.
var unmoved = []string{"moof", "mvex", "sidx", "mfra", "saio", "iloc", "cmov"}

// index finds the one index of a file, and its parts.
func (f *source) index() (moov box, parts []box, err error) {
	err = f.boxes(0, f.size, func(b box) error {
		switch {
		case slices.Contains(unmoved, b.kind), b.kind == "meta", b.kind == "moov" && moov.end > 0:
			return ErrFormat
		case b.kind == "moov":
			moov = b
		}
		return nil
	})
	if err == nil && moov.end == 0 {
		err = ErrFormat
	}
	if err != nil {
		return box{}, nil, err
	}
	hasData := false
	err = f.boxes(moov.from, moov.end, func(b box) error {
		if slices.Contains(unmoved, b.kind) || b.kind == "udta" && hasData {
			return ErrFormat
		}
		hasData = hasData || b.kind == "udta"
		parts = append(parts, b)
		return nil
	})
	return moov, parts, err
}

func readMP4(f *source) (map[string]string, error) {
	found := map[string]string{}
	_, parts, err := f.index()
	for _, b := range parts {
		if b.kind != "udta" || err != nil {
			continue
		}
		var data []byte
		if data, err = f.text(b.from, b.end-b.from); err == nil {
			err = eachAtom(data, func(a atom) error {
				if a.kind != "meta" {
					return nil
				}
				tags, err := parseTags(a.body)
				tags.read(found)
				return err
			})
		}
	}
	return found, err
}

func writeMP4(f *source, w io.Writer, t *texts) error {
	moov, parts, err := f.index()
	if err != nil {
		return err
	}
	size := int64(8)
	changed := map[int64][]byte{} // parts that are written in another form, by where they were
	for _, b := range parts {
		if b.kind != "udta" && b.kind != "meta" {
			size += b.end - b.at
			continue
		}
		data, err := f.tags(b.at, b.end-b.at)
		if err != nil {
			return err
		}
		data = data[b.from-b.at:]
		if b.kind == "udta" {
			data, err = userData(data, t)
			t = nil
		} else {
			data, err = rewriteTags(data, nil)
		}
		if err != nil {
			return err
		}
		changed[b.at] = data
		size += int64(len(data))
	}
	var added []byte
	if t != nil {
		if added, err = userData(nil, t); err != nil {
			return err
		}
	}
	if size += int64(len(added)); size > math.MaxUint32 {
		return ErrTooLarge
	}
	if err := f.copy(w, 0, moov.at); err != nil {
		return err
	}
	if _, err := w.Write(appendAtomHead(nil, size, "moov")); err != nil {
		return err
	}
	m := mover{source: f, w: w, index: moov, by: size - (moov.end - moov.at)}
	for _, b := range parts {
		data, isChanged := changed[b.at]
		if isChanged {
			_, err = w.Write(data)
		} else {
			err = m.copyBox(b, "trak")
		}
		if err != nil {
			return err
		}
	}
	if _, err := w.Write(added); err != nil {
		return err
	}
	return f.copy(w, moov.end, f.size-moov.end)
}

// mover copies the index of a file in which the data after it moves.
type mover struct {
	*source
	w     io.Writer
	index box // what is after it moves
	by    int64
}

// within has the box in which the offsets of a track are, for each box that it is in.
var within = map[string]string{"trak": "mdia", "mdia": "minf", "minf": "stbl"}

// copyBox copies a box. One of the kind that leads to offsets is copied in parts.
func (m *mover) copyBox(b box, leads string) error {
	switch {
	case slices.Contains(unmoved, b.kind):
		return ErrFormat
	case leads == "" && b.kind == "stco":
		return m.copyOffsets(b, 4)
	case leads == "" && b.kind == "co64":
		return m.copyOffsets(b, 8)
	case leads == "" || b.kind != leads:
		return m.copy(m.w, b.at, b.end-b.at)
	}
	if err := m.copy(m.w, b.at, b.from-b.at); err != nil {
		return err
	}
	at := b.from
	err := m.boxes(b.from, b.end, func(part box) error {
		at = part.end
		return m.copyBox(part, within[b.kind])
	})
	if err != nil {
		return err
	}
	return m.copy(m.w, at, b.end-at)
}

// copyOffsets copies a table of the offsets of chunks. Width is how many bytes each takes.
func (m *mover) copyOffsets(b box, width int64) error {
	head, err := m.bytes(b.from, 8)
	if err != nil {
		return err
	}
	count := int64(binary.BigEndian.Uint32(head[4:]))
	if count > (b.end-b.from-8)/width {
		return ErrFormat
	}
	at, end := b.from+8, b.from+8+count*width
	if err := m.copy(m.w, b.at, at-b.at); err != nil {
		return err
	}
	for at < end {
		some, err := m.bytes(at, min(end-at, 1<<13*width))
		if err != nil {
			return err
		}
		for entry := range slices.Chunk(some, int(width)) {
			if err := m.move(entry); err != nil {
				return err
			}
		}
		if _, err := m.w.Write(some); err != nil {
			return err
		}
		at += int64(len(some))
	}
	return m.copy(m.w, end, b.end-end)
}

// move changes an offset to where its data will be. Data in the index is that of a damaged file.
func (m *mover) move(entry []byte) error {
	isWide := len(entry) == 8
	at := uint64(binary.BigEndian.Uint32(entry))
	if isWide {
		at = binary.BigEndian.Uint64(entry)
	}
	switch {
	case at < uint64(m.index.at):
		return nil
	case at < uint64(m.index.end):
		return ErrFormat
	}
	at += uint64(m.by)
	switch {
	case isWide:
		binary.BigEndian.PutUint64(entry, at)
	case at > math.MaxUint32:
		return ErrTooLarge
	default:
		binary.BigEndian.PutUint32(entry, uint32(at))
	}
	return nil
}
