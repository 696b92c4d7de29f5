package mediameta

import (
	"encoding/binary"
	"io"

	"github.com/atelier-project/atelier/internal/wire"
)

const (
	markerScan    = 0xda
	markerEXIF    = 0xe1
	markerComment = 0xfe

	exifHead   = "Exif\x00\x00"
	maxSegment = 1<<16 - 3 // bytes of a segment besides its length
)

// jpegSegments calls a function for each segment before the pixels; at is where its marker is,
// size is that of its data. It returns where the pixels begin.
func (f *source) jpegSegments(do func(marker byte, at, size int64) error) (int64, error) {
	at := int64(2)
	for range maxParts {
		head, err := f.bytes(at, 4)
		if err != nil {
			return 0, err
		}
		size := int64(binary.BigEndian.Uint16(head[2:])) - 2
		switch {
		case head[0] != 0xff:
			return 0, ErrFormat
		case head[1] == 0xff:
			at++ // padding
			continue
		case head[1] == markerScan:
			return at, nil
		case size < 0 || size > f.size-at-4:
			return 0, ErrFormat
		}
		if err := do(head[1], at, size); err != nil {
			return 0, err
		}
		at += 4 + size
	}
	return 0, ErrFormat
}

// comment is a comment of a JPEG that has settings.
type comment struct {
	Settings wire.Raw `json:"atelier"`
}

const commentHead = `{"atelier":`

func readJPEG(f *source) (map[string]string, error) {
	found := map[string]string{}
	_, err := f.jpegSegments(func(marker byte, at, size int64) error {
		isEXIF := marker == markerEXIF && f.startsWith(at+4, size, exifHead)
		if !isEXIF && marker != markerComment {
			return nil
		}
		data, err := f.text(at+4, size)
		var c comment
		switch {
		case err != nil || data == nil:
		case isEXIF:
			readEXIF(data[len(exifHead):], found)
		case f.startsWith(at+4, size, commentHead) && wire.UnmarshalLenient(data, &c) == nil:
			found[keyDocument] = string(c.Settings)
		case found[keyParameters] == "":
			found[keyParameters] = string(data) // some programs write them as a comment
		}
		return err
	})
	return found, err
}

func writeJPEG(f *source, w io.Writer, t *texts) error {
	hasEXIF := false
	isOld := func(marker byte, at, size int64) bool {
		return marker == markerComment && f.startsWith(at+4, size, commentHead) || marker == markerEXIF && f.startsWith(at+4, size, exifHead+ourEXIF)
	}
	pixels, err := f.jpegSegments(func(marker byte, at, size int64) error {
		hasEXIF = hasEXIF || marker == markerEXIF && f.startsWith(at+4, size, exifHead) && !isOld(marker, at, size)
		return nil
	})
	if err != nil {
		return err
	}
	if err := f.copy(w, 0, 2); err != nil {
		return err
	}
	isFirst, settings := true, []byte(nil)
	if t != nil {
		if settings, err = t.segments(!hasEXIF); err != nil {
			return err
		}
	}
	add := func() error {
		_, err := w.Write(settings)
		settings = nil
		return err
	}
	_, err = f.jpegSegments(func(marker byte, at, size int64) error {
		if isFirst && marker != 0xe0 { // the first segment is that of JFIF
			if err := add(); err != nil {
				return err
			}
		}
		isFirst = false
		if isOld(marker, at, size) {
			return nil
		}
		if err := f.copy(w, at, 4+size); err != nil || settings == nil {
			return err
		}
		return add()
	})
	if err != nil {
		return err
	}
	return f.copy(w, pixels, f.size-pixels)
}

// segments are the settings as segments of a JPEG.
func (t *texts) segments(withEXIF bool) (out []byte, err error) {
	if len(t.document)+len(commentHead)+1 > maxSegment {
		return nil, ErrTooLarge
	}
	if withEXIF {
		if data := exifHead + string(makeEXIF(t.parameters)); len(data) <= maxSegment {
			out = appendSegment(out, markerEXIF, data)
		}
	}
	return appendSegment(out, markerComment, commentHead+t.document+"}"), nil
}

func appendSegment(out []byte, marker byte, data string) []byte {
	out = binary.BigEndian.AppendUint16(append(out, 0xff, marker), uint16(len(data)+2))
	return append(out, data...)
}
