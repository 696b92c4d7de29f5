package probe

import (
	"encoding/binary"
	"io"
	"math"
)

// Elements of Matroska (RFC 9559), of which WebM is a part.
const (
	ebmlSegment  = 0x18538067
	ebmlInfo     = 0x1549a966
	ebmlScale    = 0x2ad7b1 // nanoseconds in a unit of the duration
	ebmlDuration = 0x4489
	ebmlTracks   = 0x1654ae6b
	ebmlTrack    = 0xae
	ebmlVideo    = 0xe0
	ebmlWidth    = 0xb0 // in pixels, as height
	ebmlHeight   = 0xba
	ebmlCluster  = 0x1f43b675 // of frames
)

// maxElements bounds how many elements of a file are read. A clip has a few dozen before its
// first frames.
const maxElements = 2000

// webm reads the extent of a WebM or Matroska file from the elements before its first frames.
// The size is that of the pictures that a renderer decodes, as of other clips: not the one in
// which the file asks to be displayed, which can be any.
func webm(f io.ReaderAt, size int64) (x Extent, err error) {
	m := ebmlReader{f: f, left: maxElements}
	hasTracks := false
	scale, duration := 1e6, 0.0
	err = m.each(0, size, func(e ebmlElement) (bool, error) {
		if e.id != ebmlSegment {
			return true, nil
		}
		return false, m.each(e.from, e.to, func(e ebmlElement) (bool, error) {
			switch e.id {
			case ebmlCluster:
				return false, nil
			case ebmlInfo:
				return true, m.each(e.from, e.to, func(e ebmlElement) (_ bool, err error) {
					switch e.id {
					case ebmlScale:
						scale, err = m.number(e)
					case ebmlDuration:
						duration, err = m.float(e)
					}
					return true, err
				})
			case ebmlTracks:
				hasTracks = true
				return true, m.tracks(e, &x)
			}
			return true, nil
		})
	})
	if seconds := duration * scale / 1e9; seconds > 0 { // not so for NaN
		x.Seconds = min(seconds, 1e9)
	}
	if err == nil && !hasTracks {
		err = ErrUnreadable
	}
	return x, err
}

// tracks reads the tracks of a file. The first video decides the size.
func (m *ebmlReader) tracks(tracks ebmlElement, x *Extent) error {
	return m.each(tracks.from, tracks.to, func(track ebmlElement) (bool, error) {
		if track.id != ebmlTrack || x.Width > 0 {
			return true, nil
		}
		return true, m.each(track.from, track.to, func(e ebmlElement) (bool, error) {
			if e.id != ebmlVideo {
				return true, nil
			}
			var width, height float64
			err := m.each(e.from, e.to, func(e ebmlElement) (_ bool, err error) {
				switch e.id {
				case ebmlWidth:
					width, err = m.number(e)
				case ebmlHeight:
					height, err = m.number(e)
				}
				return true, err
			})
			if width > 0 && height > 0 && max(width, height) <= math.MaxUint16 {
				x.Width, x.Height = int(width), int(height)
			}
			return false, err
		})
	})
}

// ebmlElement is an element, whose content lies between two offsets.
type ebmlElement struct {
	id       uint32
	from, to int64
}

// ebmlReader reads the elements of an EBML file (RFC 8794).
type ebmlReader struct {
	f    io.ReaderAt
	left int // elements that may be read
}

// each visits the elements between two offsets, until visit reports false.
func (m *ebmlReader) each(from, to int64, visit func(ebmlElement) (bool, error)) error {
	for from < to {
		if m.left--; m.left < 0 {
			return ErrUnreadable
		}
		id, n, err := m.variable(from, to, 4)
		if err != nil {
			return err
		}
		from += n
		length, n, err := m.variable(from, to, 8)
		if err != nil {
			return err
		}
		from += n
		end := to // of an unknown length, all ones, and of one that is cut off
		if isKnown := length&^(1<<(7*n)) != 1<<(7*n)-1; isKnown {
			end = from + int64(min(length&^(1<<(7*n)), uint64(to-from)))
		}
		more, err := visit(ebmlElement{uint32(id), from, end})
		if err != nil || !more {
			return err
		}
		from = end
	}
	return nil
}

// variable reads a number of variable length, with the bit that marks its length, and returns
// that length.
func (m *ebmlReader) variable(at, to int64, most int) (v uint64, n int64, err error) {
	first, err := readBytes(m.f, at, 1)
	if err != nil {
		return 0, 0, err
	}
	n = 1
	for mask := byte(0x80); first[0]&mask == 0; mask >>= 1 {
		if n++; n > int64(most) {
			return 0, 0, ErrUnreadable
		}
	}
	if n > to-at {
		return 0, 0, ErrUnreadable
	}
	b, err := readBytes(m.f, at, int(n))
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v, n, err
}

// number reads an unsigned integer.
func (m *ebmlReader) number(e ebmlElement) (float64, error) {
	b, err := m.content(e)
	var v uint64
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return float64(v), err
}

// float reads a number with a point.
func (m *ebmlReader) float(e ebmlElement) (float64, error) {
	b, err := m.content(e)
	switch {
	case err != nil:
		return 0, err
	case len(b) == 4:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b))), nil
	case len(b) == 8:
		return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
	}
	return 0, nil
}

// content reads an element of up to eight bytes.
func (m *ebmlReader) content(e ebmlElement) ([]byte, error) {
	if e.to-e.from > 8 {
		return nil, ErrUnreadable
	}
	return readBytes(m.f, e.from, int(e.to-e.from))
}
