package mp4

import (
	"encoding/binary"
	"testing"
)

// A sample is found by the totals and some sizes near it, not by all sizes
// before it in its chunk: those are spoilt here, and nobody notices.
func TestLookupReadsFewSizes(t *testing.T) {
	t.Parallel()
	const n = 10_000
	s := samples{file: 1 << 30, offsets: make([]byte, 4), stsc: make([]byte, 12), stsz: make([]byte, 4*n), count: n}
	binary.BigEndian.PutUint32(s.stsc, 1)
	binary.BigEndian.PutUint32(s.stsc[4:], n)
	for i := range n {
		binary.BigEndian.PutUint32(s.stsz[4*i:], uint32(i%100))
	}
	s.finish()
	track := Track{samples: s}
	var want []int64
	for i := range n {
		found, err := track.Sample(i)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, found.Offset)
	}
	if last := want[n-1]; last != (n/100)*4950-99 {
		t.Fatalf("the last sample lies at %d", last)
	}
	for i := totalStep; i < n; i++ {
		binary.BigEndian.PutUint32(s.stsz[4*(i-totalStep):], 1<<20)
		if found, err := track.Sample(i); err != nil || found.Offset != want[i] {
			t.Fatalf("sample %d lies at %d, %v; want %d", i, found.Offset, err, want[i])
		}
	}
}
