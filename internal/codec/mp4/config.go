package mp4

import "fmt"

// ParameterSets returns the SPS and PPS of an avc1 track whose samples carry
// lengths of four bytes.
func (t *Track) ParameterSets() (sps, pps []byte, err error) {
	c := t.Config
	bad := fmt.Errorf("mp4: %w: its avcC is broken", ErrFormat)
	if t.Codec != "avc1" && t.Codec != "avc3" || len(c) < 7 || c[0] != 1 {
		return nil, nil, fmt.Errorf("mp4: the video is %q, not H.264 as it is read here", t.Codec)
	}
	if c[4]&3 != 3 || c[5]&31 != 1 {
		return nil, nil, fmt.Errorf("mp4: samples with short lengths or several parameter sets are not read here")
	}
	take := func() []byte {
		if len(c) < 2 {
			return nil
		}
		n := int(be16(c, 0))
		if n == 0 || n > len(c)-2 {
			return nil
		}
		p := c[2 : 2+n]
		c = c[2+n:]
		return p
	}
	c = c[6:]
	if sps = take(); sps == nil || len(c) < 1 || c[0] != 1 {
		return nil, nil, bad
	}
	c = c[1:]
	if pps = take(); pps == nil {
		return nil, nil, bad
	}
	return sps, pps, nil
}

// AudioConfig returns what Audio.Config needs to write the track again: STREAMINFO
// of FLAC, AudioSpecificConfig of AAC, nothing for what else there is.
func (t *Track) AudioConfig() []byte {
	switch {
	case t.Codec == FLAC && len(t.Config) >= 8+34:
		return t.Config[8 : 8+34]
	case t.Codec == AAC && len(t.Config) > 4:
		return specificConfig(t.Config[4:])
	}
	return nil
}

// specificConfig finds DecoderSpecificInfo in the descriptors (14496-1,
// 7.2.6), whose lengths take one to four bytes.
func specificConfig(b []byte) []byte {
	for len(b) >= 2 {
		tag, size, n := b[0], 0, 1
		for n < len(b) && n <= 4 {
			size = size<<7 | int(b[n]&0x7f)
			n++
			if b[n-1] < 0x80 {
				break
			}
		}
		b = b[n:]
		if size > len(b) {
			return nil
		}
		switch tag {
		case 3:
			if size < 3 || b[2] != 0 { // depends on another stream: not supported
				return nil
			}
			b = b[3:]
		case 4:
			if size < 13 {
				return nil
			}
			b = b[13:]
		case 5:
			return b[:size]
		default:
			b = b[size:]
		}
	}
	return nil
}
