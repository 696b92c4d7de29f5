package library

import (
	"image"
	"image/color"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// picture is one whose left half is red and whose right half is blue, half transparent.
func picture(w, h int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{255, 0, 0, 255}
			if x >= w/2 {
				c = color.NRGBA{0, 0, 255, 128}
			}
			p.SetNRGBA(x, y, c)
		}
	}
	return p
}

func TestReduce(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ w, h, size, wantW, wantH int }{
		{1000, 500, 320, 320, 160}, {500, 1000, 320, 160, 320}, {1000, 500, 640, 640, 320}, {3000, 3000, 320, 320, 320},
		{100, 50, 320, 100, 50}, {1, 1, 320, 1, 1}, {1, 5000, 320, 1, 320}, {5000, 1, 640, 640, 1}, {641, 640, 320, 320, 319},
	} {
		got := reduce(picture(tc.w, tc.h), tc.size)
		if got.Rect.Dx() != tc.wantW || got.Rect.Dy() != tc.wantH {
			t.Errorf("%dx%d to %d: got %v, want %dx%d", tc.w, tc.h, tc.size, got.Rect, tc.wantW, tc.wantH)
		}
		if c := colorsOf(got); len(c) != 16*6 {
			t.Errorf("%dx%d: the colours are %q", tc.w, tc.h, c)
		}
	}
	small := reduce(picture(1000, 500), 320)
	if got, want := colorsOf(small), strings.Repeat("ff0000ff00007f7fff7f7fff", 4); got != want {
		t.Errorf("got the colours %s, want %s: what is transparent is on white", got, want)
	}
	if _, err := encode(small); err != nil {
		t.Error(err)
	}
}

// A pattern finer than the pixels of the thumbnail becomes its average, and no other
// pattern.
func TestReduceDoesNotAlias(t *testing.T) {
	t.Parallel()
	p := image.NewGray(image.Rect(0, 0, 1111, 997))
	for y := range 997 {
		for x := range 1111 {
			p.SetGray(x, y, color.Gray{uint8((x + y) % 2 * 255)})
		}
	}
	small := reduce(p, 320)
	for y := 2; y < small.Rect.Dy()-2; y++ {
		for x := 2; x < small.Rect.Dx()-2; x++ {
			if c := small.RGBAAt(x, y); c.R < 120 || c.R > 136 {
				t.Fatalf("got %v at %d, %d, want grey", c, x, y)
			}
		}
	}
}

func TestPeaks(t *testing.T) {
	t.Parallel()
	if got := peaksOf([]int16{-32768}); len(got) != peakCount || got[0] != 100 {
		t.Errorf("got %v", got)
	}
	sound := make([]int16, 20_000)
	for i := range sound {
		sound[i] = int16(i - 10_000)
	}
	got := peaksOf(sound)
	if got[0] != 30 || got[peakCount/2] != 0 || got[peakCount-1] != 30 {
		t.Errorf("got %v", got)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	old, links := Links{Secrets: []string{"before"}}, Links{Secrets: []string{"now", "before"}, URL: "https://a.example"}
	monday := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC).Truncate(week)
	link := links.Thumbnail("x", monday)
	if link != links.Thumbnail("x", monday.Add(week-time.Second)) || link == links.Thumbnail("x", monday.Add(week)) || link == links.Thumbnail("y", monday) {
		t.Error("a link must stay the same for a week")
	}
	if !strings.HasPrefix(link, "https://a.example/v1/artifacts/x/thumbnail?") {
		t.Errorf("got %s", link)
	}
	until := monday.Add(2 * week)
	for _, tc := range []struct {
		name      string
		id        string
		signature string
		now       time.Time
		ok        bool
	}{
		{"valid", "x", sign("now", "x", "1"), time.Unix(0, 0), true},
		{"of a secret before", "x", sign(old.Secrets[0], "x", "1"), time.Unix(0, 0), true},
		{"expired", "x", sign("now", "x", "1"), time.Unix(1, 0), false},
		{"of another artifact", "y", sign("now", "x", "1"), time.Unix(0, 0), false},
		{"of a stranger", "x", sign("strange", "x", "1"), time.Unix(0, 0), false},
		{"none", "x", "", time.Unix(0, 0), false},
	} {
		if err := links.check(tc.id, 1, tc.signature, tc.now); (err == nil) != tc.ok || err != nil && !atelier.HasCode(err, atelier.CodeForbidden) {
			t.Errorf("%s: got %v", tc.name, err)
		}
	}
	if until.Sub(monday.Add(week-time.Second)) < week {
		t.Error("a link must last a week at least")
	}
}

// Every cursor that a page has given is read, and no text that a database cannot hold.
func TestCursor(t *testing.T) {
	t.Parallel()
	want := store.LibraryPosition{CreatedAt: time.UnixMilli(1_790_000_000_000), ID: "fox"}
	if got, err := readCursor(writeCursor(want)); err != nil || !got.CreatedAt.Equal(want.CreatedAt) || got.ID != want.ID {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, id := range []string{"\x00", "\xff", "fox\xc3"} {
		if got, err := readCursor(writeCursor(store.LibraryPosition{CreatedAt: want.CreatedAt, ID: id})); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
			t.Errorf("%q: got %v, %v, want a refusal", id, got, err)
		}
	}
}
