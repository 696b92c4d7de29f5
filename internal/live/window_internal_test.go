package live

import (
	"fmt"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/store"
)

// rows are n rows, the last of which has changed at a time in seconds, each a second
// after the one before. They come latest first.
func rows(n, last int) (out []store.Version) {
	for i := range n {
		out = append(out, store.Version{ID: fmt.Sprint(last - i), UpdatedAt: time.Unix(int64(last-i), 0)})
	}
	return out
}

func ids(rows []store.Version) (out []string) {
	for _, r := range rows {
		out = append(out, r.ID)
	}
	return out
}

func TestWindow(t *testing.T) {
	t.Parallel()
	var w window
	check := func(what string, now []store.Version, want []string, wantGap bool) {
		t.Helper()
		changed, gap := w.compare(now)
		if fmt.Sprint(ids(changed)) != fmt.Sprint(want) || gap != wantGap {
			t.Errorf("%s: got %v, gap %v, want %v, %v", what, ids(changed), gap, want, wantGap)
		}
	}
	check("the first time", rows(3, 10), nil, false)
	check("nothing new", rows(3, 10), nil, false)
	check("two new ones, the oldest first", rows(5, 12), []string{"11", "12"}, false)
	again := rows(5, 12)
	again[4].UpdatedAt = time.Unix(13, 0)
	check("one that was known", append(again[4:], again[:4]...), []string{"8"}, false)

	w = window{}
	check("a full window", rows(remembered, 1000), nil, false)
	check("one of them was deleted, and an older one is in its place", append(rows(remembered+1, 1000)[:5], rows(remembered+1, 1000)[6:]...), nil, false)
	check("all but one", rows(remembered, 1000+remembered-1), ids(reversed(rows(remembered-1, 1000+remembered-1))), false)
	check("all", rows(remembered, 5000), ids(reversed(rows(remembered, 5000))), true)
	check("nothing since", rows(remembered, 5000), nil, false)
}

func reversed(rows []store.Version) (out []store.Version) {
	for i := range rows {
		out = append(out, rows[len(rows)-1-i])
	}
	return out
}
