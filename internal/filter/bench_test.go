package filter_test

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/filter"
	"github.com/atelier-project/atelier/internal/worktest"
)

// BenchmarkCheck measures the check of a long prompt, of two kilobytes.
func BenchmarkCheck(b *testing.B) {
	repeat := func(s string) string { return strings.Repeat(s, 2048/len(s)+1)[:2048] }
	for name, text := range map[string]string{
		"prompt": repeat("A lighthouse on a cliff at dusk, oil painting in the style of the old masters, waves breaking below, " +
			"gulls wheeling, warm light in the window, highly detailed, no text, no watermark, 35mm, cinematic composition. "),
		"denied":   repeat("no nudity, no gore, nude lipstick, the naked eye, chicken breast, "),
		"russian":  repeat("маяк на скале в сумерках, картина маслом, волны внизу, тёплый свет в окне, чайки "),
		"japanese": repeat("夕暮れの崖の上の灯台、油絵、下では波が砕け、窓には暖かい光、カモメが舞う"),
		"hostile":  repeat("n*u*d*e s3x p.o.r.n n u d e "),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := builtIn.Check(context.Background(), text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLoad measures what the lexicon adds to the start of the service.
func BenchmarkLoad(b *testing.B) {
	files, err := fs.Sub(filter.Data, "data")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := filter.ReadLexicon(files); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHostileTexts measures texts that are made to take long, as a ratio to
// ordinary prose of the same length. The aim for the worst is below 50.
func BenchmarkHostileTexts(b *testing.B) {
	const (
		size  = 64 << 10
		prose = "a quiet lake between hills, early morning, mist over the water and one red boat "
	)
	check := func(piece string) time.Duration {
		text := strings.Repeat(piece, size/len(piece))
		var err error
		took := worktest.CPUTime(func() { _, err = builtIn.Check(context.Background(), text) })
		if err != nil {
			b.Fatalf("%q: %v", piece, err)
		}
		return took
	}
	check(prose) // what is made once is made here
	worst, which := 0.0, ""
	for b.Loop() {
		usual := max(check(prose), time.Millisecond)
		for _, piece := range []string{
			"n", "n ", "*", "n*", "n**d", "nu-", "1", "1l|!", "no ", "no nudity, ", "nude ", "naked eye ", "sexy child ", "裸", "裸 ", "性交",
			"not ", "or ", "girl", "sexy", "hotgirl", "a\u0301", "не", "пo", "。", "ヌ", "ー", "#", "12 ", "\xff", "\u200b", "なし", "ヌードなし",
			"how to make a ", "gore is forbidden ", "nsfw, nudity, ", "k1ll ", "s e x ",
		} {
			if ratio := float64(check(piece)) / float64(usual); ratio > worst {
				worst, which = ratio, piece
			}
		}
	}
	b.ReportMetric(worst, "worst-ratio")
	b.Logf("the worst is %q", which)
}
