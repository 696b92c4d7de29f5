package srt_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/kit/codec/srt"
	"github.com/atelier-project/atelier/internal/worktest"
)

// SRT as people write it is read, and errors name the line.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"1\n00:00:01,000 --> 00:00:02,000\nHello": 1,
		"\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\nHello\r\nthere\r\n\r\n\r\n2\r\n0:00:03.5 --> 0:00:04.25\r\n<i>x</i>": 2,
		"00:00:01,000 --> 00:00:02,000 X1:10 X2:20\nno number\n":                                                          1,
	} {
		if c, err := srt.Parse(text); len(c) != want || err != nil {
			t.Errorf("%q: %d subtitles, %v; want %d", text, len(c), err, want)
		}
	}
	for _, text := range []string{
		"", "\n\n", "1", "1\nHello", "1\n00:00:02,000 --> 00:00:01,000\nx", "1\n00:00:01,000 --> 00:00:02,000\n\n", "1\n00:99:01,000 --> 00:00:02,000\nx",
		"1\n00:00:01,000 -> 00:00:02,000\nx", "1\n00:00:01,000 --> 00:00:02,000\n<b></b>",
	} {
		if c, err := srt.Parse(text); err == nil {
			t.Errorf("%q gave %d subtitles", text, len(c))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n00:00:03,000 --> 00:00:04,000\n<b>x</b>{\\an8}")
	f.Fuzz(func(t *testing.T, s string) {
		worktest.Limit(t, len(s), worktest.Bound{Base: 1 << 20, PerByte: 300}, func() {
			if c, err := srt.Parse(s); (err == nil) != (len(c) > 0) {
				t.Errorf("%d subtitles and %v", len(c), err)
			}
		})
	})
}
