package h264

import "sync"

// entry is what a peek of fixed width finds: a value and how many of the bits
// belong to it, none when no code begins so.
type entry struct{ value, len uint8 }

type lookups struct {
	token   [5][]entry
	zeros   [15][1 << 9]entry
	zerosDC [3][1 << 9]entry
	run     [7][1 << 11]entry
}

// decodeTables holds the codes by their bits, for reading. They take half a
// megabyte, so only a process that decodes builds them.
var decodeTables = sync.OnceValue(func() *lookups {
	t := &lookups{}
	for i, codes := range coeffToken {
		t.token[i] = make([]entry, 1<<16)
		fillLookup(t.token[i], 16, codes)
	}
	for i, codes := range totalZeros {
		fillLookup(t.zeros[i][:], 9, codes)
	}
	for i, codes := range totalZerosDC {
		fillLookup(t.zerosDC[i][:], 9, codes)
	}
	for i, codes := range runBefore {
		fillLookup(t.run[i][:], 11, codes)
	}
	return t
})

func fillLookup(dst []entry, width uint8, codes []code) {
	for v, c := range codes {
		if c.len == 0 {
			continue
		}
		from := int(c.bits) << (width - c.len)
		for i := range 1 << (width - c.len) {
			dst[from+i] = entry{uint8(v), c.len}
		}
	}
}
