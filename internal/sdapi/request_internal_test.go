package sdapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Of fields that have no meaning, an answer names the first ones, and not all of a long name: it repeats them for every
// picture.
func TestIgnoredIsBounded(t *testing.T) {
	t.Parallel()
	if got := bounded([]string{"tiling", "eta"}); !slices.Equal(got, []string{"eta", "tiling"}) {
		t.Errorf("got %q", got)
	}
	names := []string{strings.Repeat("a", 5<<20)}
	for i := range 1000 {
		names = append(names, fmt.Sprintf("field%03d", i))
	}
	got := bounded(names)
	if len(got) != mostIgnored+1 || len(got[0]) != mostIgnoredName || got[mostIgnored] != "and 901 more" {
		t.Errorf("got %d names: %.200q", len(got), got)
	}
}
