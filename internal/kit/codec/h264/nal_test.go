package h264

import (
	"bytes"
	"testing"
)

// The end of a slice is found once, when its payload is cut out: whoever asks
// for more macroblocks looks at the last byte and no further.
func TestPayloadEndsWithItsLastBit(t *testing.T) {
	t.Parallel()
	content := []byte{0x12, 0, 0, 3, 1, 0x80}
	for name, tail := range map[string][]byte{
		"nothing": nil, "zeros": make([]byte, 1000), "escaped zeros": bytes.Repeat([]byte{0, 0, 3}, 1000), "both": append(bytes.Repeat([]byte{0, 0, 3}, 9), 0, 0, 0),
	} {
		if got := payload(append(append([]byte(nil), content...), tail...)); !bytes.Equal(got, []byte{0x12, 0, 0, 1, 0x80}) {
			t.Errorf("%s behind it: %d bytes", name, len(got))
		}
	}
	if got := payload(make([]byte, 100)); len(got) != 0 {
		t.Errorf("nothing but zeros: %d bytes", len(got))
	}
}
