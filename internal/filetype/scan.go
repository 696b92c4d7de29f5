package filetype

import (
	"bytes"
	"errors"
	"io"
)

// MaxScans is how many scans of a JPEG are decoded. Encoders make one, and up to about
// fourteen for a progressive picture. Each covers the whole picture and can take as little
// as fifty bytes, so without a limit a few kilobytes keep a decoder busy for minutes.
const MaxScans = 32

// ErrScans means that a JPEG has more scans than are decoded.
var ErrScans = errors.New("the picture has too many scans")

// Markers of a JPEG (ITU-T T.81, table B.1).
const (
	markerRestart0 = 0xd0
	markerRestart7 = 0xd7
	markerStart    = 0xd8
	markerEnd      = 0xd9
	markerScan     = 0xda
)

// LimitScans passes the bytes of a picture to a decoder, and fails when they are a JPEG
// with more than MaxScans scans. Other pictures pass unchanged.
func LimitScans(r io.Reader) io.Reader { return &scanLimit{r: r} }

// scanLimit finds the markers of a JPEG as image/jpeg does, in the bytes that pass.
type scanLimit struct {
	r      io.Reader
	seen   int // bytes seen while it is unknown whether this is a JPEG
	state  scanState
	marker byte
	length int // of a segment while it is read, then what is left of it
	scans  int
}

type scanState int

const (
	scanStart   scanState = iota // at the first two bytes
	scanData                     // pixels, or bytes between segments
	scanMarker                   // behind 0xff
	scanLength1                  // at the length of a segment
	scanLength2
	scanSegment // within one
	scanOver    // after the end, or no JPEG at all
)

// Read implements io.Reader. The bytes before the first scan too many are passed on, so
// that image.Decode recognizes the format.
func (s *scanLimit) Read(p []byte) (int, error) {
	if s.scans > MaxScans {
		return 0, ErrScans
	}
	n, err := s.r.Read(p)
	if passed := s.scan(p[:n]); s.scans > MaxScans {
		return passed, ErrScans
	}
	return n, err
}

// scan returns how many bytes come before a scan too many.
func (s *scanLimit) scan(b []byte) int {
	for at := 0; at < len(b); {
		switch s.state {
		case scanOver:
			return len(b)
		case scanData:
			i := bytes.IndexByte(b[at:], 0xff)
			if i < 0 {
				return len(b)
			}
			at, s.state = at+i+1, scanMarker
		case scanSegment:
			n := min(s.length, len(b)-at)
			if at, s.length = at+n, s.length-n; s.length == 0 {
				s.state = scanData
			}
		default:
			if s.step(b[at]); s.scans > MaxScans {
				return at
			}
			at++
		}
	}
	return len(b)
}

// step reads one byte of a header.
func (s *scanLimit) step(c byte) {
	switch s.state {
	case scanStart:
		s.seen++
		switch {
		case c != [...]byte{0xff, markerStart}[s.seen-1]:
			s.state = scanOver
		case s.seen == 2:
			s.state = scanData
		}
	case scanMarker:
		switch {
		case c == 0xff: // a filler
		case c == 0 || c >= markerRestart0 && c <= markerRestart7:
			s.state = scanData
		case c == markerEnd:
			s.state = scanOver
		default:
			s.marker, s.state = c, scanLength1
		}
	case scanLength1:
		s.length, s.state = int(c)<<8, scanLength2
	case scanLength2:
		s.length = max(s.length|int(c), 2) - 2
		if s.state = scanSegment; s.length == 0 {
			s.state = scanData
		}
		if s.marker == markerScan {
			s.scans++
		}
	}
}
