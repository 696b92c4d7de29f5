package h264

import "bytes"

// Types of NAL units (table 7-1) that occur here.
const (
	nalSlice = 1
	nalIDR   = 5
	nalSEI   = 6
	nalSPS   = 7
	nalPPS   = 8
	nalEnd   = 12 // the last of the types that a decoder may pass over
)

// appendNAL appends the unit's header and its payload with an emulation
// prevention byte wherever two zeros would be followed by a byte below four
// (7.4.1).
func appendNAL(dst []byte, refIDC, kind byte, payload []byte) []byte {
	dst = append(dst, refIDC<<5|kind)
	zeros := 0
	for _, b := range payload {
		if zeros == 2 && b <= 3 {
			dst = append(dst, 3)
			zeros = 0
		}
		dst = append(dst, b)
		if b == 0 {
			zeros++
		} else {
			zeros = 0
		}
	}
	return dst
}

// appendSample appends one NAL unit with the four-byte length that stands
// before it in an MP4 sample (ISO 14496-15, 5.3.4.2).
func appendSample(dst []byte, refIDC, kind byte, payload []byte) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = appendNAL(dst, refIDC, kind, payload)
	n := len(dst) - at - 4
	dst[at], dst[at+1], dst[at+2], dst[at+3] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	return dst
}

// unescape removes the emulation prevention bytes of a unit without its
// header byte.
func unescape(dst, nal []byte) []byte {
	zeros := 0
	for _, b := range nal {
		if zeros >= 2 && b == 3 {
			zeros = 0
			continue
		}
		dst = append(dst, b)
		if b == 0 {
			zeros++
		} else {
			zeros = 0
		}
	}
	return dst
}

// payload returns the content of a slice's unit without its header byte: unescaped,
// and without the zero bytes that may follow its last bit (7.4.1, cabac_zero_word
// and trailing_zero_8bits).
func payload(nal []byte) []byte {
	return bytes.TrimRight(unescape(make([]byte, 0, len(nal)), nal), "\x00")
}

// cutUnit takes the first NAL unit off a sample with four-byte lengths.
func cutUnit(sample []byte) (unit, rest []byte, err error) {
	if len(sample) < 5 {
		return nil, nil, errTruncated
	}
	n := int(sample[0])<<24 | int(sample[1])<<16 | int(sample[2])<<8 | int(sample[3])
	sample = sample[4:]
	if n == 0 || n > len(sample) {
		return nil, nil, errTruncated
	}
	return sample[:n], sample[n:], nil
}
