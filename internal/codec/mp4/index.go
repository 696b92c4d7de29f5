package mp4

import (
	"encoding/binary"
	"fmt"
	"sort"
)

// parseMovie reads moov of a file of that size.
func (i *Info) parseMovie(buf []byte, size int64) error {
	return walk(buf, func(name string, body []byte) error {
		switch name {
		case "trak":
			if len(i.Tracks) == maxTracks {
				return fmt.Errorf("mp4: %w: more than %d tracks", ErrFormat, maxTracks)
			}
			t := Track{samples: samples{file: size}}
			if err := t.parse(body, 0); err != nil {
				return err
			}
			t.samples.finish()
			if err := t.checkBytes(); err != nil {
				return err
			}
			i.Tracks = append(i.Tracks, t)
		case "mvex":
			i.Fragmented = true
		case "udta":
			i.parseTags(body, 0)
		}
		return nil
	})
}

// parse walks into the boxes of a track that hold others.
func (t *Track) parse(buf []byte, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("mp4: %w: boxes in boxes without end", ErrFormat)
	}
	return walk(buf, func(name string, body []byte) error {
		switch name {
		case "mdia", "minf", "stbl", "edts":
			return t.parse(body, depth+1)
		case "tkhd", "mdhd", "hdlr", "stsd":
			return t.parseExtent(name, body)
		case "elst":
			if be32(body, 4) == 1 && len(body) >= 20 && body[0] == 0 {
				t.Skip = int64(int32(be32(body, 12)))
			}
		case "stts", "stss", "stsc", "stsz", "stco", "co64":
			t.samples.set(name, body)
		}
		return nil
	})
}

// parseExtent reads one of the boxes that say what the track is, how large and how long.
func (t *Track) parseExtent(name string, body []byte) error {
	switch name {
	case "tkhd":
		t.parseHeader(body)
	case "mdhd":
		if len(body) >= 32 && body[0] == 1 {
			t.Timescale, t.Duration = be32(body, 20), be64(body, 24)
		} else {
			t.Timescale, t.Duration = be32(body, 12), uint64(be32(body, 16))
		}
	case "hdlr":
		// QuickTime has a second one, for where the data lies.
		if len(body) >= 12 && t.Kind == "" {
			t.Kind = string(body[8:12])
		}
	case "stsd":
		return t.parseEntry(body)
	}
	return nil
}

func (t *Track) parseHeader(body []byte) {
	at := 12
	if len(body) > 0 && body[0] == 1 {
		at = 20
	}
	t.ID = be32(body, at)
	if n := len(body); n >= 84 {
		t.Width, t.Height = int(be32(body, n-8)>>16), int(be32(body, n-4)>>16)
		t.Turned = be32(body, n-44) == 0 && be32(body, n-28) == 0 && be32(body, n-40) != 0
	}
}

// parseEntry reads the first sample entry.
func (t *Track) parseEntry(body []byte) error {
	if len(body) < 16 {
		return nil
	}
	first := true
	return walk(body[8:], func(name string, entry []byte) error {
		if !first {
			return nil
		}
		first = false
		t.Codec = name
		from := 0
		switch {
		case t.Kind == "vide" && len(entry) >= 78:
			t.Width, t.Height = int(be16(entry, 24)), int(be16(entry, 26))
			from = 78
		case t.Kind == "soun" && len(entry) >= 28:
			t.Channels, t.Rate = int(be16(entry, 16)), int(be32(entry, 24)>>16)
			from = 28
			if be16(entry, 8) == 1 {
				from += 16
			}
		default:
			return nil
		}
		if from > len(entry) {
			return nil
		}
		// QuickTime may end the list with four zero bytes, so what does not parse
		// here is no error.
		_ = walk(entry[from:], func(name string, config []byte) error {
			if (name == "avcC" || name == "dfLa" || name == "esds") && t.Config == nil {
				t.Config = config
			}
			return nil
		})
		return nil
	})
}

