package node

import "testing"

// A machine with little memory has few slots, and each has enough memory for an
// ordinary upload.
func TestLaneSizes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		cores  int
		memory int64 // that renderers may have, in MB
		want   laneSize
	}{
		{1, 384, laneSize{2, 2, 1, 1, 512 << 20, 256 << 20}},
		{2, 768, laneSize{3, 2, 1, 1, 576 << 20, 256 << 20}},
		{2, 1536, laneSize{4, 2, 2, 1, 1152 << 20, 384 << 20}},
		{2, 3072, laneSize{4, 2, 2, 2, 2304 << 20, 768 << 20}},
		{16, 98304, laneSize{8, 4, 4, 2, 73728 << 20, 24576 << 20}},
	} {
		if got := laneSizes(tc.cores, tc.memory<<20); got != tc.want {
			t.Errorf("%d cores and %d MB: got %+v, want %+v", tc.cores, tc.memory, got, tc.want)
		}
	}
}
