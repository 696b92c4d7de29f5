package worktest

import (
	"encoding/binary"
	"math"
)

// WebM is a clip with no frames of a size and a length in seconds.
func WebM(width, height uint16, seconds float64) []byte {
	number := func(v uint16) []byte { return binary.BigEndian.AppendUint16(nil, v) }
	info := element("\x15\x49\xa9\x66", element("\x2a\xd7\xb1", []byte{0x0f, 0x42, 0x40}), // milliseconds
		element("\x44\x89", binary.BigEndian.AppendUint64(nil, math.Float64bits(1000*seconds))))
	sound := element("\xae", element("\xd7", []byte{1}), element("\x83", []byte{2}))
	video := element("\xae", element("\xd7", []byte{2}), element("\x83", []byte{1}), element("\x86", []byte("V_VP9")),
		element("\xe0", element("\xb0", number(width)), element("\xba", number(height)), element("\x54\xb0", number(4)), element("\x54\xba", number(3))))
	head := element("\x1a\x45\xdf\xa3", element("\x42\x82", []byte("webm")))
	return append(head, element("\x18\x53\x80\x67", element("\xec", make([]byte, 40)), info, element("\x16\x54\xae\x6b", sound, video),
		element("\x1f\x43\xb6\x75", element("\xe7", []byte{0})))...)
}

// element is an element of EBML.
func element(id string, parts ...[]byte) []byte {
	var content []byte
	for _, p := range parts {
		content = append(content, p...)
	}
	if len(content) < 0x7f && id != "\x18\x53\x80\x67" {
		return append(append([]byte(id), 0x80|byte(len(content))), content...)
	}
	return append(binary.BigEndian.AppendUint64([]byte(id), 1<<56|uint64(len(content))), content...)
}