// parseTags looks for what made the clip, in either form.
func (i *Info) parseTags(buf []byte, depth int) {
	_ = walk(buf, func(name string, body []byte) error {
		var value string
		switch {
		case depth > 4:
			return nil
		case name == "meta" && len(body) >= 4:
			i.parseTags(body[4:], depth+1)
		case name == "ilst":
			i.parseTags(body, depth+1)
		case len(body) > 16 && string(body[4:8]) == "data":
			value = string(body[16:])
		case len(body) > 4 && name[0] == 0xa9 && int(be16(body, 0)) == len(body)-4:
			value = string(body[4:])
		}
		switch name {
		case "\xa9too", "\xa9swr":
			i.Tool = value
		case "\xa9ART": // where ffmpeg lets it be written
			if i.Tool == "" {
				i.Tool = value
			}
		case "\xa9cmt":
			i.Comment = value
		}
		return nil
	})
}

// samples is the index of a track as the boxes hold it; numbers are looked up
// in place, so it costs little more than it takes in the file.
type samples struct {
	stts, stss, stsc, stsz, offsets []byte
	wide                            bool
	size                            uint32 // of every sample, or zero
	count                           int
	file                            int64 // bytes of the whole file

	chunks []run // of the chunk table, with running totals
	times  []span
	totals []int64 // of the table of sizes: those before every totalStep-th sample
}

// totalStep is how many sizes a lookup adds up at most.
const totalStep = 64

// run is an entry of stsc: from a chunk and a sample on, so many a chunk. It and
// span are kept small: a hostile index has millions of them.
type run struct{ chunk, sample, each int32 }

// span is an entry of stts with what came before.
type span struct {
	sample int32
	delta  uint32
	time   uint64
}

func (s *samples) set(name string, body []byte) {
	if len(body) < 8 {
		return
	}
	switch name {
	case "stts":
		s.stts = entries(body[4:], 8)
	case "stss":
		s.stss = entries(body[4:], 4)
	case "stsc":
		s.stsc = entries(body[4:], 12)
	case "stco":
		s.offsets, s.wide = entries(body[4:], 4), false
	case "co64":
		s.offsets, s.wide = entries(body[4:], 8), true
	case "stsz":
		s.stsz = nil
		if s.size = be32(body, 4); s.size != 0 {
			s.count = int(min(be32(body, 8), maxSamples))
			return
		}
		s.stsz = entries(body[8:], 4)
		s.count = len(s.stsz) / 4
	}
}

// entries cuts a table to the number of entries that it says, or has.
func entries(body []byte, size int) []byte {
	if len(body) < 4 {
		return nil
	}
	n := min(uint64(be32(body, 0)), uint64(len(body)-4)/uint64(size))
	return body[4 : 4+int(n)*size]
}

// finish sums up the tables once, and cuts the count to what they can place.
func (s *samples) finish() {
	total := s.chunkCount()
	sample := int64(0)
	s.chunks = make([]run, 0, len(s.stsc)/12)
	for k := 0; k+12 <= len(s.stsc); k += 12 {
		first, each := int(be32(s.stsc, k))-1, int(be32(s.stsc, k+4))
		end := total
		if k+24 <= len(s.stsc) {
			end = int(be32(s.stsc, k+12)) - 1
		}
		if first < 0 || end > total || end <= first || each < 0 || each > 1<<30 {
			break
		}
		s.chunks = append(s.chunks, run{int32(first), int32(sample), int32(each)})
		if sample += int64(end-first) * int64(each); sample > maxSamples {
			break
		}
	}
	s.count = int(min(int64(s.count), sample, maxSamples))
	at, time := int64(0), uint64(0)
	s.times = make([]span, 0, min(len(s.stts)/8, s.count))
	for k := 0; k+8 <= len(s.stts) && at < int64(s.count); k += 8 {
		n, delta := be32(s.stts, k), be32(s.stts, k+4)
		if n == 0 {
			continue
		}
		s.times = append(s.times, span{int32(at), delta, time})
		at += int64(n)
		time += uint64(n) * uint64(delta)
	}
	s.stsc, s.stts = nil, nil
	if s.size == 0 {
		sum := int64(0)
		s.totals = make([]int64, 0, s.count/totalStep+1)
		for n := range s.count + 1 {
			if n%totalStep == 0 {
				s.totals = append(s.totals, sum)
			}
			sum += int64(be32(s.stsz, 4*n))
		}
	}
}

