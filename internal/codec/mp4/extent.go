package mp4

import (
	"fmt"
	"io"
)

// Extent is how large a clip is shown and how many seconds it lasts. A file without
// video has no width and height.
type Extent struct {
	Width, Height int
	Seconds       float64
}

// maxExtentBox limits a box that ProbeExtent reads. One that is longer is left out.
const maxExtentBox = 64 << 10

// ProbeExtent reads the extent of a file of size bytes. Unlike Probe it reads nothing
// about single samples, and takes little memory however long the index is.
func ProbeExtent(r io.ReaderAt, size int64) (Extent, error) {
	s := extentScan{r: r, size: size}
	if err := s.scan(0, size, nil, 0); err != nil {
		return Extent{}, err
	}
	if s.tracks == 0 {
		return Extent{}, fmt.Errorf("mp4: %w: there is no index of a track", ErrFormat)
	}
	return s.extent, nil
}

// extentScan is a walk through the boxes of a file.
type extentScan struct {
	r      io.ReaderAt
	size   int64
	boxes  int
	tracks int
	extent Extent
}

// scan walks the boxes between two offsets. t is the track that they are in, or nil.
func (s *extentScan) scan(from, to int64, t *Track, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("mp4: %w: boxes in boxes without end", ErrFormat)
	}
	for from < to && (depth > 0 || s.tracks == 0) { // a clip in fragments has many boxes after its index
		if s.boxes++; s.boxes > maxBoxes {
			return fmt.Errorf("mp4: %w: more than %d boxes", ErrFormat, maxBoxes)
		}
		name, head, length, err := boxHeader(s.r, from)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if length == 0 || length > to-from { // it goes on to the end
			length = to - from
		}
		if err := s.visit(name, from+head, from+length, t, depth); err != nil {
			return err
		}
		from += length
	}
	return nil
}

// visit reads one box, whose content lies between two offsets.
func (s *extentScan) visit(name string, from, to int64, t *Track, depth int) error {
	switch {
	case name == "moov" && t == nil && depth == 0:
		return s.scan(from, to, nil, depth+1)
	case name == "trak" && t == nil && depth == 1:
		t = &Track{}
		if err := s.scan(from, to, t, depth+1); err != nil {
			return err
		}
		s.add(t)
		return nil
	case t == nil || to < from:
		return nil
	}
	switch name {
	case "mdia", "minf", "stbl":
		return s.scan(from, to, t, depth+1)
	case "tkhd", "mdhd", "hdlr", "stsd":
		if to-from > maxExtentBox {
			return nil
		}
		body, err := readBytes(s.r, s.size, from, to-from, nil)
		if err != nil {
			return err
		}
		return t.parseExtent(name, body)
	}
	return nil
}

// add counts a track in: the first video decides the size, the longest track the length.
func (s *extentScan) add(t *Track) {
	s.tracks++
	s.extent.Seconds = max(s.extent.Seconds, min(t.seconds(), 1e9))
	if t.Kind != "vide" || s.extent.Width > 0 {
		return
	}
	s.extent.Width, s.extent.Height = t.Width, t.Height
	if t.Turned {
		s.extent.Width, s.extent.Height = t.Height, t.Width
	}
}
