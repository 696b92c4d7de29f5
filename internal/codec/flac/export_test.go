package flac

import "encoding/binary"

// WithCheckSum replaces the last two bytes of a FLAC frame.
func WithCheckSum(p []byte) []byte {
	p = append([]byte(nil), p...)
	binary.BigEndian.PutUint16(p[len(p)-2:], crc16(p[:len(p)-2]))
	return p
}