// checkBytes refuses pictures and sound whose samples overlap: each byte of a
// file belongs to one sample, so reading all of them costs no more than reading
// the file. Samples behind the end of the file are those of a file that was cut
// off; reading them fails. The old codecs of QuickTime, which are not read
// here, count frames of sound and say that each has one byte.
func (t *Track) checkBytes() error {
	s := &t.samples
	if t.Kind != "vide" && (t.Kind != "soun" || s.size == 1) {
		return nil
	}
	used := int64(0)
	for n := 0; n < s.count; {
		c, _, end := s.chunkOf(n)
		if c < 0 {
			return nil // no sample from here on can be read
		}
		end = min(end, s.count)
		if at := s.chunkOffset(c); at >= 0 && at < s.file {
			used += min(s.bytesBetween(n, end), s.file-at)
		}
		if used > s.file {
			return fmt.Errorf("mp4: %w: %w", ErrFormat, ErrOverlap)
		}
		n = end
	}
	return nil
}

func (s *samples) chunkCount() int {
	if s.wide {
		return len(s.offsets) / 8
	}
	return len(s.offsets) / 4
}

func (s *samples) chunkOffset(c int) int64 {
	if s.wide {
		return int64(be64(s.offsets, 8*c))
	}
	return int64(be32(s.offsets, 4*c))
}

// chunkOf returns the chunk that sample n lies in, the first sample of that chunk
// and the first behind it. The chunk is -1 where the index has only empty ones.
func (s *samples) chunkOf(n int) (chunk, start, end int) {
	r := s.chunks[sort.Search(len(s.chunks), func(i int) bool { return int(s.chunks[i].sample) > n })-1]
	first, each := int(r.sample), int(r.each)
	if each == 0 {
		return -1, n, n
	}
	k := (n - first) / each
	start = first + k*each
	return int(r.chunk) + k, start, start + each
}

// bytesBetween returns the size of the samples from one to before another.
func (s *samples) bytesBetween(from, to int) (sum int64) {
	if s.size != 0 {
		return int64(to-from) * int64(s.size)
	}
	if a, b := (from+totalStep-1)/totalStep, to/totalStep; a < b {
		sum = s.totals[b] - s.totals[a] + s.bytesBetween(from, a*totalStep)
		from = b * totalStep
	}
	for n := from; n < to; n++ {
		sum += int64(be32(s.stsz, 4*n))
	}
	return sum
}

// Sample is where one sample lies and when it is shown, in the timescale.
type Sample struct {
	Offset   int64
	Size     int
	Time     uint64
	Duration uint32
	Key      bool
}

// Len returns how many samples the track has.
func (t *Track) Len() int { return t.samples.count }

// Sample looks up sample n, from zero.
func (t *Track) Sample(n int) (Sample, error) {
	s := &t.samples
	offset, _, err := s.place(n)
	if err != nil {
		return Sample{}, err
	}
	out := Sample{Offset: offset, Size: int(s.bytesBetween(n, n+1))}
	if k := sort.Search(len(s.times), func(i int) bool { return int(s.times[i].sample) > n }) - 1; k >= 0 {
		p := s.times[k]
		out.Time, out.Duration = p.time+uint64(n-int(p.sample))*uint64(p.delta), p.delta
	}
	keys := len(s.stss) / 4
	k := sort.Search(keys, func(i int) bool { return be32(s.stss, 4*i) >= uint32(n+1) })
	out.Key = s.stss == nil || k < keys && be32(s.stss, 4*k) == uint32(n+1)
	return out, nil
}

// place returns where sample n begins, and the first sample behind its chunk.
func (s *samples) place(n int) (offset int64, end int, err error) {
	if n < 0 || n >= s.count {
		return 0, 0, fmt.Errorf("mp4: %w: there is no sample %d", ErrFormat, n)
	}
	c, start, end := s.chunkOf(n)
	if c < 0 {
		return 0, 0, fmt.Errorf("mp4: %w: empty chunks", ErrFormat)
	}
	offset = s.chunkOffset(c) + s.bytesBetween(start, n)
	if offset < 0 {
		return 0, 0, fmt.Errorf("mp4: %w: an offset out of range", ErrFormat)
	}
	return offset, min(end, s.count), nil
}

func be16(b []byte, at int) uint16 {
	if at+2 > len(b) {
		return 0
	}
	return binary.BigEndian.Uint16(b[at:])
}

func be32(b []byte, at int) uint32 {
	if at+4 > len(b) {
		return 0
	}
	return binary.BigEndian.Uint32(b[at:])
}

func be64(b []byte, at int) uint64 {
	if at+8 > len(b) {
		return 0
	}
	return binary.BigEndian.Uint64(b[at:])
}
