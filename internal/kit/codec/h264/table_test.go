package h264

import "testing"

// A complete prefix code has a Kraft sum of one, and an incomplete one below
// it; a slip of the pen in a table nearly always breaks this.
func TestTablesArePrefixCodes(t *testing.T) {
	t.Parallel()
	check := func(name string, codes []code) {
		sum := 0
		for i, a := range codes {
			if a.len == 0 {
				continue
			}
			sum += 1 << (16 - a.len)
			for j, b := range codes {
				if i != j && b.len >= a.len && b.bits>>(b.len-a.len) == a.bits {
					t.Errorf("%s: code %d begins code %d", name, i, j)
				}
			}
		}
		if sum > 1<<16 {
			t.Errorf("%s: Kraft sum %d/65536", name, sum)
		}
		t.Logf("%s: %d unused of 65536", name, 1<<16-sum)
	}
	for _, c := range coeffToken {
		check("coeff_token", c)
	}
	for _, c := range totalZeros {
		check("total_zeros", c)
	}
	for _, c := range totalZerosDC {
		check("total_zeros DC", c)
	}
	for _, c := range runBefore {
		check("run_before", c)
	}
}
